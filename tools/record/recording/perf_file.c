/* SPDX-License-Identifier: MIT */
/* Writes perf.data: its features, its layout, its head and tail. */
#include "perf_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/byte_cursor.h"
#include "kernel/tracefs/tracing_files.h"
#include "read/perf/perf_input.h"

/* Describes a recording as the features of perf.data do: its events, machine and clock. */

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
 * Append the description of these events, version "0.6"; the texts of header_page and
 * header_event come from tracefs. 0, or -1 after a message.
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

/*
 * Add the tracepoints among the events from the first on, as perf and trace-cmd describe
 * them. 0, or -1 after a message.
 */
static int perf_add_formats(struct bytes *bytes, const struct perf_layout *layout,
			    size_t first)
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

/* Indexed by number, which is the order of their places in a file. */
static const unsigned int perf_features[] = {
	PERF_FEATURE_TRACING_DATA, PERF_FEATURE_HOSTNAME, PERF_FEATURE_OSRELEASE,
	PERF_FEATURE_ARCH, PERF_FEATURE_EVENT_DESC, PERF_FEATURE_CLOCKID,
	PERF_FEATURE_CLOCK_DATA,
};

#define PERF_FEATURES (sizeof(perf_features) / sizeof(perf_features[0]))

/* 0, or -1 after a message. */
static int perf_add_feature(struct bytes *bytes, const struct perf_layout *layout,
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

/* The largest record has 65535 bytes; more ids need further records. */
#define IDS_MAX 8000u

/* Deprecated, and passed over by every perf. */
#define PERF_HEADER_EVENT_TYPE 65u

/* Collecting */

static struct listed_event copy_event(const struct listed_event *event)
{
	struct listed_event copy = *event;

	copy.system = xstrdup(event->system);
	copy.name = xstrdup(event->name);
	copy.format = xmalloc(event->format_length + 1);
	memcpy(copy.format, event->format, event->format_length);
	return copy;
}

static void free_described(struct perf_described *described)
{
	free(described->opened.ids);
	free(described->event.system);
	free(described->event.name);
	free(described->event.format);
}

void perf_layout_add(struct perf_layout *layout, struct perf_opened *opened,
		     const struct listed_event *event)
{
	struct perf_described described = { .opened = *opened };

	opened->ids = NULL;
	if (event)
		described.event = copy_event(event);
	layout->events = xgrow(layout->events, layout->count, sizeof(described));
	layout->events[layout->count++] = described;
}

void perf_layout_extend(struct perf_layout *layout, size_t event, uint64_t id)
{
	struct perf_opened *opened = &layout->events[event].opened;

	opened->ids = xrealloc(opened->ids, (opened->id_count + 1) * sizeof(id));
	opened->ids[opened->id_count++] = id;
	layout->has_new_ids = 1;
	layout->measured = 0;
}

int perf_layout_is_described(const struct perf_layout *layout)
{
	return layout->described == layout->count && !layout->has_new_ids;
}

void perf_layout_free(struct perf_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		free_described(&layout->events[i]);
	free(layout->events);
	free(layout->blocks);
}

/* Records that describe events */

static void begin_record(struct bytes *bytes, uint32_t type)
{
	struct perf_event_header header = { .type = type };

	bytes_add(bytes, &header, sizeof(header));
}

/* End the record that began at this place; its size is a multiple of 8 bytes. */
static void end_record(struct bytes *bytes, size_t begin)
{
	uint16_t size;

	bytes_pad(bytes, begin);
	size = (uint16_t)(bytes->length - begin);
	begin += offsetof(struct perf_event_header, size);
	memcpy(bytes->at + begin, &size, sizeof(size));
}

/* The attribute is followed by the ids that are not described yet. */
static void add_attr(struct bytes *bytes, struct perf_described *described)
{
	const struct perf_opened *opened = &described->opened;
	size_t done = described->ids_described;

	do {
		size_t begin = bytes->length, count = opened->id_count - done;

		if (count > IDS_MAX)
			count = IDS_MAX;
		begin_record(bytes, PERF_HEADER_ATTR);
		bytes_add(bytes, &opened->attr, PERF_ATTR_SIZE);
		bytes_add(bytes, opened->ids + done, count * sizeof(*opened->ids));
		end_record(bytes, begin);
		done += count;
	} while (done < opened->id_count);
	described->ids_described = done;
}

/* The tracing data. perf 7.2 refuses records whose size is not a multiple of 8. */
static int add_tracing_data(struct bytes *bytes, const struct perf_layout *layout,
			    size_t first)
{
	struct {
		struct perf_event_header header;
		uint32_t length, padding;
	} record = { .header = { .type = PERF_TRACING_DATA, .size = sizeof(record) } };
	AUTO(bytes_free) struct bytes data = { 0 };

	if (perf_add_formats(&data, layout, first))
		return -1;
	bytes_pad(&data, 0);
	record.length = (uint32_t)data.length;
	bytes_add(bytes, &record, sizeof(record));
	bytes_add(bytes, data.at, data.length);
	return 0;
}

static int add_feature_record(struct bytes *bytes, const struct perf_layout *layout,
			      unsigned int feature)
{
	const size_t begin = bytes->length;

	begin_record(bytes, PERF_HEADER_FEATURE);
	bytes_add_u64(bytes, feature);
	if (perf_add_feature(bytes, layout, feature))
		return -1;
	end_record(bytes, begin);
	return 0;
}

/* The features that a stream has at its beginning. */
static int add_feature_records(struct bytes *bytes, const struct perf_layout *layout)
{
	for (size_t i = 0; i < PERF_FEATURES; i++)
		if (perf_features[i] != PERF_FEATURE_TRACING_DATA &&
		    perf_features[i] != PERF_FEATURE_EVENT_DESC &&
		    add_feature_record(bytes, layout, perf_features[i]))
			return -1;
	return 0;
}

/* Writing */

static int write_bytes(struct perf_layout *layout, struct bytes *bytes, int result)
{
	if (!result)
		return outfile_move(layout->file, bytes);
	bytes_free(bytes);
	return result;
}

/*
 * The files of a rotation have one reading of the clocks, until the wall clock is set.
 * Else each would have an error of its own, and the last events of a file could be
 * later than the first ones of the next.
 */
static int take_clocks(struct perf_layout *layout)
{
	struct clock_pair now = clock_pair_now();
	int64_t change = clock_pair_offset(&now) - clock_pair_offset(&layout->clocks);

	if (llabs(change) <= now.doubt + layout->clocks.doubt)
		return 0;
	layout->clocks = now;
	return 1;
}

int perf_layout_follow_clock(struct perf_layout *layout)
{
	struct bytes bytes = { 0 };

	if (!take_clocks(layout))
		return 0;
	return write_bytes(layout, &bytes,
			   add_feature_record(&bytes, layout, PERF_FEATURE_CLOCK_DATA));
}

int perf_layout_begin(struct perf_layout *layout)
{
	static const uint64_t header[2] = { PERF_MAGIC, PERF_PIPE_HEADER_SIZE };
	struct bytes bytes = { 0 };
	int result;

	take_clocks(layout);
	bytes_add(&bytes, header, sizeof(header));
	for (size_t i = 0; i < layout->count; i++)
		layout->events[i].ids_described = 0;
	add_attr(&bytes, &layout->events[0]);
	result = add_feature_records(&bytes, layout);
	layout->described = 1;
	layout->block_count = 0;
	if (write_bytes(layout, &bytes, result))
		return -1;
	layout->data = layout->file->bytes;
	return 0;
}

static void keep_block(struct perf_layout *layout, uint64_t begin)
{
	layout->blocks = xgrow(layout->blocks, layout->block_count,
			       sizeof(*layout->blocks));
	layout->blocks[layout->block_count++] =
		(struct perf_block){ begin, layout->file->bytes };
}

int perf_layout_describe(struct perf_layout *layout)
{
	uint64_t begin = layout->file->bytes;
	struct bytes bytes = { 0 };
	int result = 0;

	if (perf_layout_is_described(layout))
		return 0;
	for (size_t i = 0; i < layout->count; i++)
		if (i >= layout->described ||
		    layout->events[i].ids_described < layout->events[i].opened.id_count)
			add_attr(&bytes, &layout->events[i]);
	if (layout->described < layout->count)
		result = add_tracing_data(&bytes, layout, layout->described);
	layout->described = layout->count;
	layout->has_new_ids = 0;
	if (write_bytes(layout, &bytes, result))
		return -1;
	keep_block(layout, begin);
	return 0;
}

/* The usual layout */

struct file_section {
	uint64_t offset;
	uint64_t length;
};

struct file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[4];
};

