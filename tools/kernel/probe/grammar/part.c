/* SPDX-License-Identifier: MIT */
/* Reads names and numbers in parts of a definition, and keeps its first fault. */
#include <stdarg.h>
#include <string.h>

#include "common/cli/memory.h"
#include "probe.h"

int fault_at(struct fault *fault, size_t at, const char *format, ...)
{
	va_list arguments;

	if (fault->reason)
		return -1;
	va_start(arguments, format);
	fault->reason = xvprintf(format, arguments);
	va_end(arguments);
	fault->at = at;
	return -1;
}

char *part_text(struct part part)
{
	return xstrndup(part.length ? part.at : "", part.length);
}

int part_is(struct part part, const char *text)
{
	return part.length == strlen(text) && !memcmp(part.at, text, part.length);
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int part_is_name(struct part part)
{
	if (!part.length || !is_letter(*part.at))
		return 0;
	for (size_t i = 1; i < part.length; i++)
		if (!is_letter(part.at[i]) && !is_digit(part.at[i]))
			return 0;
	return 1;
}

static unsigned digit_of(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

int part_number(struct part part, uint64_t *number)
{
	unsigned base = 10;

	*number = 0;
	if (part.length > 1 && part.at[0] == '0') {
		base = (part.at[1] | 0x20) == 'x' ? 16 : 8;
		part.at += base == 16 ? 2 : 1;
		part.length -= base == 16 ? 2 : 1;
	}
	if (!part.length)
		return -1;
	for (size_t i = 0; i < part.length; i++) {
		const unsigned digit = digit_of(part.at[i]);

		if (digit >= base || __builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return -1;
	}
	return 0;
}
