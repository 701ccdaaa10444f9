/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of perf.data files, which has the places of attrs and records. The
 * places of the features stand behind the records, one for each bit that is set.
 */
#include "perf_input.h"

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
		id_map_set(&perf->events.ids,
				   load_u64(bytes + at, perf->events.is_big_endian),
				   (size_t)event);
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
