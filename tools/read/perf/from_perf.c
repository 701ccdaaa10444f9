/* SPDX-License-Identifier: MIT */
/*
 * Recordings of perf(1): perf.data files, and the stream of "perf record -o -". Both are
 * records with a header each. A file describes them before and behind the records, a
 * stream in records of their own.
 */
#include "perf_input.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "common/cli/memory.h"

/*
 * Records that were compressed with zstd (perf record -z): one stream through all of the
 * recording. A record may begin in one compressed record and end in the next.
 */

#ifdef HAVE_LIBZSTD

/* Twice the size of the largest record. */
#define PLAIN_SIZE ((size_t)128 << 10)

struct perf_inflate {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	size_t begin; /* of plain bytes that were not returned yet */
	size_t end;
	int may_have_more; /* output that did not fit */
	uint8_t plain[PLAIN_SIZE];
};

/*
 * Begin to decompress a record, whose bytes must stay until perf_inflate_next() returned
 * 0. 0 or -1.
 */
static int perf_inflate_begin(struct input *input, const uint8_t *bytes, size_t length)
{
	struct perf_input *perf = input->state;

	if (!perf->inflate) {
		perf->inflate = xcalloc(1, sizeof(*perf->inflate));
		perf->inflate->stream = ZSTD_createDStream();
	}
	if (!perf->inflate->stream)
		memory_is_short();
	perf->inflate->in = (ZSTD_inBuffer){ bytes, length, 0 };
	return 0;
}

/* More plain bytes: 1, 0 when all is decompressed, -1. */
static int inflate_more(struct input *input, struct perf_inflate *inflate)
{
	ZSTD_outBuffer out = { inflate->plain, PLAIN_SIZE, 0 };
	size_t result;

	if (inflate->in.pos == inflate->in.size && !inflate->may_have_more)
		return 0;
	memmove(inflate->plain, inflate->plain + inflate->begin,
		inflate->end - inflate->begin);
	inflate->end -= inflate->begin;
	inflate->begin = 0;
	out.pos = inflate->end;
	result = ZSTD_decompressStream(inflate->stream, &out, &inflate->in);
	if (ZSTD_isError(result))
		return input_fails(input,
				   "it is damaged before byte %llu: its records cannot "
				   "be decompressed (%s)",
				   (unsigned long long)input->source.offset,
				   ZSTD_getErrorName(result));
	inflate->may_have_more = out.pos == out.size;
	inflate->end = out.pos;
	return 1;
}

/* 1 with the next decompressed record, 0 if there is none yet, -1. */
static int perf_inflate_next(struct input *input, const uint8_t **record)
{
	struct perf_input *perf = input->state;
	struct perf_inflate *inflate = perf->inflate;
	size_t size;
	int result;

	if (!inflate)
		return 0;
	for (;;) {
		*record = inflate->plain + inflate->begin;
		size = inflate->end - inflate->begin;
		if (size >= PERF_RECORD_HEADER_SIZE) {
			size_t wanted = load_u16(*record + 6,
						 perf->events.is_big_endian);

			if (wanted < PERF_RECORD_HEADER_SIZE)
				return input_fails(input, "it is damaged: a compressed "
							  "record has no length");
			if (wanted <= size) {
				inflate->begin += wanted;
				return 1;
			}
		}
		result = inflate_more(input, inflate);
		if (result <= 0)
			return result;
	}
}

static void perf_inflate_free(struct perf_inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

#else

static int perf_inflate_begin(struct input *input, const uint8_t *bytes, size_t length)
{
	(void)bytes;
	(void)length;
	return input_fails(
		input,
		"it is compressed, and this userevents was built without libzstd");
}

static int perf_inflate_next(struct input *input, const uint8_t **record)
{
	(void)input;
	(void)record;
	return 0;
}

static void perf_inflate_free(struct perf_inflate *inflate)
{
	(void)inflate;
}

#endif

/* Records */

static void take_sample(struct input *input, const uint8_t *body, size_t length,
			int is_lasting)
{
	struct perf_input *perf = input->state;
	struct queued_sample sample = {
		.body = body,
		.length = (uint16_t)length,
		.event = perf_sample_event(&perf->events, body, length),
	};

	if (sample.event == NO_EVENT) {
		input->unknown++;
		return;
	}
	sample.time = perf_sample_time(&perf->events,
				       &perf->events.events[sample.event], body, length);
	queue_add(&perf->queue, sample, is_lasting);
}

/* Threads that begin or end have a time of their own, which all recorders write. */
static uint64_t name_time(const struct perf_events *events, const uint8_t *record,
			  size_t size)
{
	const size_t head = PERF_RECORD_HEADER_SIZE;
	uint32_t type = load_u32(record, events->is_big_endian);

	if ((type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT) && size >= head + 24)
		return load_u64(record + head + 16, events->is_big_endian);
	return perf_record_time(events, record + head, size - head);
}

/* A name applies from its time on, so it goes to the samples. */
static void take_name(struct input *input, const uint8_t *record, size_t size,
		      int is_lasting)
{
	struct perf_input *perf = input->state;
	struct queued_sample name = {
		.time = name_time(&perf->events, record, size),
		.body = record,
		.length = (uint16_t)size,
		.is_name = 1,
	};

	queue_add(&perf->queue, name, is_lasting);
}

/* Take an attr, which has its own length, and the ids behind it. */
static int take_attr_record(struct input *input, const uint8_t *body, size_t length)
{
	struct perf_input *perf = input->state;
	int is_big_endian = perf->events.is_big_endian;
	size_t size = length >= 8 ? load_u32(body + 4, is_big_endian) : 0;
	long event;

	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size > length)
		return input_fails(
			input, "it is damaged: the description of an event is cut off");
	event = perf_take_attr(input, body, size);
	if (event < 0)
		return -1;
	for (; length - size >= 8; size += 8)
		key_table_set(&perf->events.ids, load_u64(body + size, is_big_endian),
			      (uint32_t)event);
	return 0;
}