/* The end of the file: places of features, features, ids, attrs. */
static int make_tail(struct perf_layout *layout, struct bytes *tail,
		     struct file_header *header)
{
	uint64_t begin = layout->file->bytes, ids;
	struct file_section places[PERF_FEATURES] = { { 0 } };

	bytes_add(tail, places, sizeof(places));
	for (size_t i = 0; i < PERF_FEATURES; i++) {
		places[i].offset = begin + tail->length;
		if (perf_add_feature(tail, layout, perf_features[i]))
			return -1;
		places[i].length = begin + tail->length - places[i].offset;
		header->features[0] |= (uint64_t)1 << perf_features[i];
	}
	memcpy(tail->at, places, sizeof(places));
	ids = begin + tail->length;
	for (size_t i = 0; i < layout->count; i++)
		bytes_add(tail, layout->events[i].opened.ids,
			  layout->events[i].opened.id_count * sizeof(uint64_t));
	header->attrs.offset = begin + tail->length;
	for (size_t i = 0; i < layout->count; i++) {
		const struct perf_opened *opened = &layout->events[i].opened;

		bytes_add(tail, &opened->attr, PERF_ATTR_SIZE);
		bytes_add_u64(tail, ids);
		bytes_add_u64(tail, opened->id_count * sizeof(uint64_t));
		ids += opened->id_count * sizeof(uint64_t);
	}
	header->attrs.length = begin + tail->length - header->attrs.offset;
	return 0;
}

