/* SPDX-License-Identifier: MIT */
/*
 * Writes records into files.
 *
 * Each file of a rotation is a recording of its own, so it repeats facts of earlier
 * files: descriptions of all events, and names of threads and control groups. A file
 * ends between two records, at any place of a pass over the rings, so each record is in one
 * file.
 *
 * Before records are written, space for them and for the end of the file is reserved. A
 * disk that becomes full therefore ends a recording whose last file is complete, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "read/perf/perf_input.h"
#include "record/store/kept_records.h"
#include "recorder.h"

/* Space */

/* The recording ends, for want of space. */
static int end_early(struct recorder *recorder, const char *reason)
{
	const struct outfile *file = recorder->file;

	recorder->is_full = 1;
	if (recorder->is_fresh)
		message("cannot begin %s: %s", file->shown, reason);
	else
		message("cannot write all of %s: %s; it has the events up to then",
			file->shown, reason);
	return -1;
}

/* Whether this many bytes may be written; if not, after a message. */
static int has_space(struct recorder *recorder, uint64_t more)
{
	char reason[128];
	int error;

	if (!file_series_has_space(&recorder->series, recorder->file, more)) {
		snprintf(reason, sizeof(reason), "less than %s of its disk would be free",
			 recorder->series.keep_free.text);
		end_early(recorder, reason);
		return 0;
	}
	error = outfile_reserve(recorder->file, more);
	if (error)
		end_early(recorder, file_reason(error));
	return !error;
}

/* Files */

/* Descriptions stand at the beginning and at the end, and names at the beginning. */
static uint64_t size_of_frame(const struct recorder *recorder, size_t names)
{
	return 2 * recorder->layout.tail + names + 4096;
}

/* Begin the file that is open, or remove it, if there is no space for it. */
static int begin_file(struct recorder *recorder, uint64_t more)
{
	struct perf_layout *layout = &recorder->layout;
	AUTO(bytes_free) struct bytes names = { 0 };
	int result = -1;

	known_names_write(&recorder->names, layout->events[0].opened.ids[0], &names);
	recorder->is_fresh = 1;
	if (has_space(recorder, more + size_of_frame(recorder, names.length)))
		result = outfile_empty(recorder->file) || perf_layout_begin(layout) ||
			 outfile_write(recorder->file, names.at, names.length) ||
			 perf_layout_describe(layout) ? -1 : 0;
	recorder->begun = recorder->file->bytes;
	if (result && recorder->series.path)
		file_series_drop(&recorder->series, recorder->file);
	return result;
}

/* Complete the file, and begin the next one. */
static int next_file(struct recorder *recorder)
{
	if (perf_layout_finish(&recorder->layout) ||
	    file_series_close(&recorder->series, recorder->file) ||
	    file_series_open(&recorder->series, recorder->file) ||
	    begin_file(recorder, 0)) {
		recorder->is_full = 1;
		return -1;
	}
	file_series_limit(&recorder->series);
	return 0;
}

/* A file that could not be written is a stream up to there, which can be read. */
static int recorder_output_again(struct recorder *recorder)
{
	struct perf_layout *layout = &recorder->layout;

	recorder->is_full = 0;
	if (recorder->file->fd >= 0 && !recorder->file->has_failed)
		perf_layout_finish(layout);
	file_series_close(&recorder->series, recorder->file);
	if (perf_layout_measure(layout) ||
	    file_series_open(&recorder->series, recorder->file))
		return -1;
	file_series_limit(&recorder->series);
	return begin_file(recorder, 0);
}

int recorder_turn(struct recorder *recorder)
{
	return recorder->is_fresh || recorder->is_full ? 0 : next_file(recorder);
}

/* Half of a file is for records, even if its begin and end fill more than the other half. */
static uint64_t most_bytes(const struct recorder *recorder)
{
	const uint64_t half = recorder->file_size / 2;
	const uint64_t frame = recorder->begun + recorder->layout.tail;

	return frame > half ? frame + half : recorder->file_size;
}

/* The bytes that the file may still take, beside its end. */
static uint64_t room(const struct recorder *recorder)
{
	uint64_t used = recorder->file->bytes + recorder->layout.tail;
	uint64_t most = most_bytes(recorder);

	if (!recorder->file_size)
		return UINT64_MAX;
	return most > used ? most - used : 0;
}

int recorder_output_describe(struct recorder *recorder)
{
	struct perf_layout *layout = &recorder->layout;

	if (recorder->is_full || perf_layout_measure(layout))
		return recorder->is_full ? 0 : -1;
	if (recorder->kept.at)
		return 0;
	if (!layout->described)
		return begin_file(recorder, 0);
	if (perf_layout_is_described(layout))
		return 0;
	/* the end of the file has the new description, and more */
	if (layout->tail > room(recorder) && !recorder->is_fresh)
		return next_file(recorder);
	return has_space(recorder, 2 * layout->tail) ? perf_layout_describe(layout) : -1;
}

/* Records */

