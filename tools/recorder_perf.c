/* SPDX-License-Identifier: MIT */
/*
 * Recording through perf, in the layout that "perf record -o -" writes: each record
 * that describes something comes before the first that needs it. A file can be cut off
 * anywhere, and all that is before can be read: so it does not matter how we end.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cursor.h"
#include "input_perf.h"
#include "message.h"
#include "perf_rings.h"
#include "recorder.h"
#include "tracing_data_write.h"

struct perf_recorder {
	struct perf_rings rings;
	uint64_t last_lost_id; /* an id, for telling of losses that nobody else tells */
	int rounds;	       /* to be written yet, so that readers let go of events */
};

/* Records */

static void begin_record(struct bytes *bytes, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	bytes_add(bytes, &header, sizeof(header));
}

/* The record that began at some place ends here. */
static void end_record(struct bytes *bytes, size_t begin)
{
	static const uint8_t zeros[8];
	uint16_t size;

	bytes_add(bytes, zeros, -bytes->length & 7);
	size = (uint16_t)(bytes->length - begin);
	if (!bytes->has_failed)
		memcpy(bytes->at + begin + offsetof(struct perf_event_header, size), &size,
		       sizeof(size));
}

static int write_bytes(struct recorder *recorder, struct bytes *bytes)
{
	int result = -1;

	if (bytes->has_failed)
		message("There is no memory left.");
	else
		result = outfile_write(recorder->file, bytes->at, bytes->length);
	bytes_free(bytes);
	return result;
}

/* The largest record has 65535 bytes; of more ids, further records tell. */
#define IDS_MAX 8000u

static void add_attr(struct bytes *bytes, const struct perf_opened *opened)
{
	size_t done = 0;

	do {
		size_t begin = bytes->length, count = opened->id_count - done;

		if (count > IDS_MAX)
			count = IDS_MAX;
		begin_record(bytes, PERF_HEADER_ATTR, 0);
		bytes_add(bytes, &opened->attr, sizeof(opened->attr));
		bytes_add(bytes, opened->ids + done, count * sizeof(*opened->ids));
		end_record(bytes, begin);
		done += count;
	} while (done < opened->id_count);
}

static int add_tracing_data(struct bytes *bytes, struct recorder *recorder,
			    const struct listed_event *event)
{
	struct bytes data = { 0 };
	size_t begin = bytes->length;

	if (tracing_data_write(&data, "0.6", recorder->tracefs, event, event ? 1 : 0)) {
		bytes_free(&data);
		return -1;
	}
	while (data.length % 8)
		bytes_add(&data, "", 1);
	begin_record(bytes, PERF_TRACING_DATA, 0);
	bytes_add_u32(bytes, (uint32_t)data.length);
	bytes_add_u32(bytes, 0);
	end_record(bytes, begin);
	bytes_add(bytes, data.at, data.length);
	bytes_free(&data);
	return 0;
}

static void add_feature(struct bytes *bytes, uint64_t feature, const void *content,
			size_t length)
{
	size_t begin = bytes->length;

	begin_record(bytes, PERF_HEADER_FEATURE, 0);
	bytes_add_u64(bytes, feature);
	bytes_add(bytes, content, length);
	end_record(bytes, begin);
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Texts of features have their length before them, with padding. */
static void add_text_feature(struct bytes *bytes, uint64_t feature, const char *text)
{
	char content[4 + 128] = { 0 };
	uint32_t length = 128;

	memcpy(content, &length, sizeof(length));
	snprintf(content + 4, 128, "%s", text);
	add_feature(bytes, feature, content, sizeof(content));
}

static void add_features(struct bytes *bytes)
{
	const struct {
		uint32_t version;
		uint32_t clock;
		uint64_t wall;
		uint64_t time;
	} clock_data = { 1, CLOCK_MONOTONIC, now(CLOCK_REALTIME), now(CLOCK_MONOTONIC) };
	const uint64_t resolution = 1;
	struct utsname names;

	if (!uname(&names)) {
		add_text_feature(bytes, PERF_FEATURE_HOSTNAME, names.nodename);
		add_text_feature(bytes, PERF_FEATURE_OSRELEASE, names.release);
		add_text_feature(bytes, PERF_FEATURE_ARCH, names.machine);
	}
	add_feature(bytes, PERF_FEATURE_CLOCKID, &resolution, sizeof(resolution));
	add_feature(bytes, PERF_FEATURE_CLOCK_DATA, &clock_data, sizeof(clock_data));
}

/* Names of processes that run already; perf script shows them. */

static void add_comm(struct bytes *bytes, const struct perf_opened *dummy, pid_t pid,
		     const char *name)
{
	const uint32_t ids[2] = { (uint32_t)pid, (uint32_t)pid };
	size_t begin = bytes->length;

	begin_record(bytes, PERF_RECORD_COMM, 0);
	bytes_add(bytes, ids, sizeof(ids));
	bytes_add_text(bytes, name);
	while (bytes->length % 8)
		bytes_add(bytes, "", 1);
	/* what every record of the dummy ends with: who, when, where, of which event */
	bytes_add(bytes, ids, sizeof(ids));
	bytes_add_u64(bytes, 0);
	bytes_add_u64(bytes, 0);
	bytes_add_u64(bytes, dummy->ids[0]);
	end_record(bytes, begin);
}

static void add_comm_of(struct bytes *bytes, const struct perf_opened *dummy,
			const char *pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		add_comm(bytes, dummy, (pid_t)atoi(pid), name);
	}
	fclose(file);
}

