/* SPDX-License-Identifier: MIT */
/*
 * Registers an event, writes it, and looks at a tracing instance's records.
 */
#include "instance.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "surprises.h"

#define INSTANCE "instances/ue_series"
#define INSTANCE_PATH "/sys/kernel/tracing/" INSTANCE

void set_up_event(struct event *event)
{
	if (mkdir(INSTANCE_PATH, 0700)) {
		perror(INSTANCE_PATH);
		exit(2);
	}
	event->fd = open_tracefs("user_events_data", O_RDWR);
	if (register_raw(event->fd, event->definition, &event->write_index)) {
		perror(event->definition);
		exit(2);
	}
}

int put_event(const struct event *event, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), INSTANCE "/events/user_events/%s/%s", event->name,
		 file);
	return put_tracefs(path, text);
}

void empty_instance(void)
{
	close(open_tracefs(INSTANCE "/trace", O_WRONLY | O_TRUNC));
}

int count_records(void)
{
	FILE *file = fopen(INSTANCE_PATH "/trace", "r");
	char line[256];
	int count = -1;

	while (file && count < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "# entries-in-buffer/entries-written: %d/", &count);
	if (file)
		fclose(file);
	return count;
}

static int count_in_page(const char *page, size_t size, const char *text)
{
	const char *end = page + size, *found = page - 1;
	int count = 0;

	while ((found = memmem(found + 1, end - found - 1, text, strlen(text))))
		count++;
	return count;
}

/* The pages of a processor have nothing but records. */
static int count_in_processor(int processor, const char *text)
{
	char path[64], page[4096];
	int count = 0, fd;
	ssize_t got;

	snprintf(path, sizeof(path), INSTANCE "/per_cpu/cpu%d/trace_pipe_raw", processor);
	fd = open_tracefs(path, O_RDONLY | O_NONBLOCK);
	while ((got = read(fd, page, sizeof(page))) > 0)
		count += count_in_page(page, got, text);
	close(fd);
	return count;
}

int count_text(const char *text)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	int count = 0;

	for (int i = 0; i < processors; i++)
		count += count_in_processor(i, text);
	return count;
}

long write_payload(const struct event *event, const void *payload, size_t size)
{
	unsigned int index = event->write_index;
	struct iovec parts[] = {
		{ &index, sizeof(index) },
		{ (void *)payload, size },
	};

	return writev(event->fd, parts, 2);
}

/* Events of 6.1 outlive their program. Those of 6.12 do not, and may be gone already. */
void clean_up_event(const struct event *event)
{
	char command[64];

	put_event(event, "enable", "0");
	rmdir(INSTANCE_PATH);
	close(event->fd);
	snprintf(command, sizeof(command), "!u:%s", event->name);
	put_tracefs("dynamic_events", command);
}
