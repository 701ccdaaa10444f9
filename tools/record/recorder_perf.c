/* SPDX-License-Identifier: MIT */
/*
 * Recording through perf: what the kernel puts into its rings goes into the file as it
 * is, ring after ring, with a mark behind each pass (input/perf/sample_queue.h).
 *
 * Only its records of losses do not: they also count records of processes, which share
 * the rings. Since Linux 6.0 each perf event has a count of its own, and records made
 * from these take their place.
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

/* What every user may have, where no --buffer is given. */
#define BUFFER_LEAST ((size_t)64 << 10)

struct perf_recorder {
	struct perf_rings rings;
	struct perf_layout layout;
	int rounds; /* to be marked yet, so that readers let go of events */
	int has_lost; /* the kernel said so in this pass */
};

/*
 * Records of our own, as the dummy would have them: each ends with who, when, where and
 * of which event.
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

/* Names of processes that run already; perf script shows them. */

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
		message("There is no processor that can be recorded.");
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

/* Bytes at a place of two pieces; records are aligned, their headers are whole. */
static const uint8_t *at_of(const struct perf_pieces *pieces, size_t at)
{
	return at < pieces->length[0] ? pieces->at[0] + at :
					pieces->at[1] + (at - pieces->length[0]);
}

/* Records that go out together. */
struct stretch {
	size_t begin;
	size_t end;
	uint64_t events;
};

static int write_stretch(struct recorder *recorder, const struct perf_pieces *pieces,
			 const struct stretch *stretch)
{
	struct iovec parts[2];
	size_t at = stretch->begin;
	int count = 0;

	while (at < stretch->end) {
		size_t border = at < pieces->length[0] ? pieces->length[0] :
							 stretch->end;
		size_t end = border < stretch->end ? border : stretch->end;

		parts[count++] = (struct iovec){
			(void *)(uintptr_t)at_of(pieces, at), end - at,
		};
		at = end;
	}
	if (outfile_write_pieces(recorder->file, parts, count))
		return -1;
	recorder->events += stretch->events;
	return 0;
}

/* Does the record count losses? Whether it is to be left out, as we know better. */
static int take_lost(struct recorder *recorder, const struct perf_pieces *pieces,
		     size_t at, const struct perf_event_header *header)
{
	struct perf_recorder *perf = recorder->perf;
	uint64_t lost;

	if (header->type != PERF_RECORD_LOST || header->size < 24)
		return 0;
	perf->has_lost = 1;
	if (perf_rings_count_lost(&perf->rings))
		return 1;
	memcpy(&lost, at_of(pieces, at + 16), sizeof(lost));
	recorder->lost += lost;
	return 0;
}

static int write_records(struct recorder *recorder, const struct perf_pieces *pieces)
{
	size_t length = pieces->length[0] + pieces->length[1];
	struct perf_event_header header;
	struct stretch stretch = { 0 };

	while (stretch.end + sizeof(header) <= length) {
		size_t at = stretch.end;

		memcpy(&header, at_of(pieces, at), sizeof(header));
		if (header.size < sizeof(header))
			break;
		if (!take_lost(recorder, pieces, at, &header)) {
			stretch.end += header.size;
			stretch.events += header.type == PERF_RECORD_SAMPLE;
			continue;
		}
		if (write_stretch(recorder, pieces, &stretch))
			return -1;
		at += header.size;
		stretch = (struct stretch){ .begin = at, .end = at };
	}
	stretch.end = length;
	return write_stretch(recorder, pieces, &stretch);
}

static int write_ring(struct recorder *recorder, struct perf_ring *ring)
{
	struct perf_recorder *perf = recorder->perf;
	struct perf_pieces pieces = perf_ring_read(&perf->rings, ring);

	if (!pieces.length[0])
		return 0;
	if (write_records(recorder, &pieces))
		return -1;
	perf_ring_free(ring, pieces.end);
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
	free(perf);
}
