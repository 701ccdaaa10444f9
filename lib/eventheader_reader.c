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
 *   every element of the array around it; where they end is remembered;
 * - all else consumes payload.
 */
#include <errno.h>
#include <string.h>

#include <userevents/eventheader_name.h>

#include "eventheader_fault.h"
#include "eventheader_reader.h"

#define EVENT_MAX 0x7fffffffu

/* A field's definition, decoded. Offsets count in the metadata. */
struct definition {
	uint32_t name_at;
	uint32_t name_length;
	uint32_t end;
	uint16_t tag;
	uint16_t count;
	uint8_t encoding;
	uint8_t format;
	uint8_t array;
};

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

static int fail(struct ue_reader *reader, enum ue_fault fault, size_t offset)
{
	return ue__fault(&reader->error, fault, offset);
}

static inline uint16_t load16(const uint8_t *bytes, int big_endian)
{
	return big_endian ? (uint16_t)(bytes[0] << 8 | bytes[1]) :
			    (uint16_t)(bytes[1] << 8 | bytes[0]);
}

static inline int is_big_endian(const struct ue_reader *reader)
{
	return !(reader->info.flags & UE_HEADER_LITTLE_ENDIAN);
}

static inline uint32_t payload_left(const struct ue_reader *reader)
{
	return reader->ue__length - reader->ue__at;
}

/* An offset in the metadata as one in the event. */
static size_t in_event(const struct ue_reader *reader, uint32_t at)
{
	return (size_t)(reader->ue__metadata - reader->ue__bytes) + at;
}

/* The NUL of a name, which is short mostly. */
static inline const uint8_t *find_nul(const uint8_t *at, uint32_t left)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint8_t *end = at + left;

	while (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && end - at >= 8) {
		uint64_t eight, zeros;

		memcpy(&eight, at, sizeof(eight));
		zeros = (eight - ones) & ~eight & ones * 0x80;
		if (zeros)
			return at + (uint32_t)__builtin_ctzll(zeros) / 8;
		at += 8;
	}
	while (at < end && *at)
		at++;
	return at < end ? at : NULL;
}

/* Begin */

static int use_opts(struct ue_reader *reader, const struct ue_reader_opts *opts,
		    size_t length)
{
	const char *bytes = (const char *)opts;
	int result = 0;

	reader->ue__steps_max = UE_READER_STEPS_DEFAULT(length) * UE__STEP;
	if (!opts)
		return 0;
	if (opts->size < sizeof(*opts) || opts->spare ||
	    opts->flags & ~UE_READER_MULTI_FORMAT)
		result = fail(reader, UE_FAULT_OPTS, 0);
	for (size_t i = sizeof(*opts); !result && i < opts->size; i++)
		if (bytes[i]) {
			fail(reader, UE_FAULT_OPTS, 0);
			result = reader->error.error = -E2BIG;
		}
	if (!result && opts->steps_max)
		reader->ue__steps_max = opts->steps_max < UINT64_MAX / UE__STEP ?
						opts->steps_max * UE__STEP :
						UINT64_MAX;
	return result;
}

/* The kernel appends ".7" to the name, in lower-case hex. */
static size_t without_number(const char *name, size_t length)
{
	size_t at = length;

	while (at && ((name[at - 1] >= '0' && name[at - 1] <= '9') ||
		      (name[at - 1] >= 'a' && name[at - 1] <= 'f')))
		at--;
	return at && at < length && name[at - 1] == '.' ? at - 1 : length;
}

static int use_header(struct ue_reader *reader)
{
	struct ue_event_info *info = &reader->info;
	const uint8_t *bytes = reader->ue__bytes;

	info->flags = bytes[0];
	info->version = bytes[1];
	info->id = load16(bytes + 2, is_big_endian(reader));
	info->tag = load16(bytes + 4, is_big_endian(reader));
	info->opcode = bytes[6];
	info->level = bytes[7];
	reader->ue__has_header = 1;
	if (info->flags & ~UE_HEADER_KNOWN)
		return fail(reader, UE_FAULT_HEADER_FLAGS, 0);
	return 0;
}

static int use_name(struct ue_reader *reader)
{
	struct ue_event_info *info = &reader->info;
	struct ue_eventheader_name name;
	int result = ue_eventheader_name_parse(info->tracepoint,
					       info->tracepoint_length, &name,
					       &reader->error);

	if (result)
		return result;
	if (name.level != info->level)
		return fail(reader, UE_FAULT_LEVEL_MISMATCH, 7);
	info->provider = name.provider;
	info->provider_length = name.provider_length;
	info->options = name.options;
	info->options_length = name.options_length;
	info->keyword = name.keyword;
	return 0;
}

