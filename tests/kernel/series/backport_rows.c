/* SPDX-License-Identifier: MIT */
/*
 * Asks about three faults that 6.4 fixed, and the patches for 6.1 carry back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

#define INSTANCE "instances/ue_backports"
#define INSTANCE_PATH "/sys/kernel/tracing/" INSTANCE

struct event {
	const char *definition;
	const char *name;
	int fd;
	unsigned int write_index;
};

static void set_up(struct event *event)
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

static int put_event(const struct event *event, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), INSTANCE "/events/user_events/%s/%s", event->name, file);
	return put_tracefs(path, text);
}

/* Events of 6.1 outlive their program. Those of 6.12 do not, and may be gone already. */
static void clean_up(const struct event *event)
{
	char command[64];

	put_event(event, "enable", "0");
	rmdir(INSTANCE_PATH);
	close(event->fd);
	snprintf(command, sizeof(command), "!u:%s", event->name);
	put_tracefs("dynamic_events", command);
}

static int records(void)
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

static long write_event(const struct event *event, const void *payload, size_t size)
{
	unsigned int index = event->write_index;
	struct iovec parts[] = {
		{ &index, sizeof(index) },
		{ (void *)payload, size },
	};

	return writev(event->fd, parts, 2);
}

/* With a bit of its own: EADDRINUSE is also the answer to one that is taken. */
static int register_again(int fd, const char *definition)
{
	static uint32_t word;
	static uint8_t bit;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = bit++,
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
		.name_args = (uintptr_t)definition,
	};

	return is_6_1() ? register_raw(fd, definition, NULL) : ioctl(fd, UE__IOC_REG, &reg);
}

static void other_fields(void)
{
	struct event event = { .definition = "ue_other_fields u32 a", .name = "ue_other_fields" };
	long result;

	set_up(&event);
	result = register_again(event.fd, "ue_other_fields u64 b");
	answer("%s", verdict(result));
	clean_up(&event);
}

/* A space after the semicolon is a matter of taste: 6.4 to 6.9 took it for other fields. */
static void same_fields(void)
{
	struct event event = {
		.definition = "ue_same_fields u32 a;u32 b",
		.name = "ue_same_fields",
	};
	long result;

	set_up(&event);
	result = register_again(event.fd, event.definition);
	if (!result)
		result = register_again(event.fd, "ue_same_fields u32 a; u32 b");
	answer("%s", verdict(result));
	clean_up(&event);
}

static void empty_payload(void)
{
	struct event event = { .definition = "ue_empty_payload", .name = "ue_empty_payload" };
	long result;

	set_up(&event);
	put_event(&event, "enable", "1");
	result = write_event(&event, "", 0);
	answer("%s, %d recorded", verdict(result), records());
	clean_up(&event);
}

/* The filter passes one of the two events, unless the kernel refuses or misreads it. */
static void text_filter(void)
{
	struct event event = {
		.definition = "ue_text_filter char[4] text",
		.name = "ue_text_filter",
	};
	long result;

	set_up(&event);
	result = put_event(&event, "filter", "text == \"yes\"");
	if (result) {
		answer("%s", verdict(result));
	} else {
		put_event(&event, "enable", "1");
		write_event(&event, "yes", 4);
		write_event(&event, "no\0", 4);
		answer("%d of 2 recorded", records());
	}
	clean_up(&event);
}

const struct surprise backport_surprises[] = {
	{ "other-fields", "registering a name again with other fields", other_fields },
	{ "same-fields", "registering a name again with the same fields", same_fields },
	{ "empty-payload", "writing an event without fields", empty_payload },
	{ "text-filter", "filtering a field that is text", text_filter },
	{ 0 },
};
