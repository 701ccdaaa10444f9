/* SPDX-License-Identifier: MIT */
/*
 * Records that were compressed with zstd (perf record -z): one stream through all of the
 * recording. A record may begin in one compressed record and end in the next.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "perf_input.h"

#ifdef HAVE_LIBZSTD

#include <zstd.h>

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

int perf_inflate_begin(struct input *input, const uint8_t *bytes, size_t length)
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

int perf_inflate_next(struct input *input, const uint8_t **record)
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

void perf_inflate_free(struct perf_inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

#else

int perf_inflate_begin(struct input *input, const uint8_t *bytes, size_t length)
{
	(void)bytes;
	(void)length;
	return input_fails(
		input,
		"it is compressed, and this userevents was built without libzstd");
}

int perf_inflate_next(struct input *input, const uint8_t **record)
{
	(void)input;
	(void)record;
	return 0;
}

void perf_inflate_free(struct perf_inflate *inflate)
{
	(void)inflate;
}

#endif
