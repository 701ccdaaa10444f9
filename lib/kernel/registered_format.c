/* SPDX-License-Identifier: MIT */
/*
 * Compare a definition with the format file of a registered event. The file has a line
 * for each field:
 *
 *		field:u32 status;	offset:8;	size:4;	signed:0;
 *		field:char path[];	offset:12;	size:20;	signed:1;
 *
 * The kernel moves brackets from the type to the name and may print any number in them.
 * So the comparison skips the text in brackets, and includes the size.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe/definition.h"
#include "util/file_text.h"
#include "registered_format.h"

struct format_field {
	struct ue__span text; /* type, blank, and name */
	struct ue__span name;
	unsigned long size;
};

/* The name of "type name" or "type name[n]". */
static struct ue__span name_of(const char *begin, const char *end)
{
	const char *blank = memrchr(begin, ' ', (size_t)(end - begin));
	const char *name = blank ? blank + 1 : begin;
	const char *bracket = memchr(name, '[', (size_t)(end - name));

	return (struct ue__span){ name, (size_t)((bracket ? bracket : end) - name) };
}

/* The event's next own field. Returns 1, or 0 at the end. */
static int next_field(const char **at, struct format_field *field)
{
	const char *begin, *end, *size;

	do {
		begin = strstr(*at, "\tfield:");
		if (!begin)
			return 0;
		begin += strlen("\tfield:");
		end = strchr(begin, ';');
		size = end ? strstr(end, "\tsize:") : NULL;
		if (!size)
			return 0;
		field->text = (struct ue__span){ begin, (size_t)(end - begin) };
		field->name = name_of(begin, end);
		field->size = strtoul(size + strlen("\tsize:"), NULL, 10);
		*at = size;
	} while (ue__is_common_field(field->name));
	return 1;
}

/* The next byte outside brackets, or 0 at the end. */
static char next_byte(struct ue__span *text)
{
	const char *at = text->at, *end = at + text->length;

	while (at < end && *at == '[') {
		const char *close = memchr(at, ']', (size_t)(end - at));

		at = close ? close + 1 : end;
	}
	*text = (struct ue__span){ at < end ? at + 1 : end,
				   at < end ? (size_t)(end - at - 1) : 0 };
	return at < end ? *at : 0;
}

static int is_same(const struct format_field *theirs, const struct ue__field *ours)
{
	/* Type, one blank, and name. */
	struct ue__span a = theirs->text;
	struct ue__span b = { ours->type.at, (size_t)(ours->name.at + ours->name.length -
						      ours->type.at) };
	char byte;

	do {
		byte = next_byte(&a);
		if (byte != next_byte(&b))
			return 0;
	} while (byte);
	return theirs->size == ours->size;
}

int ue__format_matches(const char *format, const char *definition,
		       uint32_t name_length)
{
	struct format_field theirs;
	struct ue__fields fields;
	struct ue__field ours;

	ue__fields_begin(&fields, definition, name_length);
	while (ue__fields_next(&fields, &ours, NULL) > 0)
		if (!next_field(&format, &theirs) || !is_same(&theirs, &ours))
			return 0;
	return !next_field(&format, &theirs);
}

int ue__registered_as(const char *directory, const char *definition,
		      uint32_t name_length)
{
	int matches;
	char path[4096];
	size_t size;
	char *text;

	if (!directory)
		return 1;
	snprintf(path, sizeof(path), "%s/events/user_events/%.*s/format", directory,
		 (int)name_length, definition);
	text = ue__file_text(path, &size);
	if (!text)
		return 1;
	matches = ue__format_matches(text, definition, name_length);
	free(text);
	return matches;
}
