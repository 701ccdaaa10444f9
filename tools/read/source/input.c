/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input.h"

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
	return input_fails(input, "%s", strerror(error));
}

int input_is_cut_off(struct input *input, const char *within)
{
	if (input->source.error)
		return input_fails_with(input, input->source.error);
	return input_fails(input, "it is cut off at byte %llu, within %s",
			   (unsigned long long)input->source.offset, within);
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
