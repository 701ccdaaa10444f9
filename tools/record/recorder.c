/* SPDX-License-Identifier: MIT */
/*
 * Records through perf: copies the records of the kernel's rings into the file, ring
 * after ring, with a mark behind each pass (input/perf/sample_queue.h).
 *
 * The kernel's records of losses are left out: they also count records of processes,
 * which share the rings. Since Linux 6.0 each perf event has a count of its own losses,
 * and records made from these counts take their place.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/perf/perf_input.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "recorder.h"

/* Every user may have this much; the least without --buffer. */
#define BUFFER_LEAST ((size_t)64 << 10)

/*
 * Add a record as the dummy would write it: its end has process and thread, time,
 * processor, and the id of the event.
 */
static void add_record(struct bytes *bytes, uint32_t type, const void *content,
		       size_t length, uint64_t who, uint64_t id)
{
	const uint64_t end[] = { who, 0, 0, id };
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(sizeof(header) + length + sizeof(end)),
	};

	bytes_add(bytes, &header, sizeof(header));
	bytes_add(bytes, content, length);
	bytes_add(bytes, end, sizeof(end));
}

static uint64_t dummy_id(const struct recorder *recorder)
{
	return recorder->layout.events[0].opened.ids[0];
}

/* Names of processes that run already, which perf script shows. */

static void add_name(struct bytes *bytes, const char *pid, uint64_t id)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char name[64];
	} comm = { .name = "" };
	char *path = xprintf("/proc/%s/comm", pid), *name = read_file(path, NULL);
	uint64_t who;

	free(path);
	if (!name)
		return;
	comm.pid = comm.tid = (uint32_t)atoi(pid);
	memcpy(&who, &comm, sizeof(who));
	snprintf(comm.name, sizeof(comm.name), "%.*s", (int)strcspn(name, "\n"), name);
	free(name);
	add_record(bytes, PERF_RECORD_COMM, &comm, 8 + ((strlen(comm.name) + 8) & ~(size_t)7),
		   who, id);
}

static int write_names(struct recorder *recorder)
{
	DIR *directory = opendir("/proc");
	struct bytes bytes = { 0 };
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_name(&bytes, entry->d_name, dummy_id(recorder));
	if (directory)
		closedir(directory);
	return outfile_move(recorder->file, &bytes);
}

/* Called by recording.c */

int recorder_begin(struct recorder *recorder)
{
	size_t least = recorder->buffer_is_given ? recorder->buffer : BUFFER_LEAST;
	struct perf_opened dummy;
	int result = perf_rings_open(&recorder->rings, recorder->buffer, least,
				     recorder->target, &dummy);

	recorder->layout.file = recorder->file;
	recorder->layout.tracefs = recorder->tracefs;
	perf_layout_add(&recorder->layout, &dummy, NULL);
	return result;
}

int recorder_add(struct recorder *recorder, const struct listed_event *event)
{
	struct perf_opened opened;
	char name[512];
	int result;

	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	result = perf_rings_add(&recorder->rings, event->id, name, &opened);
	if (result) {
		free(opened.ids);
		return result;
	}
	recorder->tracepoints++;
	perf_layout_add(&recorder->layout, &opened, event);
	return 0;
}

/* Whether the record is a loss that report_lost() reports more exactly. */
static int take_lost(struct recorder *recorder, const uint8_t *record)
{
	uint64_t lost;

	recorder->has_lost = 1;
	if (recorder->rings.read_format)
		return 1;
	memcpy(&lost, record + 16, sizeof(lost)); /* header and id stand before it */
	recorder->lost += lost;
	return 0;
}

/* Take records of losses out; returns how many events there are. */
static uint64_t sift(struct recorder *recorder, struct bytes *bytes)
{
	struct perf_event_header header;
	size_t length = bytes->length;
	uint64_t events = 0;

	bytes->length = 0;
	for (size_t at = 0; at < length; at += header.size) {
		const uint8_t *record = bytes->at + at;

		memcpy(&header, record, sizeof(header));
		if (header.type == PERF_RECORD_LOST && take_lost(recorder, record))
			continue;
		if (bytes->length != at)
			memmove(bytes->at + bytes->length, record, header.size);
		bytes->length += header.size;
		events += header.type == PERF_RECORD_SAMPLE;
	}
	return events;
}

static int write_ring(struct recorder *recorder, const struct perf_ring *ring)
{
	struct bytes *bytes = &recorder->bytes;
	uint64_t events;

	bytes->length = 0;
	perf_ring_take(&recorder->rings, ring, bytes);
	if (!bytes->length)
		return 0;
	events = sift(recorder, bytes);
	if (outfile_write(recorder->file, bytes->at, bytes->length))
		return -1;
	recorder->events += events;
	recorder->rounds = 2;
	return 0;
}

/* The kernel reports a loss in a ring only with the next event that fits. */
static int report_lost(struct recorder *recorder)
{
	uint64_t id = dummy_id(recorder);
	uint64_t lost = perf_rings_lost(&recorder->rings);
	uint64_t content[2] = { id, lost - recorder->lost };
	struct bytes bytes = { 0 };

	recorder->has_lost = 0;
	if (lost <= recorder->lost)
		return 0;
	recorder->lost = lost;
	add_record(&bytes, PERF_RECORD_LOST, content, sizeof(content), 0, id);
	return outfile_move(recorder->file, &bytes);
}

int recorder_pass(struct recorder *recorder)
{
	static const struct perf_event_header round = {
		.type = PERF_FINISHED_ROUND,
		.size = sizeof(round),
	};
	if (!recorder->layout.described &&
	    (perf_layout_begin(&recorder->layout) || write_names(recorder)))
		return -1;
	if (perf_layout_describe(&recorder->layout))
		return -1;
	for (size_t i = 0; i < recorder->rings.count; i++)
		if (write_ring(recorder, &recorder->rings.rings[i]))
			return -1;
	if (recorder->has_lost && report_lost(recorder))
		return -1;
	if (!recorder->rounds)
		return 0;
	recorder->rounds--;
	return outfile_write(recorder->file, &round, sizeof(round));
}

int recorder_finish(struct recorder *recorder)
{
	perf_rings_stop(&recorder->rings);
	return recorder_pass(recorder) || report_lost(recorder) ||
	       recorder_pass(recorder) || perf_layout_finish(&recorder->layout) ? -1 : 0;
}

void recorder_close(struct recorder *recorder)
{
	perf_rings_close(&recorder->rings);
	perf_layout_free(&recorder->layout);
	bytes_free(&recorder->bytes);
}