/*
 * The number of bytes that follow a record beyond its length. They stand in the file or
 * stream itself, never compressed.
 */
static uint64_t length_behind(const struct perf_input *perf, uint32_t type,
			      const uint8_t *body, size_t length)
{
	int is_big_endian = perf->events.is_big_endian;

	if (type == PERF_TRACING_DATA && length >= 4)
		return load_u32(body, is_big_endian);
	if (type == PERF_AUXTRACE && length >= 8)
		return load_u64(body, is_big_endian);
	return 0;
}

/* The recorder reports the same loss when it happens and at its end. */
static void count_lost(struct input *input)
{
	struct perf_input *perf = input->state;

	input->doubt_until = INT64_MAX;
	perf->doubtful_rounds = 2;
	input->lost = perf->lost > perf->lost_samples ? perf->lost : perf->lost_samples;
}

/* The recorder counts losses after it copied a ring: a round later all is there. */
static void end_round(struct input *input)
{
	struct perf_input *perf = input->state;

	queue_round(&perf->queue);
	if (perf->doubtful_rounds && !--perf->doubtful_rounds)
		input->doubt_until = (int64_t)perf->queue.latest;
}

static int take_record(struct input *input, const uint8_t *record, int is_lasting)
{
	struct perf_input *perf = input->state;
	int is_big_endian = perf->events.is_big_endian;
	const uint8_t *body = record + PERF_RECORD_HEADER_SIZE;
	size_t length = load_u16(record + 6, is_big_endian) - PERF_RECORD_HEADER_SIZE;

	if (task_names_has(load_u32(record, is_big_endian)) ||
	    perf_code_has(load_u32(record, is_big_endian))) {
		take_name(input, record, PERF_RECORD_HEADER_SIZE + length, is_lasting);
		return 0;
	}
	switch (load_u32(record, is_big_endian)) {
	case PERF_RECORD_SAMPLE:
		take_sample(input, body, length, is_lasting);
		return 0;
	case PERF_RECORD_LOST:
		perf->lost += length >= 16 ? load_u64(body + 8, is_big_endian) : 0;
		count_lost(input);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		perf->lost_samples += length >= 8 ? load_u64(body, is_big_endian) : 0;
		count_lost(input);
		return 0;
	case PERF_FINISHED_ROUND:
		end_round(input);
		return 0;
	case PERF_HEADER_ATTR:
		return take_attr_record(input, body, length);
	case PERF_HEADER_FEATURE:
		if (length >= 8)
			perf_take_feature(input, load_u64(body, is_big_endian), body + 8,
					  length - 8);
		return 0;
	}
	return 0;
}

/* Reading */

static int take_behind(struct input *input, uint32_t type, uint64_t length)
{
	struct perf_input *perf = input->state;
	const uint8_t *bytes;

	if (type != PERF_TRACING_DATA)
		return source_skip(&input->source, length) ?
			       input_is_cut_off(input, "a record") :
			       0;
	/* the bytes of a stream do not stay */
	perf->tracing.is_copied = !source_is_lasting(&input->source);
	if (perf->tracing.is_copied && length > TRACING_DATA_MAX)
		return input_fails(input, "it is damaged: its description of "
					  "tracepoints is more than 64 MB");
	bytes = source_peek(&input->source, (size_t)length);
	if (!bytes)
		return input_is_cut_off(input, "a record");
	if (perf_take_tracing_data(input, bytes, (size_t)length))
		return -1;
	return source_skip(&input->source, length);
}

