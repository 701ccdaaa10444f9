/* SPDX-License-Identifier: MIT */
/*
 * Removes what the workers left, and looks for what the kernel left: events that nothing
 * can remove, and leaked memory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "exerciser.h"
#include "kernel/abi.h"

#define LEAKS "/sys/kernel/debug/kmemleak"

/* A trigger is removed by its name, which for enable_event has three parts. */
static void remove_trigger(const char *path, const char *line)
{
	int parts = strstr(line, "able_event:") ? 3 : 1;
	char text[300];
	size_t at = 0;

	for (; line[at] && line[at] != ' ' && line[at] != '\n'; at++)
		if (line[at] == ':' && !--parts)
			break;
	snprintf(text, sizeof(text), "!%.*s", (int)at, line);
	put(path, O_WRONLY | O_APPEND, text);
}

/* Truncating the file removes histograms only. */
static void remove_triggers(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[1000];

	while (file && fgets(line, sizeof(line), file))
		if (line[0] != '#')
			remove_trigger(path, line);
	if (file)
		fclose(file);
	put(path, O_WRONLY | O_TRUNC, "");
}

static void clear_event(const char *directory, const char *name)
{
	static const char *const files[] = { "enable", "filter" };
	char path[800];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", directory, name, files[i]);
		put(path, O_WRONLY, "0");
	}
	snprintf(path, sizeof(path), "%s/%s/trigger", directory, name);
	remove_triggers(path);
}

static void clear_system(const char *system)
{
	char directory[100];
	struct dirent *entry;
	DIR *list;

	snprintf(directory, sizeof(directory), TRACING "events/%s", system);
	list = opendir(directory);
	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			clear_event(directory, entry->d_name);
	if (list)
		closedir(list);
}

/* An entry of the status file: its first word, or NULL after the last. */
static char *next_name(FILE *status, char *line, int size)
{
	if (!fgets(line, size, status) || line[0] == '\n')
		return NULL;
	return strtok(line, " \n");
}

/* An event of 6.1 stays until it is deleted. */
static int delete_each(int is_last)
{
	FILE *status = fopen(TRACING "user_events_status", "re");
	int fd = open(TRACING "user_events_data", O_RDWR | O_CLOEXEC), left = 0;
	char line[2000], *name;

	while (status && (name = next_name(status, line, sizeof(line)))) {
		left++;
		if (is_last)
			printf("# still there: %s\n", name);
		if (is_6_1 && (name = strchr(name, ':')))
			name++;
		if (name && fd >= 0 && ioctl(fd, UE__IOC_DEL, name) &&
		    strrchr(name, '.')) {
			*strrchr(name, '.') = 0; /* one of several formats */
			ioctl(fd, UE__IOC_DEL, name);
		}
	}
	if (status)
		fclose(status);
	close(fd);
	return left;
}

/* One by one: truncating the file stops at the first event that a later probe is attached to. */
static void remove_eprobes(void)
{
	char text[40];

	put(TRACING "events/eprobes/enable", O_WRONLY, "0");
	for (int i = 0; i < EPROBES; i++) {
		snprintf(text, sizeof(text), "-:eprobes/ep_%d", i);
		put(TRACING "dynamic_events", O_WRONLY | O_APPEND, text);
	}
}

/* The kernel drops events some time after the last process that had them. */
int remove_all(void)
{
	int left = -1;

	put("/proc/sys/kernel/user_events_max", O_WRONLY, "32768");
	for (int i = 0; i < 100 && left; i++) {
		put(TRACING "events/enable", O_WRONLY, "0");
		rmdir(TRACING "instances/ex_0");
		rmdir(TRACING "instances/ex_1");
		clear_system("user_events");
		clear_system("user_events_multi");
		remove_eprobes();
		put(TRACING "dynamic_events", O_WRONLY | O_TRUNC, "");
		put(TRACING "trace", O_WRONLY | O_TRUNC, "");
		usleep(100000);
		left = delete_each(i == 99);
	}
	return left;
}

static void scan(void)
{
	put(LEAKS, O_WRONLY, "scan");
	sleep(6); /* younger objects are not reported */
	put(LEAKS, O_WRONLY, "scan");
}

void forget_leaks(void)
{
	if (access(LEAKS, F_OK))
		return;
	scan();
	put(LEAKS, O_WRONLY, "clear");
}

int print_leaks(void)
{
	FILE *file = access(LEAKS, F_OK) ? NULL : (scan(), fopen(LEAKS, "re"));
	char line[500];
	int count = 0;

	while (file && fgets(line, sizeof(line), file)) {
		count += !strncmp(line, "unreferenced object", 19);
		printf("# %s", line);
	}
	if (file)
		fclose(file);
	return count;
}