static int use_activity(struct ue_reader *reader, uint32_t at, uint32_t size)
{
	if (reader->info.activity_id)
		return fail(reader, UE_FAULT_EXTENSION_DUPLICATE, at - 4);
	if (size != 16 && size != 32)
		return fail(reader, UE_FAULT_ACTIVITY_SIZE, at - 4);
	reader->info.activity_id = reader->ue__bytes + at;
	if (size == 32)
		reader->info.related_id = reader->ue__bytes + at + 16;
	return 0;
}

static int use_metadata(struct ue_reader *reader, uint32_t at, uint32_t size)
{
	if (reader->ue__metadata)
		return fail(reader, UE_FAULT_EXTENSION_DUPLICATE, at - 4);
	reader->ue__metadata = reader->ue__bytes + at;
	reader->ue__metadata_length = size;
	return 0;
}

static int use_extension(struct ue_reader *reader, uint16_t kind, uint32_t at,
			 uint32_t size)
{
	if (size > reader->ue__length - at)
		return fail(reader, UE_FAULT_EXTENSION_PAST_END, at - 4);
	switch (kind & UE_EXTENSION_KIND_MASK) {
	case UE_EXTENSION_INVALID:
		return fail(reader, UE_FAULT_EXTENSION_KIND, at - 2);
	case UE_EXTENSION_METADATA:
		return use_metadata(reader, at, size);
	case UE_EXTENSION_ACTIVITY:
		return use_activity(reader, at, size);
	default:
		return 0;
	}
}

static int use_extensions(struct ue_reader *reader)
{
	int more = reader->info.flags & UE_HEADER_EXTENSION;
	uint32_t at = sizeof(struct ue_eventheader);

	while (more) {
		const uint8_t *prefix = reader->ue__bytes + at;
		uint16_t size, kind;
		int result;

		if (reader->ue__length - at < sizeof(struct ue_eventheader_extension))
			return fail(reader, UE_FAULT_EXTENSION_TRUNCATED, at);
		size = load16(prefix, is_big_endian(reader));
		kind = load16(prefix + 2, is_big_endian(reader));
		at += sizeof(struct ue_eventheader_extension);
		result = use_extension(reader, kind, at, size);
		if (result)
			return result;
		at += size;
		more = kind & UE_EXTENSION_CHAIN;
	}
	reader->ue__payload = at;
	return 0;
}

static int use_event_name(struct ue_reader *reader)
{
	struct ue_event_info *info = &reader->info;
	const char *name = (const char *)reader->ue__metadata;
	const char *end;

	if (!name)
		return fail(reader, UE_FAULT_METADATA_MISSING, 0);
	end = (const char *)find_nul(reader->ue__metadata,
				     reader->ue__metadata_length);
	if (!end)
		return fail(reader, UE_FAULT_EVENT_NAME_UNTERMINATED,
			    in_event(reader, 0));
	info->name = name;
	info->name_length = (size_t)(end - name);
	end = memchr(name, ';', info->name_length);
	info->name_proper_length = end ? (size_t)(end - name) : info->name_length;
	reader->ue__fields = (uint32_t)info->name_length + 1;
	return 0;
}

static int begin(struct ue_reader *reader, const struct ue_reader_opts *opts,
		 size_t length)
{
	int result = use_opts(reader, opts, length);

	if (result)
		return result;
	if (length < sizeof(struct ue_eventheader))
		return fail(reader, UE_FAULT_EVENT_TOO_SHORT, length);
	if (length > EVENT_MAX)
		return fail(reader, UE_FAULT_EVENT_TOO_LONG, EVENT_MAX);
	if (opts && opts->flags & UE_READER_MULTI_FORMAT)
		reader->info.tracepoint_length = without_number(
			reader->info.tracepoint, reader->info.tracepoint_length);
	result = use_header(reader);
	if (!result)
		result = use_name(reader);
	if (!result)
		result = use_extensions(reader);
	if (!result)
		result = use_event_name(reader);
	return result;
}

