/* SPDX-License-Identifier: MIT */
#include "tracing_data.h"

#include <stdlib.h>
#include <string.h>

#include "cursor.h"

static const char cut_off[] = "ends too early";
static const char no_memory[] = "does not fit into memory";

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

static uint64_t format_id(const char *text, size_t length)
{
	size_t digits;
	const char *line = format_line(text, length, "ID", &digits);
	uint64_t id = 0;

	if (!line || digits > 10)
		return UINT64_MAX;
	for (; digits; digits--, line++) {
		if (*line < '0' || *line > '9')
			return UINT64_MAX;
		id = id * 10 + (uint64_t)(*line - '0');
	}
	return id;
}

static int add_format(struct tracing_data *data, const char *system, const uint8_t *text,
		      size_t length)
{
	/* room doubles at 16, 32, 64... */
	if (data->count < 16 ? !data->count : !(data->count & (data->count - 1))) {
		size_t room = data->count < 16 ? 16 : data->count * 2;
		void *formats = realloc(data->formats, room * sizeof(*data->formats));

		if (!formats)
			return -1;
		data->formats = formats;
	}
	data->formats[data->count++] = (struct event_format){
		.id = format_id((const char *)text, length),
		.system = system,
		.text = (const char *)text,
		.length = length,
	};
	return 0;
}

/* Texts with their lengths before them. */
static const char *parse_formats(struct tracing_data *data, struct cursor *cursor,
				 const char *system)
{
	uint32_t count = cursor_u32(cursor);

	while (count-- && !cursor->is_short) {
		uint64_t length = cursor_u64(cursor);
		const uint8_t *text = cursor_take(cursor, length);

		if (text && add_format(data, system, text, (size_t)length))
			return no_memory;
	}
	return cursor->is_short ? cut_off : NULL;
}

static const char *parse_systems(struct tracing_data *data, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	const char *error = NULL;

	while (count-- && !cursor->is_short && !error) {
		const char *system = cursor_text(cursor);

		if (system)
			error = parse_formats(data, cursor, system);
	}
	return cursor->is_short ? cut_off : error;
}

/* header_page and header_event: descriptions of ftrace's buffers, not needed here. */
static int skip_header(struct cursor *cursor, const char *name)
{
	const char *text = cursor_text(cursor);

	if (!text || strcmp(text, name))
		return -1;
	cursor_take(cursor, cursor_u64(cursor));
	return 0;
}

static const char *parse(struct tracing_data *data, struct cursor *cursor)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t *begin = cursor_take(cursor, sizeof(magic) - 1);
	const char *error;

	if (!begin || memcmp(begin, magic, sizeof(magic) - 1))
		return "does not begin as it should";
	cursor_text(cursor); /* the version */
	data->is_big_endian = cursor_u8(cursor) != 0;
	cursor->is_big_endian = data->is_big_endian;
	cursor_u8(cursor); /* the size of long */
	cursor_u32(cursor); /* the size of a page */
	if (skip_header(cursor, "header_page") || skip_header(cursor, "header_event"))
		return "lacks its headers";
	error = parse_formats(data, cursor, "ftrace");
	return error ? error : parse_systems(data, cursor);
}

static int by_id(const void *a, const void *b)
{
	const struct event_format *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

const char *tracing_data_parse(struct tracing_data *data, const uint8_t *bytes,
			       size_t length)
{
	struct cursor cursor = cursor_of(bytes, length, 0);
	const char *error;

	*data = (struct tracing_data){ 0 };
	error = parse(data, &cursor);
	if (data->count)
		qsort(data->formats, data->count, sizeof(*data->formats), by_id);
	return error;
}

void tracing_data_free(struct tracing_data *data)
{
	free(data->formats);
	*data = (struct tracing_data){ 0 };
}

struct event_format *tracing_data_find(const struct tracing_data *data, uint64_t id)
{
	struct event_format key = { .id = id };

	if (!data->count || id == UINT64_MAX)
		return NULL;
	return bsearch(&key, data->formats, data->count, sizeof(key), by_id);
}