static size_t size_of(const uint8_t *record)
{
	return load_u16(record + 6, HOST_IS_BIG_ENDIAN);
}

static uint32_t type_of(const uint8_t *record)
{
	return load_u32(record, HOST_IS_BIG_ENDIAN);
}

/* A disk or a file is full but for less than this. */
#define WRITTEN_AT_ONCE ((size_t)64 << 10)

/* The records to write next, none if only another file has room for one. */
static size_t fitting(const struct recorder *recorder, const uint8_t *bytes, size_t length)
{
	uint64_t left = room(recorder);
	size_t fits = 0;

	if (left > WRITTEN_AT_ONCE)
		left = WRITTEN_AT_ONCE;
	if (length <= left)
		return length;
	while (fits + size_of(bytes + fits) <= left)
		fits += size_of(bytes + fits);
	return !fits && recorder->is_fresh ? size_of(bytes) : fits;
}

/* Count the events in the file, and keep all that the next one must repeat. */
static void note(struct recorder *recorder, const uint8_t *bytes, size_t length)
{
	for (size_t at = 0; at < length; at += size_of(bytes + at)) {
		recorder->events += type_of(bytes + at) == PERF_RECORD_SAMPLE;
		if (recorder->series.path)
			known_names_take(&recorder->names, bytes + at, recorder->time_at);
	}
	recorder->is_fresh = 0;
}

int recorder_output_put(struct recorder *recorder, const uint8_t *bytes, size_t length)
{
	while (length && !recorder->is_full && !recorder->kept.at) {
		size_t part = fitting(recorder, bytes, length);

		if (!part && next_file(recorder))
			return -1;
		if (!part)
			continue;
		if (!has_space(recorder, part + recorder->layout.tail) ||
		    outfile_write(recorder->file, bytes, part))
			return -1;
		note(recorder, bytes, part);
		bytes += part;
		length -= part;
	}
	if (recorder->kept.at)
		kept_records_add(&recorder->kept, bytes, length);
	return 0;
}

int recorder_output_finish(struct recorder *recorder)
{
	if (recorder->kept.at)
		return recorder_dump(recorder, 1);
	if (recorder->file->fd < 0)
		return -1;
	if (perf_layout_finish(&recorder->layout))
		return -1;
	return recorder->is_full ? -1 : 0;
}

/* Memory */

/* A record was replaced by newer ones. */
static void on_drop(void *context, const uint8_t *record)
{
	struct recorder *recorder = context;

	known_names_take(&recorder->names, record, recorder->time_at);
	if (type_of(record) != PERF_RECORD_SAMPLE)
		return;
	recorder->replaced++;
	if (sample_time(&recorder->samples, record) > recorder->replaced_until)
		recorder->replaced_until = sample_time(&recorder->samples, record);
}

/* A record is in a file. */
static void on_written(void *context, const uint8_t *record)
{
	struct recorder *recorder = context;

	known_names_take(&recorder->names, record, recorder->time_at);
}

void recorder_keep(struct recorder *recorder, uint64_t size)
{
	kept_records_open(&recorder->kept, size, on_drop, recorder);
}

/* Earlier ones of which a part was replaced are left out; see kept_records.h. */
static int is_wanted(const struct recorder *recorder, const uint8_t *record)
{
	return type_of(record) != PERF_RECORD_SAMPLE ||
	       (!recorder->replaced && !recorder->has_gaps) ||
	       sample_time(&recorder->samples, record) > recorder->replaced_until;
}

static int write_kept(struct recorder *recorder)
{
	AUTO(bytes_free) struct bytes bytes = { 0 };
	const uint8_t *record;
	size_t distance = 0;
	int result = 0;

	while (!result && (record = kept_records_next(&recorder->kept, &distance))) {
		if (is_wanted(recorder, record))
			bytes_add(&bytes, record, size_of(record));
		recorder->events += is_wanted(recorder, record) &&
				    type_of(record) == PERF_RECORD_SAMPLE;
		recorder->replaced += !is_wanted(recorder, record);
		if (bytes.length < WRITTEN_AT_ONCE)
			continue;
		result = outfile_write(recorder->file, bytes.at, bytes.length);
		bytes.length = 0;
	}
	if (!result)
		result = outfile_write(recorder->file, bytes.at, bytes.length);
	return result;
}

static int write_dump(struct recorder *recorder)
{
	struct outfile *file = recorder->file;
	uint64_t events = recorder->events, replaced = recorder->replaced;

	if (file_series_open(&recorder->series, file) ||
	    begin_file(recorder, recorder->kept.length) || write_kept(recorder) ||
	    perf_layout_finish(&recorder->layout) ||
	    file_series_close(&recorder->series, file)) {
		file_series_drop(&recorder->series, file);
		recorder->events = events;
		recorder->replaced = replaced;
		return -1;
	}
	events = recorder->events - events;
	message("%s has %llu event%s, %llu bytes.", file->shown, (unsigned long long)events,
		events == 1 ? "" : "s", (unsigned long long)file->bytes);
	return 0;
}

