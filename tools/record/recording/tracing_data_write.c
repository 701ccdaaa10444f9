/* SPDX-License-Identifier: MIT */
/* Describes tracepoints as perf and trace-cmd do. */
#include "perf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/records/byte_cursor.h"
#include "kernel/tracefs/tracing_files.h"

static int add_header(struct bytes *bytes, const char *tracefs, const char *name)
{
	char path[4096];
	size_t length;
	char *text;

	snprintf(path, sizeof(path), "%s/events/%s", tracefs, name);
	text = tracing_read(path, &length);
	if (!text)
		return -1;
	bytes_add_text(bytes, name);
	bytes_add_u64(bytes, length);
	bytes_add(bytes, text, length);
	free(text);
	return 0;
}

static int is_first_of_system(const struct listed_event *events, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(events[i].system, events[index].system))
			return 0;
	return 1;
}

static void add_system(struct bytes *bytes, const struct listed_event *events,
		       size_t first, size_t count)
{
	uint32_t own = 0;

	for (size_t i = first; i < count; i++)
		own += !strcmp(events[i].system, events[first].system);
	bytes_add_text(bytes, events[first].system);
	bytes_add_u32(bytes, own);
	for (size_t i = first; i < count; i++) {
		if (strcmp(events[i].system, events[first].system))
			continue;
		bytes_add_u64(bytes, events[i].format_length);
		bytes_add(bytes, events[i].format, events[i].format_length);
	}
}

static void add_systems(struct bytes *bytes, const struct listed_event *events,
			size_t count)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < count; i++)
		systems += (uint32_t)is_first_of_system(events, i);
	bytes_add_u32(bytes, systems);
	for (size_t i = 0; i < count; i++)
		if (is_first_of_system(events, i))
			add_system(bytes, events, i, count);
}

int tracing_data_write(struct bytes *bytes, const char *tracefs,
		       const struct listed_event *events, size_t count)
{
	const uint8_t machine[2] = { HOST_IS_BIG_ENDIAN, sizeof(long) };

	bytes_add(bytes, "\x17\x08\x44tracing", 10);
	bytes_add_text(bytes, "0.6");
	bytes_add(bytes, machine, sizeof(machine));
	bytes_add_u32(bytes, (uint32_t)sysconf(_SC_PAGESIZE));
	if (add_header(bytes, tracefs, "header_page") ||
	    add_header(bytes, tracefs, "header_event"))
		return -1;
	bytes_add_u32(bytes, 0); /* ftrace's own events */
	add_systems(bytes, events, count);
	bytes_add_u32(bytes, 0); /* kallsyms */
	bytes_add_u32(bytes, 0); /* printk */
	bytes_add_u64(bytes, 0); /* saved command lines */
	return 0;
}
