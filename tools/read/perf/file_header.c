/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of perf.data files, which has the places of attrs and records. The
 * places of the features stand behind the records, one for each bit that is set. Parses
 * the features, and the tracing data: descriptions of tracepoints.
 */
#include "perf_input.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"

/* Parses descriptions of tracepoints, and finds one by id. */

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

/*
 * Add the content of these bytes. They must stay, unless is_copied is set. data begins as
 * zeros. Returns NULL, or the end of a sentence "its description of tracepoints ..."; the
 * tracepoints before the fault are added.
 */
static const char *tracing_data_parse(struct tracing_data *data, const uint8_t *bytes,
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

/* Features of a perf recording: names of events, clocks, tracepoints. */

/* A text of a feature: its length, with padding, then bytes up to a NUL. */
static const char *take_string(struct cursor *cursor)
{
	uint32_t length = cursor_u32(cursor);
	const uint8_t *bytes = cursor_take(cursor, length);

	return bytes && memchr(bytes, 0, length) ? (const char *)bytes : NULL;
}

static void name_event(struct perf_input *perf, uint32_t event, const char *name)
{
	if (event >= perf->events.count || perf->events.events[event].name)
		return;
	perf->events.events[event].name = xstrdup(name);
}

/* The name belongs to the event with these ids; without ids, to the one in this place. */
static void take_name(struct perf_input *perf, struct cursor *cursor, uint32_t attr_size,
		      uint32_t place)
{
	uint32_t ids, event = place;
	const char *name;

	cursor_take(cursor, attr_size);
	ids = cursor_u32(cursor);
	name = take_string(cursor);
	if (ids) {
		uint32_t found = key_table_find(&perf->events.ids, cursor_u64(cursor));

		event = found == NO_EVENT ? event : found;
		cursor_take(cursor, (uint64_t)(ids - 1) * 8);
	}
	if (name && !cursor->is_short)
		name_event(perf, event, name);
}

static void take_names(struct perf_input *perf, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	uint32_t attr_size = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->is_short; i++)
		take_name(perf, cursor, attr_size, i);
}

/* Two readings of clocks at one moment: the offset of wall time. */
static void take_clock_data(struct perf_input *perf, struct cursor *cursor)
{
	uint32_t version = cursor_u32(cursor);
	uint64_t wall, clock;

	cursor_u32(cursor); /* the clock's id */
	wall = cursor_u64(cursor);
	clock = cursor_u64(cursor);
	if (version != 1 || cursor->is_short)
		return;
	perf->is_wall_clock = 1;
	perf->wall_offset = (int64_t)(wall - clock);
}

void perf_take_feature(struct input *input, uint64_t feature, const uint8_t *bytes,
		       size_t length)
{
	struct perf_input *perf = input->state;
	struct cursor cursor = cursor_of(bytes, length, perf->events.is_big_endian);

	switch (feature) {
	case PERF_FEATURE_EVENT_DESC:
		take_names(perf, &cursor);
		break;
	case PERF_FEATURE_CLOCK_DATA:
		take_clock_data(perf, &cursor);
		break;
	}
}

int perf_take_tracing_data(struct input *input, const uint8_t *bytes, size_t length)
{
	struct perf_input *perf = input->state;
	const char *problem = tracing_data_parse(&perf->tracing, bytes, length);

	if (problem)
		return input_fails(input,
				   "it is damaged: its description of tracepoints %s",
				   problem);
	return 0;
}

long perf_take_attr(struct input *input, const uint8_t *attr, size_t length)
{
	struct perf_input *perf = input->state;
	long index = perf_events_add(&perf->events, attr, length);

	if (index < 0)
		return input_fails(
			input,
			"it is damaged: the description of an event has only %zu bytes",
			length);
	if (perf->events.events[index].clock == CLOCK_REALTIME)
		perf->is_wall_clock = 1;
	return index;
}

struct section {
	uint64_t offset;
	uint64_t length;
};

struct header {
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	uint64_t features[4];
};

static struct section take_section(struct cursor *cursor)
{
	uint64_t offset = cursor_u64(cursor);

	return (struct section){ offset, cursor_u64(cursor) };
}

/* The bytes of a section, or NULL when it is not in the file. */
static const uint8_t *bytes_of(const struct input *input, struct section section)
{
	if (section.offset > input->source.size ||
	    section.length > input->source.size - section.offset)
		return NULL;
	return input->source.map + section.offset;
}

