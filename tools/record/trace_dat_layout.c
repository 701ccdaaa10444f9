/* SPDX-License-Identifier: MIT */
#include "trace_dat_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "tracefs/tracing_files.h"
#include "tracing_data_write.h"

/* Room for the header, and for all processors together. */
#define HEADER_ROOM ((uint64_t)64 << 20)
#define DATA_ROOM ((uint64_t)8 << 40)

enum {
	OPTION_DONE = 0,
	OPTION_TRACECLOCK = 4,
	OPTION_OFFSET = 7,
};

static int write_at(const struct trace_dat_layout *layout, const void *bytes,
		    size_t length, uint64_t offset)
{
	const uint8_t *at = bytes;

	while (length) {
		ssize_t written = pwrite(layout->file->fd, at, length, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			message("Writing %s failed: %s. What was recorded until then is "
				"there.", layout->file->shown, strerror(errno));
			layout->file->has_failed = 1;
			return -1;
		}
		at += written;
		offset += (uint64_t)written;
		length -= (size_t)written;
	}
	return 0;
}

int trace_dat_begin(struct trace_dat_layout *layout)
{
	uint64_t room = DATA_ROOM;
	struct stat status;

	if (fstat(layout->file->fd, &status) || !S_ISREG(status.st_mode)) {
		message("%s is no file, which a trace.dat has to be; a name that does not end "
			"in .dat is for perf, whose recordings may go anywhere.",
			layout->file->shown);
		return -1;
	}
	while (room > DATA_ROOM / layout->cpus)
		room /= 2;
	layout->places = calloc(layout->cpus, sizeof(*layout->places));
	if (!layout->places) {
		message("There is no memory left.");
		return -1;
	}
	for (uint32_t cpu = 0; cpu < layout->cpus; cpu++)
		layout->places[cpu].offset = HEADER_ROOM + cpu * room;
	return 0;
}

void trace_dat_free(struct trace_dat_layout *layout)
{
	free(layout->places);
}

/* The header */

static void add_option(struct bytes *bytes, uint16_t option, const char *text)
{
	bytes_add_u16(bytes, option);
	bytes_add_u32(bytes, (uint32_t)strlen(text) + 1);
	bytes_add_text(bytes, text);
}

static int64_t nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Times are of the monotonic clock; with the offset they are since 1970. */
static void add_options(struct bytes *bytes)
{
	char offset[32];

	snprintf(offset, sizeof(offset), "%lld",
		 (long long)(nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC)));
	bytes_add(bytes, "options  ", 10);
	add_option(bytes, OPTION_TRACECLOCK, "[mono]");
	add_option(bytes, OPTION_OFFSET, offset);
	bytes_add_u16(bytes, OPTION_DONE);
}

/* The names of processes end the tracing data: text with its length before it. */
static void add_process_names(struct bytes *bytes, const char *tracefs)
{
	size_t length = 0;
	char *text = read_file(tracefs_path(tracefs, "saved_cmdlines"), &length);

	bytes->length -= sizeof(uint64_t);
	bytes_add_u64(bytes, text ? length : 0);
	if (text)
		bytes_add(bytes, text, length);
	free(text);
}

static int make_header(struct trace_dat_layout *layout, struct bytes *bytes,
		       const struct listed_event *events, size_t count)
{
	if (tracing_data_write(bytes, "6", layout->tracefs, events, count))
		return -1;
	add_process_names(bytes, layout->tracefs);
	bytes_add_u32(bytes, layout->cpus);
	add_options(bytes);
	bytes_add(bytes, "flyrecord", 10);
	layout->places_at = bytes->length;
	bytes_add(bytes, layout->places, layout->cpus * sizeof(*layout->places));
	if (bytes->has_failed)
		message("There is no memory left.");
	return bytes->has_failed ? -1 : 0;
}

int trace_dat_describe(struct trace_dat_layout *layout, const struct listed_event *events,
		       size_t count)
{
	struct bytes bytes = { 0 };
	int result = make_header(layout, &bytes, events, count);

	if (!result && bytes.length > HEADER_ROOM) {
		message("These events are too many for a trace.dat file.");
		result = -1;
	}
	if (!result)
		result = write_at(layout, bytes.at, bytes.length, 0);
	bytes_free(&bytes);
	return result;
}

/* Pages */

static int write_place(const struct trace_dat_layout *layout, uint32_t cpu)
{
	return write_at(layout, &layout->places[cpu], sizeof(*layout->places),
			layout->places_at + cpu * sizeof(*layout->places));
}

int trace_dat_add(struct trace_dat_layout *layout, uint32_t cpu, const void *pages,
		  size_t length)
{
	struct trace_dat_place *place = &layout->places[cpu];

	if (layout->file->has_failed ||
	    write_at(layout, pages, length, place->offset + place->length))
		return -1;
	place->length += length;
	layout->file->bytes += length;
	return write_place(layout, cpu);
}

/* Moving together */

static int move(const struct trace_dat_layout *layout, const struct trace_dat_place *from,
		uint64_t to)
{
	uint8_t block[64 << 10];
	uint64_t done = 0;

	while (done < from->length) {
		uint64_t left = from->length - done;
		size_t length = left < sizeof(block) ? (size_t)left : sizeof(block);
		ssize_t got = pread(layout->file->fd, block, length,
				    (off_t)(from->offset + done));

		if (got <= 0) {
			message("Reading %s failed: %s.", layout->file->shown,
				got ? strerror(errno) : "it ended early");
			return -1;
		}
		if (write_at(layout, block, (size_t)got, to + done))
			return -1;
		done += (uint64_t)got;
	}
	return 0;
}

/* From the first processor on, each to where the one before ends. */
static int move_together(struct trace_dat_layout *layout, uint64_t to)
{
	for (uint32_t cpu = 0; cpu < layout->cpus; cpu++) {
		struct trace_dat_place *place = &layout->places[cpu];

		/* never onto what is not moved yet: the header would be wrong */
		if (to + place->length > place->offset && place->length)
			return 0;
		if (move(layout, place, to))
			return -1;
		place->offset = to;
		if (write_place(layout, cpu))
			return -1;
		to += place->length;
	}
	layout->file->bytes = to;
	return ftruncate(layout->file->fd, (off_t)to);
}

int trace_dat_finish(struct trace_dat_layout *layout, const struct listed_event *events,
		     size_t count)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t header;

	if (layout->file->has_failed || trace_dat_describe(layout, events, count))
		return -1;
	header = layout->places_at + layout->cpus * sizeof(*layout->places);
	return move_together(layout, (header + page - 1) & ~(page - 1));
}
