/* SPDX-License-Identifier: MIT */
/* A part of a text, without a NUL of its own, and how parsers take it to pieces. */
#ifndef UE__UTIL_SPAN_H
#define UE__UTIL_SPAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ue__span {
	const char *at;
	size_t length;
};

static inline struct ue__span ue__span(const char *at, const char *end)
{
	return (struct ue__span){ at, (size_t)(end - at) };
}

static inline struct ue__span ue__span_after(struct ue__span span, size_t length)
{
	return (struct ue__span){ span.at + length, span.length - length };
}

static inline int ue__span_begins(struct ue__span span, const char *prefix)
{
	size_t length = strlen(prefix);

	return span.length >= length && !memcmp(span.at, prefix, length);
}

static inline int ue__span_is(struct ue__span span, const char *text)
{
	return span.length == strlen(text) && !memcmp(span.at, text, span.length);
}

/* Remove this prefix: 1, or 0 without it. */
static inline int ue__span_drop(struct ue__span *span, const char *prefix)
{
	if (!ue__span_begins(*span, prefix))
		return 0;
	*span = ue__span_after(*span, strlen(prefix));
	return 1;
}

/* Remove the first line, which becomes *line without its newline: 1, or 0 at the end. */
static inline int ue__span_line(struct ue__span *text, struct ue__span *line)
{
	const char *end = text->length ? memchr(text->at, '\n', text->length) : NULL;

	*line = *text;
	if (!text->length)
		return 0;
	if (end)
		line->length = (size_t)(end - text->at);
	*text = ue__span_after(*text, line->length + (end != NULL));
	return 1;
}

/* Remove decimal digits: 1, or 0 without any, or when they do not fit into 32 bits. */
static inline int ue__span_number(struct ue__span *span, uint32_t *number)
{
	uint64_t sum = 0;
	size_t digits = 0;

	while (digits < span->length && span->at[digits] >= '0' &&
	       span->at[digits] <= '9') {
		sum = sum * 10 + (uint64_t)(span->at[digits] - '0');
		if (sum > UINT32_MAX)
			return 0;
		digits++;
	}
	*span = ue__span_after(*span, digits);
	*number = (uint32_t)sum;
	return digits > 0;
}

#endif
