/* SPDX-License-Identifier: MIT */
/*
 * Decode the definitions of fields, in the order of the metadata.
 */
#include "cursor.h"

/* Format, tag and count, as far as the encoding says that they are there. */
static int take_details(struct ue__reader *reader, struct ue__event_field *field,
			uint8_t encoding)
{
	const uint8_t *metadata = reader->metadata;
	uint32_t end = reader->metadata_length;
	uint32_t at = field->end;

	if (encoding & UE_ENCODING_CHAIN) {
		if (at >= end)
			goto truncated;
		field->format = metadata[at] & UE_FORMAT_VALUE_MASK;
		if (metadata[at++] & UE_FORMAT_CHAIN) {
			if (end - at < 2)
				goto truncated;
			field->tag = ue__load16(reader, metadata + at);
			at += 2;
		}
	}
	if (encoding & UE_ENCODING_CARRAY) {
		if (end - at < 2)
			goto truncated;
		field->count = ue__load16(reader, metadata + at);
		if (!field->count)
			return ue__reader_fail(reader, UE_FAULT_ARRAY_COUNT_ZERO,
					       ue__in_event(reader, at));
		at += 2;
	}
	field->end = (uint16_t)at;
	return 0;
truncated:
	return ue__reader_fail(reader, UE_FAULT_FIELD_TRUNCATED,
			       ue__in_event(reader, at));
}

static int check_encoding(struct ue__reader *reader,
			  const struct ue__event_field *field, uint32_t at)
{
	enum ue_fault fault = UE_FAULT_NONE;

	if (field->encoding == UE_ENCODING_INVALID)
		fault = UE_FAULT_ENCODING_INVALID;
	else if (field->encoding >= UE_ENCODING_END)
		fault = UE_FAULT_ENCODING_UNKNOWN;
	else if (field->array == (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY))
		fault = UE_FAULT_ARRAY_FLAGS;
	return fault ? ue__reader_fail(reader, fault, ue__in_event(reader, at)) : 0;
}

static int take_encoding(struct ue__reader *reader, uint32_t at,
			 struct ue__event_field *field)
{
	uint8_t encoding = reader->metadata[at];
	int result;

	field->encoding = encoding & UE_ENCODING_VALUE_MASK;
	field->array = encoding & (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY);
	field->format = 0;
	field->tag = 0;
	field->count = 1;
	field->end = (uint16_t)(at + 1);
	result = check_encoding(reader, field, at);
	if (!result && encoding & (UE_ENCODING_CHAIN | UE_ENCODING_CARRAY))
		result = take_details(reader, field, encoding);
	if (!result && field->encoding == UE_ENCODING_STRUCT && !field->format)
		result = ue__reader_fail(reader, UE_FAULT_STRUCT_EMPTY,
					 ue__in_event(reader, at));
	return result;
}

int ue__take_definition(struct ue__reader *reader, uint32_t at,
			struct ue__event_field *field)
{
	const uint8_t *name = reader->metadata + at;
	const uint8_t *nul = memchr(name, 0, reader->metadata_length - at);
	int result;

	if (!nul)
		return ue__reader_fail(reader, UE_FAULT_FIELD_NAME_UNTERMINATED,
				       ue__in_event(reader, at));
	field->name_at = (uint16_t)at;
	field->name_length = (uint16_t)(nul - name);
	at += field->name_length + 1;
	if (at == reader->metadata_length)
		return ue__reader_fail(reader, UE_FAULT_FIELD_TRUNCATED,
				       ue__in_event(reader, at));
	result = take_encoding(reader, at, field);
	return result ? result :
			ue__charge(reader, field->end - field->name_at, field->name_at);
}

UE__PUBLIC int ue_reader_next_field(struct ue_reader *public_reader)
{
	struct ue__reader *reader = ue__own(public_reader);
	struct ue__event_field field;
	int result;

	if (reader->error.error)
		return reader->error.error;
	reader->is_definition = 1;
	if (reader->definition == reader->metadata_length) {
		reader->item.kind = UE_ITEM_END;
		return UE_ITEM_END;
	}
	result = ue__take_definition(reader, reader->definition, &field);
	if (result)
		return result;
	reader->definition = field.end;
	if (field.array == UE_ENCODING_VARRAY)
		field.count = 0;
	ue__describe(reader, &field);
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
