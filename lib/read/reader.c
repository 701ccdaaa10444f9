/* SPDX-License-Identifier: MIT */
/*
 * Walk through an EventHeader event.
 *
 * Two cursors move: one through the definitions of the fields, which an array of
 * structs sets back for every element, and one through the payload, which only
 * goes forward. Structs that are open lie on a stack of fixed size.
 *
 * Work stays linear in the event's size in spite of hostile definitions:
 * - every definition and every struct met is charged as a step, and steps are
 *   limited by the size (UE_READER_STEPS_DEFAULT);
 * - the members of an empty array of structs have to be passed over, once for
 *   every element of the array around it; where they end is remembered
 *   (skip.c);
 * - all else consumes payload.
 */
#include <stdlib.h>

#include "cursor.h"
#include "util/errno_guard.h"

/* Bytes of one value; 0 when it depends. */
static const uint8_t value_size[UE_ENCODING_END] = {
	[UE_ENCODING_VALUE8] = 1,    [UE_ENCODING_VALUE16] = 2,
	[UE_ENCODING_VALUE32] = 4,   [UE_ENCODING_VALUE64] = 8,
	[UE_ENCODING_VALUE128] = 16,
};

/* Bytes of one unit of a string. */
static const uint8_t unit_size[UE_ENCODING_END] = {
	[UE_ENCODING_ZSTRING_CHAR8] = 1,
	[UE_ENCODING_ZSTRING_CHAR16] = 2,
	[UE_ENCODING_ZSTRING_CHAR32] = 4,
	[UE_ENCODING_STRING_LENGTH16_CHAR8] = 1,
	[UE_ENCODING_STRING_LENGTH16_CHAR16] = 2,
	[UE_ENCODING_STRING_LENGTH16_CHAR32] = 4,
	[UE_ENCODING_BINARY_LENGTH16_CHAR8] = 1,
};

static inline uint32_t payload_left(const struct ue__reader *reader)
{
	return reader->length - reader->at;
}

/* Items */

static int give(struct ue__reader *reader, enum ue_item_kind kind)
{
	reader->item.kind = kind;
	reader->last = (uint8_t)kind;
	reader->is_definition = 0;
	return kind;
}

static void describe_struct(struct ue__reader *reader, const struct ue__frame *frame)
{
	ue__describe(reader, &frame->field);
	reader->item.depth = reader->depth - 1;
	reader->item.members = frame->field.format;
	reader->item.value.format = 0;
	reader->item.index = frame->index;
}

/* Values */

/* Bytes before the 0 unit, or more than left when there is none. */
static uint32_t units_before_zero(const uint8_t *bytes, uint32_t left,
				  uint32_t unit)
{
	static const uint8_t zero[4];
	const uint8_t *nul;
	uint32_t at = 0;

	if (unit == 1) {
		nul = left ? memchr(bytes, 0, left) : NULL;
		return nul ? (uint32_t)(nul - bytes) : left + 1;
	}
	for (; left - at >= unit; at += unit)
		if (!memcmp(bytes + at, zero, unit))
			return at;
	return left + 1;
}

static int take_zstring(struct ue__reader *reader, struct ue_item *item)
{
	uint32_t unit = unit_size[item->value.encoding];
	uint32_t left = payload_left(reader);
	uint32_t length = units_before_zero(item->value.bytes, left, unit);

	if (length > left)
		return ue__reader_fail(reader, UE_FAULT_STRING_UNTERMINATED,
				       reader->at);
	item->value.length = length;
	reader->at += length + unit;
	return 0;
}

static int take_counted(struct ue__reader *reader, struct ue_item *item)
{
	uint32_t left = payload_left(reader);
	uint32_t length;

	if (left < 2)
		return ue__reader_fail(reader, UE_FAULT_STRING_PAST_END, reader->at);
	length = (uint32_t)ue__load16(reader, item->value.bytes) *
		 unit_size[item->value.encoding];
	if (length > left - 2)
		return ue__reader_fail(reader, UE_FAULT_STRING_PAST_END, reader->at);
	item->value.bytes += 2;
	item->value.length = length;
	item->offset += 2;
	reader->at += 2 + length;
	return 0;
}

