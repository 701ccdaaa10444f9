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
#include "perf_file.h"
#include "perf_rings.h"
#include "recorder.h"
#include "tracing_data_write.h"

/* Every user may have this much; the least without --buffer. */
#define BUFFER_LEAST ((size_t)64 << 10)

struct perf_recorder {
	struct perf_rings rings;
	struct perf_layout layout;
	int rounds; /* marks to write yet, so that readers release events */
	int has_lost; /* the kernel reported a loss in this pass */
	struct bytes bytes; /* of one ring */
};

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

static int write_bytes(struct recorder *recorder, struct bytes *bytes)
{
	int result = outfile_write(recorder->file, bytes->at, bytes->length);

	bytes_free(bytes);
	return result;
}

/* Names of processes that run already, which perf script shows. */

static void add_name(struct bytes *bytes, const char *pid, uint64_t id)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char name[64];
	} comm = { .name = "" };
	char path[64];
	uint64_t who;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	comm.pid = comm.tid = (uint32_t)atoi(pid);
	memcpy(&who, &comm, sizeof(who));
	if (fgets(comm.name, sizeof(comm.name), file)) {
		comm.name[strcspn(comm.name, "\n")] = '\0';
		add_record(bytes, PERF_RECORD_COMM, &comm,
			   8 + ((strlen(comm.name) + 8) & ~(size_t)7), who, id);
	}
	fclose(file);
}

static int write_names(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->perf;
	DIR *directory = opendir("/proc");
	struct bytes bytes = { 0 };
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_name(&bytes, entry->d_name,
				 perf->layout.events[0].opened.ids[0]);
	if (directory)
		closedir(directory);
	return write_bytes(recorder, &bytes);
}

/* Called by recording.c */

int recorder_begin(struct recorder *recorder)
{
	struct perf_recorder *perf = xcalloc(1, sizeof(*perf));
	struct perf_opened dummy = { .ids = NULL };
	size_t least = BUFFER_LEAST;
	int result;

	recorder->perf = perf;
	perf->layout.file = recorder->file;
	perf->layout.tracefs = recorder->tracefs;
	if (recorder->buffer_is_given)
		least = recorder->buffer;
	result = perf_rings_open(&perf->rings, recorder->buffer, least, recorder->target,
				 &dummy);
	if (!result && !dummy.id_count) {
		message("cannot record: perf opens no event on any processor");
		result = -1;
	}
	if (result) {
		free(dummy.ids);
		return result;
	}
	perf_layout_add(&perf->layout, &dummy, NULL);
	return 0;
}

int recorder_add(struct recorder *recorder, const struct listed_event *event)
{
	struct perf_recorder *perf = recorder->perf;
	struct perf_opened opened;
	char name[512];
	int result;

	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	result = perf_rings_add(&perf->rings, event->id, name, &opened);
	if (result) {
		free(opened.ids);
		return result;
	}
	recorder->tracepoints++;
	perf_layout_add(&perf->layout, &opened, event);
	return 0;
}

void recorder_wait(struct recorder *recorder, int milliseconds)
{
	struct perf_recorder *perf = recorder->perf;

	perf_rings_wait(&perf->rings, milliseconds);
}

/* Whether the record is a loss that report_lost() reports more exactly. */
static int take_lost(struct recorder *recorder, const uint8_t *record)
{
	struct perf_recorder *perf = recorder->perf;
	uint64_t lost;

	perf->has_lost = 1;
	if (perf_rings_count_lost(&perf->rings))
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
	struct perf_recorder *perf = recorder->perf;
	struct bytes *bytes = &perf->bytes;
	uint64_t events;

	bytes->length = 0;
	perf_ring_take(&perf->rings, ring, bytes);
	if (!bytes->length)
		return 0;
	events = sift(recorder, bytes);
	if (outfile_write(recorder->file, bytes->at, bytes->length))
		return -1;
	recorder->events += events;
	perf->rounds = 2;
	return 0;
}

/* The kernel reports a loss in a ring only with the next event that fits. */
static int report_lost(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->perf;
	uint64_t id = perf->layout.events[0].opened.ids[0];
	uint64_t lost = perf_rings_lost(&perf->rings);
	uint64_t content[2] = { id, lost - recorder->lost };
	struct bytes bytes = { 0 };

	perf->has_lost = 0;
	if (lost <= recorder->lost)
		return 0;
	recorder->lost = lost;
	add_record(&bytes, PERF_RECORD_LOST, content, sizeof(content), 0, id);
	return write_bytes(recorder, &bytes);
}

int recorder_pass(struct recorder *recorder)
{
	static const struct perf_event_header round = {
		.type = PERF_FINISHED_ROUND,
		.size = sizeof(round),
	};
	struct perf_recorder *perf = recorder->perf;

	if (!perf->layout.described &&
	    (perf_layout_begin(&perf->layout) || write_names(recorder)))
		return -1;
	if (perf_layout_describe(&perf->layout))
		return -1;
	for (size_t i = 0; i < perf->rings.count; i++)
		if (write_ring(recorder, &perf->rings.rings[i]))
			return -1;
	if (perf->has_lost && report_lost(recorder))
		return -1;
	if (!perf->rounds)
		return 0;
	perf->rounds--;
	return outfile_write(recorder->file, &round, sizeof(round));
}

int recorder_finish(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->perf;

	perf_rings_stop(&perf->rings);
	return recorder_pass(recorder) || report_lost(recorder) ||
	       recorder_pass(recorder) || perf_layout_finish(&perf->layout) ? -1 : 0;
}

void recorder_close(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->perf;

	if (!perf)
		return;
	perf_rings_close(&perf->rings);
	perf_layout_free(&perf->layout);
	bytes_free(&perf->bytes);
	free(perf);
}