int perf_layout_measure(struct perf_layout *layout)
{
	struct file_header header = { 0 };
	AUTO(bytes_free) struct bytes tail = { 0 };
	int result = 0;

	if (layout->measured != layout->count)
		result = make_tail(layout, &tail, &header);
	if (layout->measured != layout->count)
		layout->tail = tail.length;
	layout->measured = layout->count;
	return result;
}

/*
 * Turn a block of descriptions into records without meaning. A description has more than
 * the 80 bytes that perf 7.2 expects of each.
 */
static int blank(const struct perf_layout *layout, struct perf_block block)
{
	const uint64_t most = 65528, least = 80;

	while (block.begin < block.end) {
		uint64_t left = block.end - block.begin;
		uint64_t size = left <= most ? left : left < most + least ? most - least :
									    most;
		struct perf_event_header header = {
			.type = PERF_HEADER_EVENT_TYPE,
			.size = (uint16_t)size,
		};

		if (pwrite(layout->file->fd, &header, sizeof(header),
			   (off_t)block.begin) != sizeof(header))
			return -1;
		block.begin += header.size;
	}
	return 0;
}

static int rewrite(const struct perf_layout *layout, const struct file_header *header)
{
	if (pwrite(layout->file->fd, header, sizeof(*header), 0) != sizeof(*header))
		return -1;
	for (size_t i = 0; i < layout->block_count; i++)
		if (blank(layout, layout->blocks[i]))
			return -1;
	return 0;
}

/* A pipe, or a file that other programs also write to, stays a stream. */
static int is_own_file(const struct outfile *file)
{
	return lseek(file->fd, 0, SEEK_CUR) == (off_t)file->bytes &&
	       !(fcntl(file->fd, F_GETFL) & O_APPEND);
}

int perf_layout_finish(struct perf_layout *layout)
{
	struct file_header header = {
		.magic = PERF_MAGIC,
		.size = PERF_HEADER_SIZE,
		.attr_size = PERF_ATTR_SIZE + sizeof(struct file_section),
		.data = { layout->data, layout->file->bytes - layout->data },
	};
	struct bytes tail = { 0 };

	static_assert(sizeof(header) == PERF_HEADER_SIZE, "as perf has it");
	if (layout->file->has_failed || !is_own_file(layout->file))
		return layout->file->has_failed ? -1 : 0;
	if (write_bytes(layout, &tail, make_tail(layout, &tail, &header)))
		return -1;
	outfile_release(layout->file);
	if (!rewrite(layout, &header))
		return 0;
	message("cannot write all of %s: %s", layout->file->shown, file_reason(errno));
	return -1;
}