static __attribute__((noinline)) int take_string(struct ue__reader *reader)
{
	struct ue_item *item = &reader->item;

	return item->value.encoding < UE_ENCODING_STRING_LENGTH16_CHAR8 ?
		       take_zstring(reader, item) :
		       take_counted(reader, item);
}

/* The value at the payload's cursor, of the encoding in the item. */
static inline int take_value(struct ue__reader *reader)
{
	struct ue_item *item = &reader->item;
	uint32_t size = value_size[item->value.encoding];

	item->value.bytes = reader->bytes + reader->at;
	item->offset = reader->at;
	if (!size)
		return take_string(reader);
	if (size > payload_left(reader))
		return ue__reader_fail(reader, UE_FAULT_VALUE_PAST_END, reader->at);
	item->value.length = size;
	reader->at += size;
	return 0;
}

/* Arrays */

/* The count of an array whose count is in the payload. */
static int take_count(struct ue__reader *reader, struct ue__event_field *field)
{
	if (field->array != UE_ENCODING_VARRAY)
		return 0;
	if (payload_left(reader) < 2)
		return ue__reader_fail(reader, UE_FAULT_ARRAY_PAST_END, reader->at);
	field->count = ue__load16(reader, reader->bytes + reader->at);
	reader->at += 2;
	return 0;
}

static int open_array(struct ue__reader *reader, struct ue__event_field *field)
{
	uint32_t size = value_size[field->encoding];
	uint32_t begin = reader->at;
	int result = take_count(reader, field);

	if (result)
		return result;
	if (size * field->count > payload_left(reader))
		return ue__reader_fail(reader, UE_FAULT_ARRAY_PAST_END, begin);
	ue__describe(reader, field);
	reader->item.element_size = (uint16_t)size;
	if (size) {
		reader->item.value.bytes = reader->bytes + reader->at;
		reader->item.value.length = size * field->count;
	}
	reader->element = 0;
	reader->array = *field;
	reader->place = UE__PLACE_ELEMENTS;
	return give(reader, UE_ITEM_ARRAY_BEGIN);
}

static void describe_array(struct ue__reader *reader)
{
	ue__describe(reader, &reader->array);
	reader->item.index = reader->element;
}

static int close_array(struct ue__reader *reader)
{
	describe_array(reader);
	reader->place = UE__PLACE_FIELDS;
	return give(reader, UE_ITEM_ARRAY_END);
}

static int next_element(struct ue__reader *reader)
{
	int result;

	if (reader->element == reader->array.count)
		return close_array(reader);
	describe_array(reader);
	reader->item.is_element = 1;
	result = take_value(reader);
	if (result)
		return result;
	reader->element++;
	return give(reader, UE_ITEM_VALUE);
}

/* Structs */

static inline struct ue__frame *top(struct ue__reader *reader)
{
	return &reader->frames[reader->depth - 1];
}

static int open_struct(struct ue__reader *reader, struct ue__frame *frame)
{
	frame->remaining = frame->field.format;
	reader->field = frame->field.end;
	reader->place = UE__PLACE_FIELDS;
	describe_struct(reader, frame);
	reader->item.is_element = frame->field.array != 0;
	return give(reader, UE_ITEM_STRUCT_BEGIN);
}

static int close_struct(struct ue__reader *reader)
{
	struct ue__frame *frame = top(reader);

	describe_struct(reader, frame);
	reader->item.is_element = frame->field.array != 0;
	if (frame->field.array) {
		frame->index++;
		reader->place = UE__PLACE_STRUCTS;
	} else {
		reader->depth--;
	}
	return give(reader, UE_ITEM_STRUCT_END);
}

