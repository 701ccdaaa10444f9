/* SPDX-License-Identifier: MIT */
/* Finds the kind of a recording by its first bytes. */
#include <string.h>

#include "common/cli/memory.h"
#include "read/perf/perf_input.h"
#include "open_input.h"
#include "common/records/ring_record.h"

/* Enough to tell the kinds apart. */
#define MAGIC_LENGTH 64u

/* perf wrote this magic before "PERFILE2". */
static int is_old_perf(const uint8_t *bytes, size_t length)
{
	return length >= strlen("PERFFILE") && !memcmp(bytes, "PERFFILE", strlen("PERFFILE"));
}

static int open_kind(struct input *input)
{
	size_t length = source_left(&input->source, MAGIC_LENGTH);
	const uint8_t *bytes = source_peek(&input->source, length);

	if (input->source.error)
		return input_fails_with(input, input->source.error);
	if (!length)
		return input_fails(input, "it is empty");
	if (input_is_perf(bytes, length))
		return input_open_perf(input);
	if (input_is_trace_dat(bytes, length))
		return input_open_trace_dat(input);
	if (input_is_capture(bytes, length))
		return input_open_capture(input);
	if (ring_begins(bytes, length))
		return input_open_ring(input);
	if (input_is_events(bytes, length))
		return input_open_events(input);
	if (is_old_perf(bytes, length))
		return input_fails(input, "it is a perf.data of the first format (PERFFILE), "
				   "which is not supported; perf script reads it");
	return input_fails(input, "it is not a recording: neither perf.data, trace.dat, "
				  "a capture, a ring, nor EventHeader events");
}

int input_open(struct input *input, const char *path)
{
	int result;

	*input = (struct input){
		.path = path,
		.shown = !*path ? "\"\"" : strcmp(path, "-") ? path : "standard input",
	};
	result = source_open(&input->source, path);
	if (result)
		return input_fails(input, "%s", file_reason(-result));
	return open_kind(input);
}