static int has_events(struct recorder *recorder)
{
	const uint8_t *record;
	size_t distance = 0;

	while ((record = kept_records_next(&recorder->kept, &distance)))
		if (type_of(record) == PERF_RECORD_SAMPLE)
			return 1;
	return 0;
}

int recorder_dump(struct recorder *recorder, int is_last)
{
	if (!has_events(recorder) && (!is_last || recorder->series.count)) {
		message(recorder->series.count ? "No event came since the last file." :
						 "No event came yet, so no file is written.");
		return 0;
	}
	if (write_dump(recorder)) {
		recorder->failed_dumps++;
		recorder->is_full = 0; /* the events are still there for the next time */
		return is_last ? -1 : 0;
	}
	recorder->kept.drop = on_written;
	kept_records_empty(&recorder->kept);
	recorder->kept.drop = on_drop;
	return 0;
}

/* Writes the records of a recorder a second time, into files that take turns. */

/* A disk that is full is asked again so often, which is also how often it is reported. */
#define AGAIN_NS ((int64_t)60 * 1000000000)

int second_output_begin(struct second_output *second, const char *tracefs)
{
	struct recorder *recorder = &second->recorder;

	second->file = (struct outfile){ .fd = -1 };
	*recorder = (struct recorder){
		.file = &second->file,
		.file_size = second->rotate,
		.series = { .files = second->files, .keep_free = second->keep_free },
		.layout = { .file = &second->file, .tracefs = tracefs },
	};
	if (file_series_begin(&recorder->series, second->path))
		return -1;
	file_series_adopt(&recorder->series);
	if (file_series_open(&recorder->series, &second->file))
		return -1;
	file_series_limit(&recorder->series);
	return 0;
}

void second_output_add(struct second_output *second, const struct perf_opened *opened,
		       const struct listed_event *event)
{
	struct perf_opened same = *opened;

	same.ids = xmalloc(opened->id_count * sizeof(*same.ids) + 1);
	if (opened->id_count)
		memcpy(same.ids, opened->ids, opened->id_count * sizeof(*same.ids));
	perf_layout_add(&second->recorder.layout, &same, event);
}

void second_output_extend(struct second_output *second, size_t event, uint64_t id)
{
	perf_layout_extend(&second->recorder.layout, event, id);
}

void second_output_name(struct second_output *second, const struct bytes *records,
			size_t time_at)
{
	second->recorder.time_at = time_at;
	known_names_take_all(&second->recorder.names, records, time_at);
}

static void count(struct second_output *second)
{
	const struct recorder *recorder = &second->recorder;
	const uint64_t open = second->file.fd < 0 ? 0 : second->file.bytes;

	atomic_store_explicit(&second->counts->events, recorder->events,
			      memory_order_relaxed);
	atomic_store_explicit(&second->counts->bytes, recorder->series.bytes + open,
			      memory_order_relaxed);
	atomic_store_explicit(&second->counts->files, recorder->series.count,
			      memory_order_relaxed);
	atomic_store_explicit(&second->counts->removed, recorder->series.removed,
			      memory_order_relaxed);
}

/* A failure is a full disk from here on, whatever its errno. */
static void note_failure(struct second_output *second)
{
	second->recorder.is_full = 1;
	second->again = clock_now(CLOCK_MONOTONIC) + AGAIN_NS;
}

/* Whether records can be written; begins another file now and then. */
static int is_open(struct second_output *second)
{
	if (!second->recorder.is_full)
		return 1;
	if (clock_now(CLOCK_MONOTONIC) < second->again)
		return 0;
	if (!recorder_output_again(&second->recorder))
		return 1;
	note_failure(second);
	return 0;
}

void second_output_describe(struct second_output *second)
{
	if (is_open(second) && recorder_output_describe(&second->recorder))
		note_failure(second);
	count(second);
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
static void take_names(struct second_output *second, const uint8_t *bytes, size_t length)
{
	struct perf_event_header header;

	for (size_t at = 0; at < length; at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		known_names_take(&second->recorder.names, bytes + at,
				 second->recorder.time_at);
	}
}

void second_output_put(struct second_output *second, const uint8_t *bytes, size_t length)
{
	const uint64_t before = second->recorder.events;
	const int was_open = is_open(second);
	uint64_t missed;

	if (was_open && !recorder_output_put(&second->recorder, bytes, length))
		return;
	if (was_open)
		note_failure(second);
	missed = samples_in(bytes, length) - (second->recorder.events - before);
	take_names(second, bytes, length);
	atomic_fetch_add_explicit(&second->counts->missed, missed, memory_order_relaxed);
}

void second_output_finish(struct second_output *second)
{
	if (!second->recorder.is_full)
		recorder_output_finish(&second->recorder);
	file_series_close(&second->recorder.series, &second->file);
	count(second);
}

void second_output_close(struct second_output *second)
{
	file_series_close(&second->recorder.series, &second->file);
	perf_layout_free(&second->recorder.layout);
	known_names_free(&second->recorder.names);
	file_series_free(&second->recorder.series);
}