static int close_structs(struct ue__reader *reader)
{
	describe_struct(reader, top(reader));
	reader->depth--;
	reader->place = UE__PLACE_FIELDS;
	return give(reader, UE_ITEM_ARRAY_END);
}

static int next_struct(struct ue__reader *reader)
{
	struct ue__frame *frame = top(reader);
	int result;

	if (frame->index == frame->field.count)
		return close_structs(reader);
	result = ue__charge(reader, 0, frame->field.end);
	return result ? result : open_struct(reader, frame);
}

static int enter(struct ue__reader *reader, struct ue__event_field *field)
{
	struct ue__frame *frame;
	int result;

	if (reader->depth == UE_READER_DEPTH_MAX)
		return ue__reader_fail(reader, UE_FAULT_NESTING_TOO_DEEP,
				       ue__in_event(reader, field->name_at));
	result = take_count(reader, field);
	if (!result && !field->count)
		result = ue__pass_over(reader, &reader->field, field->format);
	if (result)
		return result;
	reader->depth++;
	frame = top(reader);
	*frame = (struct ue__frame){ .field = *field };
	if (!field->array)
		return open_struct(reader, frame);
	reader->place = UE__PLACE_STRUCTS;
	describe_struct(reader, frame);
	return give(reader, UE_ITEM_ARRAY_BEGIN);
}

/* Fields */

static int finish(struct ue__reader *reader)
{
	reader->trailing = payload_left(reader);
	return give(reader, UE_ITEM_END);
}

/* Any field, and all that is wrong with one. */
static __attribute__((noinline)) int next_any(struct ue__reader *reader)
{
	struct ue__event_field field;
	int result = ue__take_definition(reader, reader->field, &field);

	if (result)
		return result;
	reader->field = field.end;
	if (field.encoding == UE_ENCODING_STRUCT)
		return enter(reader, &field);
	if (field.array)
		return open_array(reader, &field);
	ue__describe(reader, &field);
	result = take_value(reader);
	return result ? result : give(reader, UE_ITEM_VALUE);
}

/* Encodings of one value, without UE_ENCODING_CHAIN. */
static inline int is_one_value(uint8_t encoding)
{
	return encoding - UE_ENCODING_VALUE8 < UE_ENCODING_END - UE_ENCODING_VALUE8 &&
	       encoding >= UE_ENCODING_VALUE8;
}