static int take_ids(struct input *input, long event, struct section section)
{
	struct perf_input *perf = input->state;
	const uint8_t *bytes = bytes_of(input, section);

	/* events do not share ids: all of them fit the file */
	if (bytes)
		perf->ids_taken += section.length / 8;
	if (!bytes || perf->ids_taken > input->source.size / 8)
		return input_fails(
			input,
			"it is damaged: the ids of an event are not within the file");
	for (uint64_t at = 0; at + 8 <= section.length; at += 8)
		key_table_set(&perf->events.ids,
			      load_u64(bytes + at, perf->events.is_big_endian),
			      (uint32_t)event);
	return 0;
}

/* An attr and the section of its ids. */
static int take_file_attr(struct input *input, const uint8_t *bytes, size_t size)
{
	struct perf_input *perf = input->state;
	struct cursor cursor = cursor_of(bytes + size - 16, 16,
					 perf->events.is_big_endian);
	long event = perf_take_attr(input, bytes, size - 16);

	return event < 0 ? -1 : take_ids(input, event, take_section(&cursor));
}

static int take_attrs(struct input *input, const struct header *header)
{
	const uint8_t *bytes = bytes_of(input, header->attrs);
	uint64_t size = header->attr_size;

	if (!bytes || size < 64 + 16 || size > UINT16_MAX)
		return input_fails(input, "it is damaged: the descriptions of its "
					  "events are not within the file");
	for (uint64_t at = 0; header->attrs.length - at >= size; at += size)
		if (take_file_attr(input, bytes + at, (size_t)size))
			return -1;
	return 0;
}

static int take_features(struct input *input, const struct header *header)
{
	struct section places = { header->data.offset + header->data.length, 0 };
	struct cursor cursor;
	const uint8_t *bytes;
	int result = 0;

	if (places.offset > input->source.size)
		return 0;
	cursor = cursor_of(input->source.map + places.offset,
			   input->source.size - (size_t)places.offset,
			   ((struct perf_input *)input->state)->events.is_big_endian);
	for (unsigned int bit = 0; bit < 256 && !result; bit++) {
		if (!(header->features[bit / 64] >> bit % 64 & 1))
			continue;
		places = take_section(&cursor);
		bytes = bytes_of(input, places);
		if (!bytes || cursor.is_short)
			return input_fails(
				input,
				"it is damaged: a feature is not within the file");
		if (bit == PERF_FEATURE_TRACING_DATA)
			result = perf_take_tracing_data(input, bytes,
							(size_t)places.length);
		else
			perf_take_feature(input, bit, bytes, (size_t)places.length);
	}
	return result;
}

static void parse_header(const struct input *input, struct header *header)
{
	const struct perf_input *perf = input->state;
	struct cursor cursor = cursor_of(input->source.map, PERF_HEADER_SIZE,
					 perf->events.is_big_endian);

	cursor_u64(&cursor); /* magic */
	cursor_u64(&cursor); /* size of the header */
	header->attr_size = cursor_u64(&cursor);
	header->attrs = take_section(&cursor);
	header->data = take_section(&cursor);
	take_section(&cursor); /* event types, of long ago */
	for (int i = 0; i < 4; i++)
		header->features[i] = cursor_u64(&cursor);
}

/* A killed recorder leaves the length at 0: then records go up to the end of the file. */
static int find_data(struct input *input, struct header *header)
{
	struct perf_input *perf = input->state;
	uint64_t size = input->source.size;

	if (header->data.offset > size)
		return input_fails(input,
				   "it is cut off: its records should begin at byte "
				   "%llu, but it has only %llu",
				   (unsigned long long)header->data.offset,
				   (unsigned long long)size);
	perf->end = size;
	if (header->data.length && header->data.length <= size - header->data.offset)
		perf->end = header->data.offset + header->data.length;
	else if (header->data.length || size > header->data.offset)
		perf->is_unfinished = 1;
	if (perf->is_unfinished)
		header->features[0] = 0;
	return source_skip(&input->source, header->data.offset);
}

int perf_read_file_header(struct input *input)
{
	struct header header;

	if (input->source.size < PERF_HEADER_SIZE)
		return input_fails(input, "it is cut off within its header");
	parse_header(input, &header);
	if (take_attrs(input, &header) || find_data(input, &header))
		return -1;
	return take_features(input, &header);
}