static void add_comms(struct bytes *bytes, const struct perf_opened *dummy)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_comm_of(bytes, dummy, entry->d_name);
	if (directory)
		closedir(directory);
}

/* The kind */

static int begin(struct recorder *recorder)
{
	static const uint64_t header[2] = { PERF_MAGIC, PERF_PIPE_HEADER_SIZE };
	struct perf_recorder *perf = calloc(1, sizeof(*perf));
	struct perf_opened dummy = { .ids = NULL };
	struct bytes bytes = { 0 };
	int result;

	recorder->state = perf;
	if (!perf) {
		message("There is no memory left.");
		return -1;
	}
	result = perf_rings_open(&perf->rings, recorder->buffer, recorder->target, &dummy);
	if (!result && !dummy.id_count) {
		message("No processor can be recorded.");
		result = -1;
	}
	if (!result) {
		bytes_add(&bytes, header, sizeof(header));
		add_attr(&bytes, &dummy);
		add_features(&bytes);
		result = add_tracing_data(&bytes, recorder, NULL);
	}
	if (!result) {
		add_comms(&bytes, &dummy);
		perf->last_lost_id = dummy.ids[0];
		result = write_bytes(recorder, &bytes);
	}
	bytes_free(&bytes);
	free(dummy.ids);
	return result;
}

static int add(struct recorder *recorder, const struct listed_event *event)
{
	struct perf_recorder *perf = recorder->state;
	struct perf_opened opened;
	struct bytes bytes = { 0 };
	char name[512];
	int result;

	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	result = perf_rings_add(&perf->rings, event->id, name, &opened);
	if (!result) {
		add_attr(&bytes, &opened);
		result = add_tracing_data(&bytes, recorder, event);
	}
	if (!result && opened.id_count)
		perf->last_lost_id = opened.ids[0];
	if (!result)
		result = write_bytes(recorder, &bytes);
	bytes_free(&bytes);
	free(opened.ids);
	recorder->tracepoints += !result;
	return result;
}

static void wait_for_events(struct recorder *recorder, int milliseconds)
{
	struct perf_recorder *perf = recorder->state;

	perf_rings_wait(&perf->rings, milliseconds);
}

/* Bytes at a place of two pieces; records are aligned, their headers are whole. */
static const uint8_t *at_of(const struct perf_pieces *pieces, size_t at)
{
	return at < pieces->length[0] ? pieces->at[0] + at :
					pieces->at[1] + (at - pieces->length[0]);
}

static void count(struct recorder *recorder, const struct perf_pieces *pieces)
{
	size_t length = pieces->length[0] + pieces->length[1], at = 0;
	struct perf_event_header header;
	uint64_t lost;

	while (at + sizeof(header) <= length) {
		memcpy(&header, at_of(pieces, at), sizeof(header));
		if (header.size < sizeof(header))
			return;
		if (header.type == PERF_RECORD_SAMPLE)
			recorder->events++;
		if (header.type == PERF_RECORD_LOST && header.size >= 24) {
			memcpy(&lost, at_of(pieces, at + 16), sizeof(lost));
			recorder->lost += lost;
		}
		at += header.size;
	}
}

static int write_ring(struct recorder *recorder, struct perf_ring *ring)
{
	struct perf_recorder *perf = recorder->state;
	struct perf_pieces pieces = perf_ring_read(&perf->rings, ring);
	struct iovec parts[2];

	if (!pieces.length[0])
		return 0;
	for (int i = 0; i < 2; i++)
		parts[i] = (struct iovec){ (void *)(uintptr_t)pieces.at[i],
					   pieces.length[i] };
	if (outfile_write_pieces(recorder->file, parts, 2))
		return -1;
	count(recorder, &pieces);
	perf_ring_free(ring, pieces.end);
	perf->rounds = 2;
	return 0;
}

static int pass(struct recorder *recorder)
{
	static const struct perf_event_header round = {
		.type = PERF_FINISHED_ROUND,
		.size = sizeof(round),
	};
	struct perf_recorder *perf = recorder->state;

	for (size_t i = 0; i < perf->rings.count; i++)
		if (write_ring(recorder, &perf->rings.rings[i]))
			return -1;
	if (!perf->rounds)
		return 0;
	perf->rounds--;
	return outfile_write(recorder->file, &round, sizeof(round));
}

/* The kernel tells of a loss in a ring only with the next event that fits. */
static int tell_lost(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->state;
	uint64_t lost = perf_rings_lost(&perf->rings);
	struct bytes bytes = { 0 };
	size_t begin = 0;

	if (lost <= recorder->lost)
		return 0;
	begin_record(&bytes, PERF_RECORD_LOST, 0);
	bytes_add_u64(&bytes, perf->last_lost_id);
	bytes_add_u64(&bytes, lost - recorder->lost);
	for (int i = 0; i < 3; i++)
		bytes_add_u64(&bytes, 0);
	bytes_add_u64(&bytes, perf->last_lost_id);
	end_record(&bytes, begin);
	recorder->lost = lost;
	return write_bytes(recorder, &bytes);
}

static int finish(struct recorder *recorder)
{
	perf_rings_stop(&((struct perf_recorder *)recorder->state)->rings);
	return pass(recorder) || tell_lost(recorder) || pass(recorder) ? -1 : 0;
}

static void close_perf(struct recorder *recorder)
{
	struct perf_recorder *perf = recorder->state;

	if (perf)
		perf_rings_close(&perf->rings);
	free(perf);
}

const struct recorder_kind recorder_perf = {
	begin, add, wait_for_events, pass, finish, close_perf,
};