/* The NUL behind a short name, found without the call of a function; NULL: there is none. */
static inline const uint8_t *name_end(const uint8_t *name, const uint8_t *end)
{
	for (; end - name >= 8; name += 8) {
		uint64_t eight, nul;

		memcpy(&eight, name, 8);
		nul = (eight - 0x0101010101010101u) & ~eight & 0x8080808080808080u;
		if (nul && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			return name + __builtin_ctzll(nul) / 8;
		if (nul)
			break;
	}
	return memchr(name, 0, (size_t)(end - name));
}

/*
 * Most fields are one value without a tag, in order. For these all at once; for any
 * other -1, with nothing done.
 */
static inline int take_simple(struct ue__reader *reader, struct ue__event_field *field)
{
	const uint8_t *metadata = reader->metadata;
	const uint8_t *end = metadata + reader->metadata_length;
	const uint8_t *name = metadata + reader->field;
	const uint8_t *at = name_end(name, end);
	uint32_t cost;

	if (!at || end - at < 2 || end - at < 2 + (at[1] >> 7))
		return -1;
	field->name_at = (uint16_t)reader->field;
	field->name_length = (uint16_t)(at - name);
	field->encoding = at[1] & (uint8_t)~UE_ENCODING_CHAIN;
	if (!is_one_value(field->encoding))
		return -1;
	field->format = at[1] & UE_ENCODING_CHAIN ? at[2] : 0;
	if (field->format & UE_FORMAT_CHAIN)
		return -1;
	field->end = (uint16_t)(at + 2 + (at[1] >> 7) - metadata);
	cost = UE__STEP + field->end - field->name_at;
	if (reader->steps < cost)
		return -1;
	reader->steps -= cost;
	field->tag = 0;
	field->count = 1;
	field->array = 0;
	return 0;
}

static int next_field(struct ue__reader *reader)
{
	struct ue__event_field field;
	int result;

	if (reader->field == reader->metadata_length)
		return reader->depth ? close_struct(reader) : finish(reader);
	if (reader->depth) {
		if (!top(reader)->remaining)
			return close_struct(reader);
		top(reader)->remaining--;
	}
	if (take_simple(reader, &field))
		return next_any(reader);
	reader->field = field.end;
	ue__describe(reader, &field);
	result = take_value(reader);
	return result ? result : give(reader, UE_ITEM_VALUE);
}

int ue__reader_next(struct ue__reader *reader)
{
	if (reader->error.error)
		return reader->error.error;
	if (reader->place == UE__PLACE_FIELDS)
		return next_field(reader);
	return reader->place == UE__PLACE_ELEMENTS ? next_element(reader) :
						     next_struct(reader);
}

int ue__reader_unwind(struct ue__reader *reader)
{
	switch (reader->place) {
	case UE__PLACE_ELEMENTS:
		return close_array(reader);
	case UE__PLACE_STRUCTS:
		return close_structs(reader);
	default:
		return reader->depth ? close_struct(reader) : UE_ITEM_END;
	}
}

/* Go to the end of the array or struct that has just begun. */
static int leave(struct ue__reader *reader, int end)
{
	uint32_t depth = reader->depth;
	int kind;

	if (end == UE_ITEM_STRUCT_END || reader->place == UE__PLACE_STRUCTS)
		depth--; /* it is open itself */
	do {
		kind = ue__reader_next(reader);
	} while (kind > 0 && (kind != end || reader->item.depth != depth));
	return kind;
}

void ue__reader_pass_values(struct ue__reader *reader)
{
	reader->at += (reader->array.count - reader->element) *
		      value_size[reader->array.encoding];
	reader->place = UE__PLACE_FIELDS;
	give(reader, UE_ITEM_ARRAY_END);
}

int ue__reader_is_at_item(const struct ue__reader *reader)
{
	return !reader->error.error && !reader->is_definition &&
	       (reader->last == UE_ITEM_VALUE ||
		reader->last == UE_ITEM_ARRAY_BEGIN ||
		reader->last == UE_ITEM_STRUCT_BEGIN);
}

static int next_sibling(struct ue__reader *reader)
{
	int kind = reader->last;

	if (reader->error.error)
		return reader->error.error;
	if (kind == UE_ITEM_STRUCT_BEGIN) {
		kind = leave(reader, UE_ITEM_STRUCT_END);
	} else if (kind == UE_ITEM_ARRAY_BEGIN) {
		if (reader->place == UE__PLACE_ELEMENTS &&
		    value_size[reader->array.encoding])
			ue__reader_pass_values(reader);
		else
			kind = leave(reader, UE_ITEM_ARRAY_END);
	}
	return kind < 0 ? kind : ue__reader_next(reader);
}

int ue__reader_find(struct ue__reader *reader, const char *name)
{
	int kind;

	do {
		kind = next_sibling(reader);
	} while (kind > 0 && !ue__item_is_named(&reader->item, name));
	return kind;
}

/* Exports */

UE__PUBLIC int ue_reader_next(struct ue_reader *reader)
{
	return ue__reader_next(ue__own(reader));
}

UE__PUBLIC int ue_reader_next_sibling(struct ue_reader *reader)
{
	return next_sibling(ue__own(reader));
}

UE__PUBLIC const struct ue_event_info *ue_reader_info(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->info;
}

UE__PUBLIC const struct ue_item *ue_reader_item(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->item;
}

UE__PUBLIC const struct ue_eventheader_error *
ue_reader_error(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->error;
}

UE__PUBLIC size_t ue_reader_trailing(const struct ue_reader *reader)
{
	return ue__const_own(reader)->trailing;
}
