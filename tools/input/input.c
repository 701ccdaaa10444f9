/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Enough to tell the kinds apart. */
#define MAGIC_LENGTH 64u

int input_fails(struct input *input, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(input->problem, sizeof(input->problem), format, arguments);
	va_end(arguments);
	return -1;
}

int input_fails_with(struct input *input, int error)
{
	if (error == ENOMEM)
		return input_fails(input, "There is no memory left to read %s.",
				   input->shown);
	return input_fails(input, "Reading %s failed: %s.", input->shown,
			   strerror(error));
}

static int open_kind(struct input *input)
{
	size_t length = source_left(&input->source, MAGIC_LENGTH);
	const uint8_t *bytes = source_peek(&input->source, length);

	if (input->source.error)
		return input_fails_with(input, input->source.error);
	if (!length)
		return input_fails(input, "%s is empty.", input->shown);
	if (input_is_perf(bytes, length))
		return input_open_perf(input);
	if (input_is_trace_dat(bytes, length))
		return input_open_trace_dat(input);
	if (input_is_capture(bytes, length))
		return input_open_capture(input);
	if (input_is_events(bytes, length))
		return input_open_events(input);
	return input_fails(input, "%s is not a recording: neither perf.data, trace.dat, "
			   "a capture, nor a file of EventHeader events.", input->shown);
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
		return input_fails(input, "%s cannot be opened: %s.", input->shown,
				   strerror(-result));
	return open_kind(input);
}

int input_next(struct input *input, struct record *record)
{
	return input->kind->next(input, record);
}

void input_close(struct input *input)
{
	if (input->kind)
		input->kind->close(input);
	source_close(&input->source);
	input->kind = NULL;
}
