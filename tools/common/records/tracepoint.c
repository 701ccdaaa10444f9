/* SPDX-License-Identifier: MIT */
/* Parses the description of a tracepoint. */
#include "tracepoint.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define USUAL_FIELDS 64

static uint32_t byte_order(int is_big_endian)
{
	return is_big_endian ? UE_RECORD_BIG_ENDIAN : UE_RECORD_LITTLE_ENDIAN;
}

static struct tracepoint *allocate(void)
{
	static uint64_t serial;
	struct tracepoint *tracepoint = xcalloc(1, sizeof(*tracepoint));

	tracepoint->serial = ++serial;
	return tracepoint;
}

/* Parse the text of the format: 0 or -EBADMSG. */
static int parse(struct tracepoint *tracepoint, uint32_t order, size_t length)
{
	size_t room = 0;
	int count = USUAL_FIELDS;

	while (count > 0 && (size_t)count > room) {
		room = (size_t)count;
		tracepoint->fields = xrealloc(tracepoint->fields,
					      room * sizeof(*tracepoint->fields));
		count = ue_record_layout_parse(&tracepoint->format, tracepoint->system,
					       tracepoint->text, length,
					       tracepoint->fields, room, order);
	}
	return count < 0 ? count : 0;
}

static void parse_raw(struct tracepoint *tracepoint, uint32_t order)
{
	size_t name = strcspn(tracepoint->name, "\n"); /* a name has no newline */

	free(tracepoint->text);
	tracepoint->text = xprintf("name: %.*s\nID: 0\nformat:\n"
				   "\tfield:struct raw raw;\toffset:8;\tsize:0;\tsigned:0;\n",
				   name ? (int)name : 7, name ? tracepoint->name : "unknown");
	parse(tracepoint, order, strlen(tracepoint->text));
	tracepoint->format.common_size = 0; /* show these bytes too */
}

struct tracepoint *tracepoint_new(const char *system, const char *name,
				  const char *format, size_t length, int is_big_endian)
{
	struct tracepoint *tracepoint = allocate();
	uint32_t order = byte_order(is_big_endian);
	size_t name_length = name ? strlen(name) : 0;

	if (!name && format)
		name = format_line(format, length, "name", &name_length);
	tracepoint->system = xstrdup(system);
	tracepoint->is_multi = !strcmp(system, "user_events_multi");
	tracepoint->name = xstrndup(name ? name : "", name_length);
	if (format)
		tracepoint->text = memcpy(xmalloc(length), format, length);
	if (!format || parse(tracepoint, order, length))
		parse_raw(tracepoint, order);
	return tracepoint;
}

struct tracepoint *tracepoint_bare(const char *name)
{
	struct tracepoint *tracepoint = allocate();

	tracepoint->is_bare = 1;
	tracepoint->system = xstrdup("user_events");
	tracepoint->name = xstrdup(name);
	return tracepoint;
}

struct tracepoint *tracepoint_define(const char *definition, int is_big_endian)
{
	struct tracepoint *tracepoint = allocate();
	uint32_t order = byte_order(is_big_endian);
	int count;

	tracepoint->system = xstrdup("user_events");
	tracepoint->text = xstrdup(definition);
	count = ue_record_layout_define(&tracepoint->format, tracepoint->system,
					tracepoint->text, NULL, 0, order);
	if (count < 0) {
		tracepoint_free(tracepoint);
		return NULL;
	}
	tracepoint->name = xstrndup(definition, tracepoint->format.name_length);
	tracepoint->fields = xcalloc((size_t)count, sizeof(*tracepoint->fields));
	ue_record_layout_define(&tracepoint->format, tracepoint->system, tracepoint->text,
				tracepoint->fields, (size_t)count, order);
	return tracepoint;
}

void tracepoint_free(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	tracepoint->is_freed = 1;
	if (tracepoint->keepers)
		return;
	free(tracepoint->system);
	free(tracepoint->name);
	free(tracepoint->text);
	free(tracepoint->fields);
	free(tracepoint);
}

struct tracepoint *tracepoint_keep(struct tracepoint *tracepoint)
{
	tracepoint->keepers++;
	return tracepoint;
}

void tracepoint_release(struct tracepoint *tracepoint)
{
	tracepoint->keepers--;
	if (tracepoint->is_freed)
		tracepoint_free(tracepoint);
}

const char *format_line(const char *text, size_t length, const char *key,
			size_t *line_length)
{
	size_t key_length = strlen(key);

	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t line = end ? (size_t)(end - text) : length;

		if (line > key_length + 2 && !memcmp(text, key, key_length) &&
		    !memcmp(text + key_length, ": ", 2)) {
			*line_length = line - key_length - 2;
			return text + key_length + 2;
		}
		length -= end ? line + 1 : line;
		text += end ? line + 1 : line;
	}
	return NULL;
}
