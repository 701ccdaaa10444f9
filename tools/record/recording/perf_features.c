/* SPDX-License-Identifier: MIT */
/* Describes a recording as the features of perf.data do: its events, machine and clock. */
#include "perf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "kernel/tracefs/tracing_files.h"
#include "read/perf/perf_input.h"

/* Describes tracepoints as perf and trace-cmd do. */

static int add_header(struct bytes *bytes, const char *tracefs, const char *name)
{
	char path[4096];
	size_t length;
	AUTO_FREE char *text;

	snprintf(path, sizeof(path), "%s/events/%s", tracefs, name);
	text = tracing_read(path, &length);
	if (!text)
		return -1;
	bytes_add_text(bytes, name);
	bytes_add_u64(bytes, length);
	bytes_add(bytes, text, length);
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

/*
 * tracing_data_write.c: the description of these events, version "0.6"; the texts of
 * header_page and header_event come from tracefs. 0, or -1 after a message.
 */
static int tracing_data_write(struct bytes *bytes, const char *tracefs,
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

int perf_add_formats(struct bytes *bytes, const struct perf_layout *layout, size_t first)
{
	size_t count = 0;
	AUTO_FREE struct listed_event *events =
		xcalloc(layout->count + 1, sizeof(*events));

	for (size_t i = first; i < layout->count; i++)
		if (layout->events[i].event.format)
			events[count++] = layout->events[i].event;
	return tracing_data_write(bytes, layout->tracefs, events, count);
}

static void add_text(struct bytes *bytes, const char *text)
{
	static const uint8_t zeros[64];
	size_t length = strlen(text) + 1, padded = (length + 63) & ~(size_t)63;

	bytes_add_u32(bytes, (uint32_t)padded);
	bytes_add(bytes, text, length);
	bytes_add(bytes, zeros, padded - length);
}

static void add_clock_data(struct bytes *bytes, const struct perf_layout *layout)
{
	bytes_add_u32(bytes, 1); /* version */
	bytes_add_u32(bytes, CLOCK_MONOTONIC);
	bytes_add_u64(bytes, (uint64_t)layout->clocks.wall);
	bytes_add_u64(bytes, (uint64_t)layout->clocks.monotonic);
}

static void add_names(struct bytes *bytes, const struct perf_layout *layout)
{
	char name[512];

	bytes_add_u32(bytes, (uint32_t)layout->count);
	bytes_add_u32(bytes, PERF_ATTR_SIZE);
	for (size_t i = 0; i < layout->count; i++) {
		const struct perf_described *described = &layout->events[i];

		snprintf(name, sizeof(name), "%s:%s",
			 i ? described->event.system : "dummy",
			 i ? described->event.name : "HG");
		bytes_add(bytes, &described->opened.attr, PERF_ATTR_SIZE);
		bytes_add_u32(bytes, (uint32_t)described->opened.id_count);
		add_text(bytes, name);
		bytes_add(bytes, described->opened.ids,
			  described->opened.id_count * sizeof(uint64_t));
	}
}

const unsigned int perf_features[PERF_FEATURES] = {
	PERF_FEATURE_TRACING_DATA, PERF_FEATURE_HOSTNAME, PERF_FEATURE_OSRELEASE,
	PERF_FEATURE_ARCH, PERF_FEATURE_EVENT_DESC, PERF_FEATURE_CLOCKID,
	PERF_FEATURE_CLOCK_DATA,
};

int perf_add_feature(struct bytes *bytes, const struct perf_layout *layout,
		     unsigned int feature)
{
	struct utsname names;

	uname(&names);
	switch (feature) {
	case PERF_FEATURE_TRACING_DATA:
		return perf_add_formats(bytes, layout, 0);
	case PERF_FEATURE_HOSTNAME:
		add_text(bytes, names.nodename);
		break;
	case PERF_FEATURE_OSRELEASE:
		add_text(bytes, names.release);
		break;
	case PERF_FEATURE_ARCH:
		add_text(bytes, names.machine);
		break;
	case PERF_FEATURE_EVENT_DESC:
		add_names(bytes, layout);
		break;
	case PERF_FEATURE_CLOCKID:
		bytes_add_u64(bytes, 1); /* nanoseconds, its resolution */
		break;
	case PERF_FEATURE_CLOCK_DATA:
		add_clock_data(bytes, layout);
		break;
	}
	return 0;
}
