/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/reader.h>

#include "random_event.h"

#define FIELDS_MAX 60
#define DEPTH_MAX 6

/* A field, followed by its members. */
struct field {
	char name[24];
	uint8_t encoding;
	uint8_t array;
	uint8_t format; /* or members */
	uint16_t tag;
	uint16_t count; /* constant */
	int next;	/* the first field outside of it */
};

static struct field fields[FIELDS_MAX];
static int field_count;
static int is_big;
static uint64_t state;

static uint32_t choose(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % below;
}

static void put8(struct random_event *event, uint32_t value)
{
	event->bytes[event->length++] = (uint8_t)value;
}

static void put16(struct random_event *event, uint32_t value)
{
	put8(event, is_big ? value >> 8 : value);
	put8(event, is_big ? value : value >> 8);
}

/* Which fields there are */

static void choose_name(char *name)
{
	uint32_t length = choose(20);

	for (uint32_t i = 0; i < length; i++)
		name[i] = (char)(1 + choose(255));
	name[length] = '\0';
}

static void choose_field(int depth)
{
	struct field *field = &fields[field_count++];
	static const uint8_t arrays[] = { 0, 0, UE_ENCODING_CARRAY,
					  UE_ENCODING_VARRAY };
	uint32_t members;

	memset(field, 0, sizeof(*field));
	choose_name(field->name);
	field->array = arrays[choose(4)];
	field->count = (uint16_t)(1 + choose(3));
	field->tag = choose(4) ? 0 : (uint16_t)choose(65536);
	field->format = (uint8_t)choose(24);
	field->encoding = (uint8_t)(UE_ENCODING_VALUE8 + choose(12));
	if (depth < DEPTH_MAX && field_count < FIELDS_MAX - 4 && !choose(4)) {
		field->encoding = UE_ENCODING_STRUCT;
		members = 1 + choose(3);
		field->format = (uint8_t)members;
		while (members-- && field_count < FIELDS_MAX - 1)
			choose_field(depth + 1);
	}
	field->next = field_count;
}

static void put_definition(struct random_event *event, const struct field *field)
{
	int has_format = field->format || field->tag;

	memcpy(event->bytes + event->length, field->name, strlen(field->name) + 1);
	event->length += strlen(field->name) + 1;
	put8(event, field->encoding | field->array |
			    (has_format ? UE_ENCODING_CHAIN : 0u));
	if (has_format)
		put8(event, field->format | (field->tag ? UE_FORMAT_CHAIN : 0u));
	if (field->tag)
		put16(event, field->tag);
	if (field->array == UE_ENCODING_CARRAY)
		put16(event, field->count);
}

/* Their values */

static struct expected_item *expect(struct random_event *event, int kind,
				    const struct field *field)
{
	struct expected_item *item = &event->items[event->count++];

	if (event->count == RANDOM_ITEMS_MAX)
		abort();
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	item->name = field->name;
	item->tag = field->tag;
	item->encoding = field->encoding;
	item->format = field->encoding == UE_ENCODING_STRUCT ? 0 : field->format;
	return item;
}

/* Units of a size; zeros only where they may be. */
static void put_units(struct random_event *event, uint32_t units, uint32_t size,
		      int may_be_zero)
{
	for (uint32_t i = 0; i < units * size; i++)
		put8(event, may_be_zero ? choose(256) : 1 + choose(255));
}

static void put_value(struct random_event *event, const struct field *field,
		      uint32_t index, uint32_t count)
{
	static const uint8_t sizes[] = { 0, 0, 1, 2, 4, 8, 16, 1, 2, 4, 1, 2, 4, 1 };
	struct expected_item *item = expect(event, UE_ITEM_VALUE, field);
	uint32_t size = sizes[field->encoding], units = choose(6);

	item->index = index;
	item->count = count;
	item->offset = (uint32_t)event->length;
	item->length = units * size;
	if (field->encoding <= UE_ENCODING_VALUE128) {
		item->length = size;
		put_units(event, 1, size, 1);
	} else if (field->encoding <= UE_ENCODING_ZSTRING_CHAR32) {
		put_units(event, units, size, 0);
		memset(event->bytes + event->length, 0, size);
		event->length += size;
	} else {
		put16(event, units);
		item->offset += 2;
		put_units(event, units, size, 1);
	}
}

static void put_field(struct random_event *event, int at);

static void put_struct(struct random_event *event, int at, uint32_t index,
		       uint32_t count)
{
	const struct field *field = &fields[at];
	struct expected_item *item = expect(event, UE_ITEM_STRUCT_BEGIN, field);

	item->index = index;
	item->count = count;
	for (int member = at + 1; member < field->next; member = fields[member].next)
		put_field(event, member);
	item = expect(event, UE_ITEM_STRUCT_END, field);
	item->index = index;
	item->count = count;
}

static void put_one(struct random_event *event, int at, uint32_t index,
		    uint32_t count)
{
	if (fields[at].encoding == UE_ENCODING_STRUCT)
		put_struct(event, at, index, count);
	else
		put_value(event, &fields[at], index, count);
}

static void put_field(struct random_event *event, int at)
{
	const struct field *field = &fields[at];
	uint32_t count = field->count;

	if (!field->array) {
		put_one(event, at, 0, 1);
		return;
	}
	if (field->array == UE_ENCODING_VARRAY) {
		count = choose(4);
		put16(event, count);
	}
	expect(event, UE_ITEM_ARRAY_BEGIN, field)->count = count;
	for (uint32_t i = 0; i < count; i++)
		put_one(event, at, i, count);
	expect(event, UE_ITEM_ARRAY_END, field)->count = count;
	event->items[event->count - 1].index = count;
}