/* To before the first field. */
static void rewind_cursors(struct ue_reader *reader)
{
	reader->ue__steps = reader->ue__steps_max;
	reader->ue__has_skips = 0; /* so that the steps are the same again */
	reader->ue__field = reader->ue__fields;
	reader->ue__definition = reader->ue__fields;
	reader->ue__at = reader->ue__payload;
	reader->ue__depth = 0;
	reader->ue__place = UE__PLACE_FIELDS;
	reader->ue__last = UE_ITEM_END;
	reader->ue__is_definition = 0;
	reader->item.kind = UE_ITEM_END;
	reader->trailing = 0;
}

UE_API int ue_reader_begin(struct ue_reader *reader, const char *name,
			   size_t name_length, const void *bytes, size_t length,
			   const struct ue_reader_opts *opts)
{
	/* the rest of info, item, skips and frames is written before it is read */
	reader->info.name = NULL;
	reader->info.activity_id = NULL;
	reader->info.related_id = NULL;
	memset(&reader->error, 0, sizeof(reader->error));
	reader->info.tracepoint = name;
	reader->info.tracepoint_length = name_length;
	reader->ue__bytes = bytes;
	reader->ue__metadata = NULL;
	reader->ue__metadata_length = 0;
	reader->ue__length = length > EVENT_MAX ? EVENT_MAX : (uint32_t)length;
	reader->ue__fields = 0;
	reader->ue__payload = 0;
	reader->ue__has_header = 0;
	begin(reader, opts, length);
	rewind_cursors(reader);
	return reader->error.error;
}

/* An event that could not be begun has no fields. */
static int is_begun(const struct ue_reader *reader)
{
	return reader->ue__fields != 0;
}

UE_API int ue_reader_rewind(struct ue_reader *reader)
{
	if (!is_begun(reader))
		return reader->error.error;
	memset(&reader->error, 0, sizeof(reader->error));
	rewind_cursors(reader);
	return 0;
}

/* Definitions */

/* Steps are counted in sixteenths: a definition costs one and that of each byte. */
static inline int charge(struct ue_reader *reader, uint32_t bytes, uint32_t at)
{
	if (reader->ue__steps < UE__STEP + bytes) {
		reader->ue__steps = 0;
		return fail(reader, UE_FAULT_STEP_LIMIT, in_event(reader, at));
	}
	reader->ue__steps -= UE__STEP + bytes;
	return 0;
}

/* Format, tag and count, as far as the encoding says that they are there. */
static int take_details(struct ue_reader *reader, struct definition *field,
			uint8_t encoding)
{
	const uint8_t *metadata = reader->ue__metadata;
	uint32_t end = reader->ue__metadata_length;
	uint32_t at = field->end;

	if (encoding & UE_ENCODING_CHAIN) {
		if (at >= end)
			goto truncated;
		field->format = metadata[at] & UE_FORMAT_VALUE_MASK;
		if (metadata[at++] & UE_FORMAT_CHAIN) {
			if (end - at < 2)
				goto truncated;
			field->tag = load16(metadata + at, is_big_endian(reader));
			at += 2;
		}
	}
	if (encoding & UE_ENCODING_CARRAY) {
		if (end - at < 2)
			goto truncated;
		field->count = load16(metadata + at, is_big_endian(reader));
		if (!field->count)
			return fail(reader, UE_FAULT_ARRAY_COUNT_ZERO,
				    in_event(reader, at));
		at += 2;
	}
	field->end = at;
	return 0;
truncated:
	return fail(reader, UE_FAULT_FIELD_TRUNCATED, in_event(reader, at));
}

static int check_encoding(struct ue_reader *reader,
			  const struct definition *field, uint32_t at)
{
	enum ue_fault fault = UE_FAULT_NONE;

	if (field->encoding == UE_ENCODING_INVALID)
		fault = UE_FAULT_ENCODING_INVALID;
	else if (field->encoding >= UE_ENCODING_END)
		fault = UE_FAULT_ENCODING_UNKNOWN;
	else if (field->array == (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY))
		fault = UE_FAULT_ARRAY_FLAGS;
	return fault ? fail(reader, fault, in_event(reader, at)) : 0;
}

static int take_encoding(struct ue_reader *reader, uint32_t at,
			 struct definition *field)
{
	uint8_t encoding = reader->ue__metadata[at];
	int result;

