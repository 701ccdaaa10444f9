/* SPDX-License-Identifier: MIT */
/* Writes the records of a recorder a second time, into files that take turns. */
#include "recorder_copy.h"

#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "read/perf/perf_input.h"
#include "recorder.h"

/* A disk that is full is asked again so often, which is also how often it is reported. */
#define AGAIN_NS ((int64_t)60 * 1000000000)

int recorder_copy_begin(struct recorder_copy *copy, const char *tracefs)
{
	struct recorder *recorder = &copy->recorder;

	copy->file = (struct outfile){ .fd = -1 };
	*recorder = (struct recorder){
		.file = &copy->file,
		.file_size = copy->rotate,
		.series = { .files = copy->files, .keep_free = copy->keep_free },
		.layout = { .file = &copy->file, .tracefs = tracefs },
	};
	if (file_series_begin(&recorder->series, copy->path))
		return -1;
	file_series_adopt(&recorder->series);
	if (file_series_open(&recorder->series, &copy->file))
		return -1;
	file_series_limit(&recorder->series);
	return 0;
}

void recorder_copy_add(struct recorder_copy *copy, const struct perf_opened *opened,
		       const struct listed_event *event)
{
	struct perf_opened same = *opened;

	same.ids = xmalloc(opened->id_count * sizeof(*same.ids) + 1);
	if (opened->id_count)
		memcpy(same.ids, opened->ids, opened->id_count * sizeof(*same.ids));
	perf_layout_add(&copy->recorder.layout, &same, event);
}

void recorder_copy_extend(struct recorder_copy *copy, size_t event, uint64_t id)
{
	perf_layout_extend(&copy->recorder.layout, event, id);
}

void recorder_copy_name(struct recorder_copy *copy, const struct bytes *records,
			size_t time_at)
{
	copy->recorder.time_at = time_at;
	known_names_take_all(&copy->recorder.names, records, time_at);
}

static void count(struct recorder_copy *copy)
{
	const struct recorder *recorder = &copy->recorder;
	const uint64_t open = copy->file.fd < 0 ? 0 : copy->file.bytes;

	atomic_store_explicit(&copy->counts->events, recorder->events, memory_order_relaxed);
	atomic_store_explicit(&copy->counts->bytes, recorder->series.bytes + open,
			      memory_order_relaxed);
	atomic_store_explicit(&copy->counts->files, recorder->series.count,
			      memory_order_relaxed);
	atomic_store_explicit(&copy->counts->removed, recorder->series.removed,
			      memory_order_relaxed);
}

/* A failure is a full disk from here on, whatever its errno. */
static void note_failure(struct recorder_copy *copy)
{
	copy->recorder.is_full = 1;
	copy->again = clock_now(CLOCK_MONOTONIC) + AGAIN_NS;
}

/* Whether records can be written; begins another file now and then. */
static int is_open(struct recorder_copy *copy)
{
	if (!copy->recorder.is_full)
		return 1;
	if (clock_now(CLOCK_MONOTONIC) < copy->again)
		return 0;
	if (!recorder_output_again(&copy->recorder))
		return 1;
	note_failure(copy);
	return 0;
}

void recorder_copy_describe(struct recorder_copy *copy)
{
	if (is_open(copy) && recorder_output_describe(&copy->recorder))
		note_failure(copy);
	count(copy);
}

static uint64_t samples_in(const uint8_t *bytes, size_t length)
{
	struct perf_event_header header;
	uint64_t samples = 0;

	for (size_t at = 0; at < length; at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		samples += header.type == PERF_RECORD_SAMPLE;
	}
	return samples;
}

/* Those that name threads count for later files, also if they are in none. */
static void take_names(struct recorder_copy *copy, const uint8_t *bytes, size_t length)
{
	struct perf_event_header header;

	for (size_t at = 0; at < length; at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		known_names_take(&copy->recorder.names, bytes + at, copy->recorder.time_at);
	}
}

void recorder_copy_put(struct recorder_copy *copy, const uint8_t *bytes, size_t length)
{
	const uint64_t before = copy->recorder.events;
	const int was_open = is_open(copy);
	uint64_t missed;

	if (was_open && !recorder_output_put(&copy->recorder, bytes, length))
		return;
	if (was_open)
		note_failure(copy);
	missed = samples_in(bytes, length) - (copy->recorder.events - before);
	take_names(copy, bytes, length);
	atomic_fetch_add_explicit(&copy->counts->missed, missed, memory_order_relaxed);
}

void recorder_copy_finish(struct recorder_copy *copy)
{
	if (!copy->recorder.is_full)
		recorder_output_finish(&copy->recorder);
	file_series_close(&copy->recorder.series, &copy->file);
	count(copy);
}

void recorder_copy_close(struct recorder_copy *copy)
{
	file_series_close(&copy->recorder.series, &copy->file);
	perf_layout_free(&copy->recorder.layout);
	known_names_free(&copy->recorder.names);
	file_series_free(&copy->recorder.series);
}