/*
 * With the builder: the same fields as above, with the values from the event's bytes, in
 * the same order.
 */

struct source {
	const uint8_t *at;
	struct ue_builder *builder;
};

static uint32_t take16(struct source *source)
{
	uint16_t value;

	memcpy(&value, source->at, sizeof(value));
	source->at += sizeof(value);
	return value;
}

/* A string or binary value: its units; then skips them. */
static struct ue_span take_units(struct source *source, uint8_t encoding)
{
	static const uint8_t sizes[] = { 1, 2, 4, 1, 2, 4, 1 };
	const uint32_t size = sizes[encoding - UE_ENCODING_ZSTRING_CHAR8];
	struct ue_span span = { NULL, 0 };

	if (encoding > UE_ENCODING_ZSTRING_CHAR32)
		span.length = take16(source);
	span.data = source->at;
	if (encoding <= UE_ENCODING_ZSTRING_CHAR32) {
		static const uint8_t zero[4];

		while (memcmp(source->at + span.length * size, zero, size))
			span.length++;
		source->at += size;
	}
	source->at += span.length * size;
	return span;
}

static void build_one(struct source *source, const struct field *field)
{
	struct ue_span span;

	if (field->encoding <= UE_ENCODING_VALUE128) {
		ue_builder_add(source->builder, field->name, field->encoding,
			       field->format, source->at, 1);
		source->at += 1u << (field->encoding - UE_ENCODING_VALUE8);
		return;
	}
	span = take_units(source, field->encoding);
	ue_builder_add(source->builder, field->name, field->encoding, field->format,
		       span.data, span.length);
}

static void build_array(struct source *source, const struct field *field, uint32_t count)
{
	const uint8_t encoding = field->encoding | field->array;
	struct ue_span spans[4];

	if (field->encoding <= UE_ENCODING_VALUE128) {
		ue_builder_add(source->builder, field->name, encoding, field->format,
			       source->at, count);
		source->at += (size_t)count << (field->encoding - UE_ENCODING_VALUE8);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		spans[i] = take_units(source, field->encoding);
	ue_builder_add(source->builder, field->name, encoding, field->format, spans,
		       count);
}

static void build_field(struct source *source, int at);

static void build_members(struct source *source, int at)
{
	for (int member = at + 1; member < fields[at].next; member = fields[member].next)
		build_field(source, member);
}

/* If an array has no element, its members are described with zeros. */
static void build_structs(struct source *source, int at, uint32_t count)
{
	static const uint8_t nothing[100000];
	struct source described = { nothing, source->builder };

	ue_builder_struct_begin(source->builder, fields[at].name, fields[at].array);
	if (!count)
		build_members(&described, at);
	for (uint32_t i = 0; i < count; i++) {
		ue_builder_struct_next(source->builder);
		build_members(source, at);
	}
	ue_builder_struct_end(source->builder);
}

static void build_field(struct source *source, int at)
{
	const struct field *field = &fields[at];
	uint32_t count = field->count;

	if (field->array == UE_ENCODING_VARRAY)
		count = take16(source);
	ue_builder_tag(source->builder, field->tag);
	if (field->encoding == UE_ENCODING_STRUCT && field->array) {
		build_structs(source, at, count);
	} else if (field->encoding == UE_ENCODING_STRUCT) {
		ue_builder_struct_begin(source->builder, field->name, 0);
		build_members(source, at);
		ue_builder_struct_end(source->builder);
	} else if (field->array) {
		build_array(source, field, count);
	} else {
		build_one(source, field);
	}
}

int random_event_build(const struct random_event *event, struct ue_builder *builder)
{
	const uint16_t one = 1;
	struct source source = { event->bytes + event->payload, builder };

	if (is_big == *(const uint8_t *)&one)
		return 0;
	ue_builder_begin(builder, "E", 0);
	for (int i = 0; i < field_count; i = fields[i].next)
		build_field(&source, i);
	return 1;
}

void random_event(struct random_event *event, uint64_t seed)
{
	uint32_t wanted;
	size_t length;

	state = seed * 0x9e3779b97f4a7c15u | 1;
	for (int i = 0; i < 8; i++)
		choose(2);
	wanted = choose(6);
	event->length = event->count = 0;
	field_count = 0;
	is_big = (int)choose(2);
	put8(event, choose(2) | (is_big ? 0 : UE_HEADER_LITTLE_ENDIAN) |
			    UE_HEADER_EXTENSION);
	put8(event, 0);
	put16(event, 0);
	put16(event, 0);
	put16(event, is_big ? 5 : 5u << 8); /* opcode 0, level 5 */
	put16(event, 0);
	put16(event, UE_EXTENSION_METADATA);
	memcpy(event->bytes + event->length, "E", 2);
	event->length += 2;
	while (wanted-- && field_count < FIELDS_MAX - 1)
		choose_field(0);
	for (int i = 0; i < field_count; i++)
		put_definition(event, &fields[i]);
	length = event->length;
	event->length = 8;
	put16(event, (uint32_t)length - 12);
	event->length = event->payload = length;
	for (int i = 0; i < field_count; i = fields[i].next)
		put_field(event, i);
}