	field->encoding = encoding & UE_ENCODING_VALUE_MASK;
	field->array = encoding & (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY);
	field->format = 0;
	field->tag = 0;
	field->count = 1;
	field->end = at + 1;
	result = check_encoding(reader, field, at);
	if (!result && encoding & (UE_ENCODING_CHAIN | UE_ENCODING_CARRAY))
		result = take_details(reader, field, encoding);
	if (!result && field->encoding == UE_ENCODING_STRUCT && !field->format)
		result = fail(reader, UE_FAULT_STRUCT_EMPTY, in_event(reader, at));
	return result;
}

/* The definition at an offset of the metadata, which is not its end. */
static int take_definition(struct ue_reader *reader, uint32_t at,
			   struct definition *field)
{
	const uint8_t *name = reader->ue__metadata + at;
	const uint8_t *nul = find_nul(name, reader->ue__metadata_length - at);
	int result;

	if (!nul)
		return fail(reader, UE_FAULT_FIELD_NAME_UNTERMINATED,
			    in_event(reader, at));
	field->name_at = at;
	field->name_length = (uint32_t)(nul - name);
	at += field->name_length + 1;
	if (at == reader->ue__metadata_length)
		return fail(reader, UE_FAULT_FIELD_TRUNCATED, in_event(reader, at));
	result = take_encoding(reader, at, field);
	return result ? result :
			charge(reader, field->end - field->name_at, field->name_at);
}

/* Passing over the members of an empty array */

static struct ue__reader_skip *remembered(struct ue_reader *reader, uint32_t at)
{
	if (!reader->ue__has_skips) {
		memset(reader->ue__skips, 0, sizeof(reader->ue__skips));
		reader->ue__has_skips = 1;
	}
	return &reader->ue__skips[(at * 0x9e3779b1u) >> 27];
}

static_assert(UE__READER_SKIPS == 1u << (32 - 27), "index by the top bits");

static int pass_over(struct ue_reader *reader, uint32_t *at, uint8_t members)
{
	struct ue__reader_skip *skip = remembered(reader, *at);
	uint32_t begin = *at, end = *at, left = members;

	/* no members begin at 0: the event's name is there */
	if (skip->begin == begin) {
		*at = skip->end;
		return 0;
	}
	for (; left && end < reader->ue__metadata_length; left--) {
		struct definition field;
		int result = take_definition(reader, end, &field);

		if (result)
			return result;
		if (field.encoding == UE_ENCODING_STRUCT)
			left += field.format;
		end = field.end;
	}
	skip->begin = (uint16_t)begin;
	skip->end = (uint16_t)end;
	*at = end;
	return 0;
}

/* Items */

static int give(struct ue_reader *reader, enum ue_item_kind kind)
{
	reader->item.kind = kind;
	reader->ue__last = (uint8_t)kind;
	reader->ue__is_definition = 0;
	return kind;
}

/* An item of a field, about to get its value or elements. */
static inline void describe(struct ue_reader *reader, const struct definition *field)
{
	struct ue_item *item = &reader->item;

	item->depth = reader->ue__depth;
	item->name = (const char *)reader->ue__metadata + field->name_at;
	item->name_length = field->name_length;
	item->tag = field->tag;
	item->is_element = 0;
	item->array = field->array;
	item->index = 0;
	item->count = field->count;
	item->offset = reader->ue__at;
	item->element_size = 0;
	item->members = 0;
	item->spare = 0;
	item->value.bytes = NULL;
	item->value.length = 0;
	item->value.encoding = field->encoding;
	item->value.format = field->format;
	item->value.big_endian = (uint8_t)is_big_endian(reader);
	item->value.spare = 0;
}

