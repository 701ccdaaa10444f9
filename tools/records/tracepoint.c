/* SPDX-License-Identifier: MIT */
#include "tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_FIELDS 64u

static uint32_t byte_order(const struct tracepoint_parts *parts)
{
	return parts->is_big_endian ? UE_RECORD_BIG_ENDIAN : UE_RECORD_LITTLE_ENDIAN;
}

/* The format of text: 0, -EBADMSG or -ENOMEM. */
static int parse(struct tracepoint *tracepoint, const struct tracepoint_parts *parts,
		 size_t length)
{
	size_t room = USUAL_FIELDS;

	for (;;) {
		void *fields = realloc(tracepoint->fields,
				       room * sizeof(*tracepoint->fields));
		int count;

		if (!fields)
			return -ENOMEM;
		tracepoint->fields = fields;
		count = ue_record_layout_parse(&tracepoint->format, tracepoint->system,
					       tracepoint->text, length, fields, room,
					       byte_order(parts));
		if (count < 0)
			return count;
		if ((size_t)count <= room)
			return 0;
		room = (size_t)count;
	}
}

static int parse_given(struct tracepoint *tracepoint,
		       const struct tracepoint_parts *parts)
{
	if (!parts->format)
		return -EBADMSG;
	tracepoint->text = malloc(parts->format_length + 1);
	if (!tracepoint->text)
		return -ENOMEM;
	memcpy(tracepoint->text, parts->format, parts->format_length);
	return parse(tracepoint, parts, parts->format_length);
}

static int parse_raw(struct tracepoint *tracepoint, const struct tracepoint_parts *parts)
{
	size_t name = strcspn(tracepoint->name, "\n"); /* what is behind is no name */
	int length, result;

	free(tracepoint->text);
	length = asprintf(&tracepoint->text,
			  "name: %.*s\nID: 0\nformat:\n"
			  "\tfield:struct raw raw;\toffset:8;\tsize:0;\tsigned:0;\n",
			  name ? (int)name : 7, name ? tracepoint->name : "unknown");
	if (length < 0) {
		tracepoint->text = NULL;
		return -ENOMEM;
	}
	result = parse(tracepoint, parts, (size_t)length);
	tracepoint->format.common_size = 0; /* show these bytes too */
	return result;
}

static int fill(struct tracepoint *tracepoint, const struct tracepoint_parts *parts)
{
	int result;

	tracepoint->is_bare = parts->is_bare;
	tracepoint->system = strndup(parts->system, parts->system_length);
	tracepoint->name = strndup(parts->name, parts->name_length);
	if (!tracepoint->system || !tracepoint->name)
		return -ENOMEM;
	if (parts->is_bare)
		return 0;
	result = parse_given(tracepoint, parts);
	return result == -EBADMSG ? parse_raw(tracepoint, parts) : result;
}

struct tracepoint *tracepoint_new(const struct tracepoint_parts *parts)
{
	struct tracepoint *tracepoint = calloc(1, sizeof(*tracepoint));

	if (tracepoint && fill(tracepoint, parts)) {
		tracepoint_free(tracepoint);
		return NULL;
	}
	return tracepoint;
}

static int define(struct tracepoint *tracepoint, const char *definition, uint32_t order)
{
	int count;

	tracepoint->system = strdup("user_events");
	tracepoint->text = strdup(definition);
	if (!tracepoint->system || !tracepoint->text)
		return -ENOMEM;
	count = ue_record_layout_define(&tracepoint->format, tracepoint->system,
					tracepoint->text, NULL, 0, order);
	if (count < 0)
		return count;
	tracepoint->name = strndup(definition, tracepoint->format.name_length);
	tracepoint->fields = calloc((size_t)count + 1, sizeof(*tracepoint->fields));
	if (!tracepoint->name || !tracepoint->fields)
		return -ENOMEM;
	ue_record_layout_define(&tracepoint->format, tracepoint->system, tracepoint->text,
				tracepoint->fields, (size_t)count, order);
	return 0;
}

int tracepoint_define(struct tracepoint **made, const char *definition,
		      int is_big_endian)
{
	uint32_t order = is_big_endian ? UE_RECORD_BIG_ENDIAN : UE_RECORD_LITTLE_ENDIAN;
	struct tracepoint *tracepoint = calloc(1, sizeof(*tracepoint));
	int result = tracepoint ? define(tracepoint, definition, order) : -ENOMEM;

	if (result)
		tracepoint_free(tracepoint);
	else
		*made = tracepoint;
	return result;
}

void tracepoint_free(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	free(tracepoint->system);
	free(tracepoint->name);
	free(tracepoint->text);
	free(tracepoint->fields);
	free(tracepoint);
}
