/* SPDX-License-Identifier: MIT */
/* Parses descriptions of tracepoints, and finds one by id. */
#include "perf_input.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"

static const char cut_off[] = "ends too early";
static const char too_much[] = "is more than 64 MB";

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

/* A stream may repeat a description. */
static int is_known(const struct tracing_data *data, const struct event_format *format)
{
	const struct event_format *known = tracing_data_find(data, format->id);

	return known && known->length == format->length &&
	       !memcmp(known->text, format->text, format->length) &&
	       !strcmp(known->system, format->system);
}

/* The system's name goes behind the text. */
static const char *copy_texts(struct tracing_data *data, struct event_format *format)
{
	size_t name_length = strlen(format->system) + 1;
	size_t length = format->length + name_length;
	char *copy;

	if (length > TRACING_DATA_MAX - data->copied)
		return too_much;
	copy = xmalloc(length);
	memcpy(copy, format->text, format->length);
	memcpy(copy + format->length, format->system, name_length);
	format->text = copy;
	format->system = copy + format->length;
	data->copied += length;
	return NULL;
}

static const char *add_format(struct tracing_data *data, const char *system,
			      const uint8_t *text, size_t length)
{
	struct event_format format = {
		.id = format_id((const char *)text, length),
		.system = system,
		.text = (const char *)text,
		.length = length,
	};
	const char *error;

	if (is_known(data, &format))
		return NULL;
	error = data->is_copied ? copy_texts(data, &format) : NULL;
	if (error)
		return error;
	data->formats = xgrow(data->formats, data->count, sizeof(format));
	key_table_set(&data->ids, format.id, (uint32_t)data->count);
	data->formats[data->count++] = format;
	return NULL;
}

/* Texts with their lengths before them. */
static const char *parse_formats(struct tracing_data *data, struct cursor *cursor,
				 const char *system)
{
	uint32_t count = cursor_u32(cursor);
	const char *error = NULL;

	while (count-- && !cursor->is_short && !error) {
		uint64_t length = cursor_u64(cursor);
		const uint8_t *text = cursor_take(cursor, length);

		if (text)
			error = add_format(data, system, text, (size_t)length);
	}
	return cursor->is_short ? cut_off : error;
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

const char *tracing_data_parse(struct tracing_data *data, const uint8_t *bytes,
			       size_t length)
{
	struct cursor cursor = cursor_of(bytes, length, 0);

	return parse(data, &cursor);
}

void tracing_data_free(struct tracing_data *data)
{
	for (size_t i = 0; data->is_copied && i < data->count; i++)
		free((char *)(uintptr_t)data->formats[i].text);
	free(data->formats);
	key_table_free(&data->ids);
	*data = (struct tracing_data){ 0 };
}

struct event_format *tracing_data_find(const struct tracing_data *data, uint64_t id)
{
	uint32_t found = id == UINT64_MAX ? KEY_UNKNOWN : key_table_find(&data->ids, id);

	return found == KEY_UNKNOWN ? NULL : &data->formats[found];
}