/* A record of the file or stream itself, perhaps a compressed one: 0 or -1. */
static int take_outer(struct input *input, const uint8_t *record, size_t size)
{
	struct perf_input *perf = input->state;
	int is_big_endian = perf->events.is_big_endian;
	const uint8_t *body = record + PERF_RECORD_HEADER_SIZE;
	size_t length = size - PERF_RECORD_HEADER_SIZE;
	uint32_t type = load_u32(record, is_big_endian);
	uint64_t behind = length_behind(perf, type, body, length);
	int result;

	if (type == PERF_COMPRESSED) {
		result = perf_inflate_begin(input, body, length);
	} else if (type == PERF_COMPRESSED2 && length >= 8) {
		uint64_t used = load_u64(body, is_big_endian);

		if (used > length - 8)
			used = length - 8;
		result = perf_inflate_begin(input, body + 8, (size_t)used);
	} else {
		result = take_record(input, record, source_is_lasting(&input->source));
	}
	source_skip(&input->source, size);
	return !result && behind ? take_behind(input, type, behind) : result;
}

/* The number of bytes of records that are left, up to wanted. */
static size_t left(struct input *input, size_t wanted)
{
	struct perf_input *perf = input->state;
	size_t got = source_left(&input->source, wanted);

	if (perf->is_pipe)
		return got;
	if (input->source.offset >= perf->end)
		return 0;
	if (perf->end - input->source.offset < got)
		got = (size_t)(perf->end - input->source.offset);
	return got;
}

/* Read one record: 1, 0 at the end, -1. */
static int read_record(struct input *input)
{
	struct perf_input *perf = input->state;
	const uint8_t *record;
	size_t size;
	int result = perf_inflate_next(input, &record);

	if (result < 0)
		return -1;
	if (result)
		return take_record(input, record, 0) ? -1 : 1;
	size = left(input, PERF_RECORD_HEADER_SIZE);
	if (!size && !input->source.error)
		return 0;
	if (size < PERF_RECORD_HEADER_SIZE)
		return input_is_cut_off(input, "a record");
	record = source_peek(&input->source, PERF_RECORD_HEADER_SIZE);
	size = load_u16(record + 6, perf->events.is_big_endian);
	if (size < PERF_RECORD_HEADER_SIZE)
		return input_fails(input,
				   "it is damaged at byte %llu: a record has no length",
				   (unsigned long long)input->source.offset);
	if (left(input, size) < size)
		return input_is_cut_off(input, "a record");
	return take_outer(input, source_peek(&input->source, size), size) ? -1 : 1;
}

static int finish(struct input *input)
{
	struct perf_input *perf = input->state;

	input->late = perf->queue.late;
	if (*input->problem)
		return -1;
	if (perf->is_unfinished)
		return input_fails(input, "it is not complete: its recorder was killed, "
					  "or the file was cut off");
	return 0;
}

static int next(struct input *input, struct record *record)
{
	struct perf_input *perf = input->state;
	struct queued_sample sample;

	for (;;) {
		while (queue_take(&perf->queue, &sample)) {
			int result = perf_take_queued(input, &sample, record);

			if (result)
				return result;
		}
		if (perf->is_over)
			return finish(input);
		if (read_record(input) <= 0) {
			perf->is_over = 1;
			queue_end(&perf->queue);
		}
	}
}

static void close_perf(struct input *input)
{
	AUTO_FREE struct perf_input *perf = input->state;

	perf_free_tracepoints(perf);
	perf_events_free(&perf->events);
	tracing_data_free(&perf->tracing);
	perf_inflate_free(perf->inflate);
	queue_free(&perf->queue);
	task_names_free(&perf->names);
	code_maps_free(&perf->code);
	free(perf->frames);
}

static const struct input_kind kind = { next, close_perf };

/* Opening */

int input_is_perf(const uint8_t *bytes, size_t length)
{
	return length >= PERF_PIPE_HEADER_SIZE &&
	       (load_u64(bytes, 0) == PERF_MAGIC || load_u64(bytes, 1) == PERF_MAGIC);
}

int input_open_perf(struct input *input)
{
	struct perf_input *perf = xcalloc(1, sizeof(*perf));
	const uint8_t *bytes = source_peek(&input->source, PERF_PIPE_HEADER_SIZE);
	uint64_t size;
	int result;

	input->state = perf;
	input->kind = &kind;
	perf->events.is_big_endian = load_u64(bytes, 1) == PERF_MAGIC;
	size = load_u64(bytes + 8, perf->events.is_big_endian);
	perf->is_pipe = size == PERF_PIPE_HEADER_SIZE;
	if (perf->is_pipe)
		return source_skip(&input->source, size);
	if (size < PERF_HEADER_SIZE)
		return input_fails(input,
				   "it is damaged: its header cannot have %llu bytes",
				   (unsigned long long)size);
	result = source_spool(&input->source);
	return result ? input_fails_with(input, -result) : perf_read_file_header(input);
}