static void describe_struct(struct ue_reader *reader,
			    const struct ue__reader_frame *frame)
{
	struct definition field = {
		.name_at = frame->name_at,
		.name_length = frame->name_length,
		.tag = frame->tag,
		.count = frame->count,
		.encoding = UE_ENCODING_STRUCT,
		.array = frame->array,
	};

	describe(reader, &field);
	reader->item.depth = reader->ue__depth - 1;
	reader->item.members = frame->members;
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

static int take_zstring(struct ue_reader *reader, struct ue_item *item)
{
	uint32_t unit = unit_size[item->value.encoding];
	uint32_t left = payload_left(reader);
	uint32_t length = units_before_zero(item->value.bytes, left, unit);

	if (length > left)
		return fail(reader, UE_FAULT_STRING_UNTERMINATED, reader->ue__at);
	item->value.length = length;
	reader->ue__at += length + unit;
	return 0;
}

static int take_counted(struct ue_reader *reader, struct ue_item *item)
{
	uint32_t left = payload_left(reader);
	uint32_t length;

	if (left < 2)
		return fail(reader, UE_FAULT_STRING_PAST_END, reader->ue__at);
	length = (uint32_t)load16(item->value.bytes, is_big_endian(reader)) *
		 unit_size[item->value.encoding];
	if (length > left - 2)
		return fail(reader, UE_FAULT_STRING_PAST_END, reader->ue__at);
	item->value.bytes += 2;
	item->value.length = length;
	item->offset += 2;
	reader->ue__at += 2 + length;
	return 0;
}

static __attribute__((noinline)) int take_string(struct ue_reader *reader)
{
	struct ue_item *item = &reader->item;

	return item->value.encoding < UE_ENCODING_STRING_LENGTH16_CHAR8 ?
		       take_zstring(reader, item) :
		       take_counted(reader, item);
}

/* The value at the payload's cursor, of the encoding in the item. */
static inline int take_value(struct ue_reader *reader)
{
	struct ue_item *item = &reader->item;
	uint32_t size = value_size[item->value.encoding];

	item->value.bytes = reader->ue__bytes + reader->ue__at;
	item->offset = reader->ue__at;
	if (!size)
		return take_string(reader);
	if (size > payload_left(reader))
		return fail(reader, UE_FAULT_VALUE_PAST_END, reader->ue__at);
	item->value.length = size;
	reader->ue__at += size;
	return 0;
}

/* Arrays */

/* The count of an array whose count is in the payload. */
static int take_count(struct ue_reader *reader, struct definition *field)
{
	if (field->array != UE_ENCODING_VARRAY)
		return 0;
	if (payload_left(reader) < 2)
		return fail(reader, UE_FAULT_ARRAY_PAST_END, reader->ue__at);
	field->count = load16(reader->ue__bytes + reader->ue__at,
			      is_big_endian(reader));
	reader->ue__at += 2;
	return 0;
}

static int open_array(struct ue_reader *reader, struct definition *field)
{
	uint32_t size = value_size[field->encoding];
	uint32_t begin = reader->ue__at;
	int result = take_count(reader, field);

	if (result)
		return result;
	if (size * field->count > payload_left(reader))
		return fail(reader, UE_FAULT_ARRAY_PAST_END, begin);
	describe(reader, field);
	reader->item.element_size = (uint16_t)size;
	if (size) {
		reader->item.value.bytes = reader->ue__bytes + reader->ue__at;
		reader->item.value.length = size * field->count;
	}
	reader->ue__element = 0;
	reader->ue__elements = field->count;
	reader->ue__array_name_at = (uint16_t)field->name_at;
	reader->ue__array_name_length = (uint16_t)field->name_length;
	reader->ue__array_tag = field->tag;
	reader->ue__array_encoding = field->encoding | field->array;
	reader->ue__array_format = field->format;
	reader->ue__place = UE__PLACE_ELEMENTS;
	return give(reader, UE_ITEM_ARRAY_BEGIN);
}

static void describe_array(struct ue_reader *reader)
{
	struct definition field = {
		.name_at = reader->ue__array_name_at,
		.name_length = reader->ue__array_name_length,
		.tag = reader->ue__array_tag,
		.count = (uint16_t)reader->ue__elements,
		.encoding = reader->ue__array_encoding & UE_ENCODING_VALUE_MASK,
		.format = reader->ue__array_format,
		.array = reader->ue__array_encoding & (uint8_t)~UE_ENCODING_VALUE_MASK,
	};

	describe(reader, &field);
	reader->item.index = reader->ue__element;
}

static int close_array(struct ue_reader *reader)
{
	describe_array(reader);
	reader->ue__place = UE__PLACE_FIELDS;
	return give(reader, UE_ITEM_ARRAY_END);
}

static int next_element(struct ue_reader *reader)
{
	int result;

	if (reader->ue__element == reader->ue__elements)
		return close_array(reader);
	describe_array(reader);
	reader->item.is_element = 1;
	result = take_value(reader);
	if (result)
		return result;
	reader->ue__element++;
	return give(reader, UE_ITEM_VALUE);
}

/* Structs */

static inline struct ue__reader_frame *top(struct ue_reader *reader)
{
	return &reader->ue__frames[reader->ue__depth - 1];
}

static int open_struct(struct ue_reader *reader, struct ue__reader_frame *frame)
{
	frame->remaining = frame->members;
	reader->ue__field = frame->first;
	reader->ue__place = UE__PLACE_FIELDS;
	describe_struct(reader, frame);
	reader->item.is_element = frame->array != 0;
	return give(reader, UE_ITEM_STRUCT_BEGIN);
}

static int close_struct(struct ue_reader *reader)
{
	struct ue__reader_frame *frame = top(reader);

	describe_struct(reader, frame);
	reader->item.is_element = frame->array != 0;
	if (frame->array) {
		frame->index++;
		reader->ue__place = UE__PLACE_STRUCTS;
	} else {
		reader->ue__depth--;
	}
	return give(reader, UE_ITEM_STRUCT_END);
}

static int close_structs(struct ue_reader *reader)
{
	describe_struct(reader, top(reader));
	reader->ue__depth--;
	reader->ue__place = UE__PLACE_FIELDS;
	return give(reader, UE_ITEM_ARRAY_END);
}

static int next_struct(struct ue_reader *reader)
{
	struct ue__reader_frame *frame = top(reader);
	int result;

	if (frame->index == frame->count)
		return close_structs(reader);
	result = charge(reader, 0, frame->first);
	return result ? result : open_struct(reader, frame);
}

static int enter(struct ue_reader *reader, struct definition *field)
{
	struct ue__reader_frame *frame;
	int result;

	if (reader->ue__depth == UE_READER_DEPTH_MAX)
		return fail(reader, UE_FAULT_NESTING_TOO_DEEP,
			    in_event(reader, field->name_at));
	result = take_count(reader, field);
	if (!result && !field->count)
		result = pass_over(reader, &reader->ue__field, field->format);
	if (result)
		return result;
	reader->ue__depth++;
	frame = top(reader);
	*frame = (struct ue__reader_frame){
		.name_at = (uint16_t)field->name_at,
		.name_length = (uint16_t)field->name_length,
		.tag = field->tag,
		.first = (uint16_t)field->end,
		.count = field->count,
		.members = field->format,
		.array = field->array,
	};
	if (!frame->array)
		return open_struct(reader, frame);
	reader->ue__place = UE__PLACE_STRUCTS;
	describe_struct(reader, frame);
	return give(reader, UE_ITEM_ARRAY_BEGIN);
}

/* Fields */

static int finish(struct ue_reader *reader)
{
	reader->trailing = payload_left(reader);
	return give(reader, UE_ITEM_END);
}

/* Any field, and all that is wrong with one. */
static __attribute__((noinline)) int next_any(struct ue_reader *reader)
{
	struct definition field;
	int result = take_definition(reader, reader->ue__field, &field);

	if (result)
		return result;
	reader->ue__field = field.end;
	if (field.encoding == UE_ENCODING_STRUCT)
		return enter(reader, &field);
	if (field.array)
		return open_array(reader, &field);
	describe(reader, &field);
	result = take_value(reader);
	return result ? result : give(reader, UE_ITEM_VALUE);
}

/* Encodings of one value, without UE_ENCODING_CHAIN. */
static inline int is_one_value(uint8_t encoding)
{
	return encoding - UE_ENCODING_VALUE8 < UE_ENCODING_END - UE_ENCODING_VALUE8 &&
	       encoding >= UE_ENCODING_VALUE8;
}

/*
 * Most fields are one value without a tag, in order. For these all at once; for any
 * other -1, with nothing done.
 */
static inline int take_simple(struct ue_reader *reader, struct definition *field)
{
	const uint8_t *metadata = reader->ue__metadata;
	const uint8_t *end = metadata + reader->ue__metadata_length;
	const uint8_t *name = metadata + reader->ue__field;
	const uint8_t *at = find_nul(name, (uint32_t)(end - name));
	uint32_t cost;

	if (!at || end - at < 3)
		return -1;
	field->name_at = reader->ue__field;
	field->name_length = (uint32_t)(at - name);
	field->encoding = at[1] & (uint8_t)~UE_ENCODING_CHAIN;
	if (!is_one_value(field->encoding))
		return -1;
	field->format = at[1] & UE_ENCODING_CHAIN ? at[2] : 0;
	if (field->format & UE_FORMAT_CHAIN)
		return -1;
	field->end = (uint32_t)(at + 2 + (at[1] >> 7) - metadata);
	cost = UE__STEP + field->end - field->name_at;
	if (reader->ue__steps < cost)
		return -1;
	reader->ue__steps -= cost;
	field->tag = 0;
	field->count = 1;
	field->array = 0;
	return 0;
}

static int next_field(struct ue_reader *reader)
{
	struct definition field;
	int result;

	if (reader->ue__field == reader->ue__metadata_length)
		return reader->ue__depth ? close_struct(reader) : finish(reader);
	if (reader->ue__depth) {
		if (!top(reader)->remaining)
			return close_struct(reader);
		top(reader)->remaining--;
	}
	if (take_simple(reader, &field))
		return next_any(reader);
	reader->ue__field = field.end;
	describe(reader, &field);
	result = take_value(reader);
	return result ? result : give(reader, UE_ITEM_VALUE);
}

UE_API int ue_reader_next(struct ue_reader *reader)
{
	if (reader->error.error)
		return reader->error.error;
	if (reader->ue__place == UE__PLACE_FIELDS)
		return next_field(reader);
	return reader->ue__place == UE__PLACE_ELEMENTS ? next_element(reader) :
						     next_struct(reader);
}

int ue__reader_unwind(struct ue_reader *reader)
{
	switch (reader->ue__place) {
	case UE__PLACE_ELEMENTS:
		return close_array(reader);
	case UE__PLACE_STRUCTS:
		return close_structs(reader);
	default:
		return reader->ue__depth ? close_struct(reader) : UE_ITEM_END;
	}
}

/* To the end of the array or struct that has just begun. */
static int leave(struct ue_reader *reader, int end)
{
	uint32_t depth = reader->ue__depth;
	int kind;

	if (end == UE_ITEM_STRUCT_END || reader->ue__place == UE__PLACE_STRUCTS)
		depth--; /* it is open itself */
	do {
		kind = ue_reader_next(reader);
	} while (kind > 0 && (kind != end || reader->item.depth != depth));
	return kind;
}

void ue__reader_pass_values(struct ue_reader *reader)
{
	reader->ue__at += (reader->ue__elements - reader->ue__element) *
			  value_size[reader->ue__array_encoding &
				     UE_ENCODING_VALUE_MASK];
	reader->ue__place = UE__PLACE_FIELDS;
	give(reader, UE_ITEM_ARRAY_END);
}

int ue__reader_is_at_item(const struct ue_reader *reader)
{
	return !reader->error.error && !reader->ue__is_definition &&
	       (reader->ue__last == UE_ITEM_VALUE ||
		reader->ue__last == UE_ITEM_ARRAY_BEGIN ||
		reader->ue__last == UE_ITEM_STRUCT_BEGIN);
}

UE_API int ue_reader_next_sibling(struct ue_reader *reader)
{
	int kind = reader->ue__last;

	if (reader->error.error)
		return reader->error.error;
	if (kind == UE_ITEM_STRUCT_BEGIN) {
		kind = leave(reader, UE_ITEM_STRUCT_END);
	} else if (kind == UE_ITEM_ARRAY_BEGIN) {
		if (reader->ue__place == UE__PLACE_ELEMENTS &&
		    value_size[reader->ue__array_encoding & UE_ENCODING_VALUE_MASK])
			ue__reader_pass_values(reader);
		else
			kind = leave(reader, UE_ITEM_ARRAY_END);
	}
	return kind < 0 ? kind : ue_reader_next(reader);
}

/* Definitions alone */

UE_API int ue_reader_next_field(struct ue_reader *reader)
{
	struct definition field;
	int result;

	if (reader->error.error)
		return reader->error.error;
	if (reader->ue__definition == reader->ue__metadata_length) {
		reader->item.kind = UE_ITEM_END;
		return UE_ITEM_END;
	}
	reader->ue__is_definition = 1;
	result = take_definition(reader, reader->ue__definition, &field);
	if (result)
		return result;
	reader->ue__definition = field.end;
	if (field.array == UE_ENCODING_VARRAY)
		field.count = 0;
	describe(reader, &field);
	reader->item.depth = 0;
	reader->item.offset = 0;
	if (field.encoding == UE_ENCODING_STRUCT) {
		reader->item.members = field.format;
		reader->item.value.format = 0;
	}
	reader->item.kind = field.array ? UE_ITEM_ARRAY_BEGIN :
			    reader->item.members ? UE_ITEM_STRUCT_BEGIN :
						   UE_ITEM_VALUE;
	return (int)reader->item.kind;
}
