/* SPDX-License-Identifier: MIT */
/*
 * Take the values of a record by the description of its fields, and render the record as
 * text and JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <userevents/decode/record.h>

#include "describe/eventheader.h"
#include "render.h"
#include "util/sized_struct.h"

/* Each has a location of its own, of 4 bytes. */
static int is_of_texts(const struct ue_record_field *field)
{
	return field->is_array && !field->element_size;
}

/*
 * Find the bytes of a location, whose offset counts from the end of the common fields. A
 * location of two bytes has an offset alone, to text that ends with a NUL. Synthetic events
 * have locations of eight bytes, of which four are used. A size of 0 is empty wherever it
 * points, as the kernel leaves it when there is nothing to say.
 */
static enum ue_fault follow(const struct ue_record_layout *layout,
			    const struct ue_record_field *field, const uint8_t *bytes,
			    uint32_t length, struct ue_item *item)
{
	uint32_t value, size;
	int64_t offset;

	if (is_of_texts(field)) {
		item->value.length = 0; /* each text has its own */
		return UE_FAULT_NONE;
	}
	if (field->size != 4 && field->size != 2 &&
	    (field->size != 8 || field->location != UE_LOCATION_DATA))
		return UE_FAULT_STRING_PAST_END;
	value = (uint32_t)ue__load(bytes + field->offset, field->size == 2 ? 2 : 4,
				   layout->big_endian);
	size = value >> 16;
	offset = value & 0xffff;
	if (field->location == UE_LOCATION_RELATIVE)
		offset += field->offset + field->size;
	else
		offset -= layout->common_size;
	if (field->size == 2)
		size = offset >= 0 && offset < length ? length - (uint32_t)offset : 1;
	if (size && (offset < 0 || offset + size > length))
		return UE_FAULT_STRING_PAST_END;
	if (size)
		item->offset = (size_t)offset;
	item->value.length = size;
	return UE_FAULT_NONE;
}

/* Find the bytes that a field stands for. */
static enum ue_fault find(const struct ue_record_layout *layout,
			  const struct ue_record_field *field, const uint8_t *bytes,
			  uint32_t length, struct ue_item *item)
{
	uint32_t left = field->offset < length ? length - field->offset : 0;

	if (field->size > left || field->offset > length)
		return UE_FAULT_VALUE_PAST_END;
	if (field->location)
		return follow(layout, field, bytes, length, item);
	item->value.length = field->size ? field->size : left;
	return UE_FAULT_NONE;
}

/* UE_BLOB() and UE_BYTES() write such fields; EventHeader events show them as bytes. */
static int is_bytes(const struct ue_record_field *field)
{
	return field->is_array && field->encoding == UE_ENCODING_VALUE8 &&
	       field->format == UE_FORMAT_UNSIGNED_INT;
}

static void set_array(struct ue_item *item, const struct ue_record_field *field)
{
	item->kind = UE_ITEM_ARRAY_BEGIN;
	item->array = UE_ENCODING_VARRAY;
	if (is_of_texts(field)) {
		item->count = field->size / 4;
		return;
	}
	item->element_size = field->element_size;
	item->count = item->value.length / field->element_size;
	item->value.length = item->count * field->element_size;
}

static void set_bytes(struct ue_item *item, enum ue_format format)
{
	item->value.encoding = UE_ENCODING_BINARY_LENGTH16_CHAR8;
	item->value.format = format;
}

/*
 * The kernel may leave anything behind the NUL of a text. A program that writes a location
 * itself gives the length, with a NUL behind the text; there may be others within.
 */
static uint32_t text_length(const struct ue_record_field *field,
			    const struct ue_value *value)
{
	const uint32_t length = value->length;

	if (field->location == UE_LOCATION_RELATIVE && field->size == 4)
		return length && !value->bytes[length - 1] ? length - 1 : length;
	return (uint32_t)strnlen((const char *)value->bytes, length);
}

static enum ue_fault take_item(const struct ue_record_layout *layout,
			       const struct ue_record_field *field,
			       const uint8_t *bytes, uint32_t length,
			       struct ue_item *item)
{
	enum ue_fault fault;

	*item = (struct ue_item){
		.kind = UE_ITEM_VALUE,
		.name = field->name,
		.name_length = field->name_length,
		.count = 1,
		.offset = field->offset,
		.value = {
			.bytes = bytes,
			.encoding = field->encoding,
			.format = field->format,
			.big_endian = layout->big_endian,
		},
	};
	fault = find(layout, field, bytes, length, item);
	if (fault) { /* null: no bytes where a number should be */
		set_bytes(item, UE_FORMAT_UNSIGNED_INT);
		return fault;
	}
	item->value.bytes += item->offset;
	if (is_bytes(field))
		set_bytes(item, UE_FORMAT_HEX_BYTES);
	else if (field->is_array)
		set_array(item, field);
	else if (field->encoding == UE_ENCODING_STRING_LENGTH16_CHAR8)
		item->value.length = text_length(field, &item->value);
	return UE_FAULT_NONE;
}

/* No record of any kernel is longer, and offsets have 32 bits. */
static uint32_t limited(size_t length)
{
	return length < INT32_MAX ? (uint32_t)length : INT32_MAX;
}

UE__PUBLIC int ue_record_item_sized(const struct ue_record_layout *layout, uint32_t index,
				    const void *bytes, size_t length,
				    struct ue_item *item, size_t size)
{
	struct ue_item found, *out = size == sizeof(found) ? item : &found;
	enum ue_fault fault;

	if (index >= layout->field_count)
		return -ENOENT;
	fault = take_item(layout, &layout->fields[index], bytes, limited(length), out);
	if (out == &found)
		ue__hand_out(item, size, &found, sizeof(found));
	return fault ? -EBADMSG : (int)out->kind;
}

/* Rendering */

struct record {
	struct ue__items items;
	const struct ue_record_layout *layout;
	const uint8_t *bytes;
	uint32_t length;
	uint32_t next;
	const struct ue_record_field *texts; /* in this array; NULL: in none */
	uint32_t text; /* the next of them */
	uint32_t text_bytes; /* of those before */
};

/* Texts of a kernel never share bytes; shared ones could make any amount of a record. */
static enum ue_fault add_text(struct record *record, struct ue_item *item)
{
	if (item->value.length <= record->length - record->text_bytes) {
		record->text_bytes += item->value.length;
		return UE_FAULT_NONE;
	}
	item->value.length = 0;
	set_bytes(item, UE_FORMAT_UNSIGNED_INT);
	return UE_FAULT_STRING_PAST_END;
}

static int next_text(struct record *record, struct ue_item *item)
{
	struct ue_record_field field = *record->texts;
	enum ue_fault fault;

	if (record->text == field.size / 4) {
		record->texts = NULL;
		*item = (struct ue_item){ .kind = UE_ITEM_ARRAY_END };
		return UE_ITEM_ARRAY_END;
	}
	field.offset += 4 * record->text++;
	field.size = 4;
	field.is_array = 0;
	fault = take_item(record->layout, &field, record->bytes, record->length, item);
	if (!fault)
		fault = add_text(record, item);
	if (fault && !record->items.error.error)
		ue__fault(&record->items.error, fault, item->offset);
	item->is_element = 1;
	return (int)item->kind;
}

static int next_item(struct ue__items *items, struct ue_item *item)
{
	struct record *record = (struct record *)items;
	enum ue_fault fault;

	if (record->texts)
		return next_text(record, item);
	if (record->next == record->layout->field_count)
		return UE_ITEM_END;
	fault = take_item(record->layout, &record->layout->fields[record->next++],
			  record->bytes, record->length, item);
	if (fault && !items->error.error)
		ue__fault(&items->error, fault, item->offset);
	if (item->kind == UE_ITEM_ARRAY_BEGIN && !item->element_size) {
		record->texts = &record->layout->fields[record->next - 1];
		record->text = 0;
		record->text_bytes = 0;
	}
	return (int)item->kind;
}

static void begin(struct record *record, const struct ue_record_layout *layout,
		  const void *bytes, size_t length)
{
	/* apart: the compiler would clear all of it with a slow string instruction */
	record->items.info = (struct ue_event_info){
		.tracepoint = layout->name,
		.tracepoint_length = layout->name_length,
		.provider = layout->system,
		.provider_length = layout->system_length,
		.name = layout->name,
		.name_length = layout->name_length,
		.name_proper_length = layout->name_length,
	};
	record->items.error = (struct ue_eventheader_error){ 0 };
	record->items.next = next_item;
	record->layout = layout;
	record->bytes = bytes;
	record->length = limited(length);
	record->next = 0;
	record->texts = NULL;
}

static void begin_reader(struct ue__reader *reader, const struct ue_record_layout *layout,
			 const void *bytes, size_t length)
{
	int is_multi = !strcmp(layout->system, "user_events_multi");
	const struct ue_reader_opts opts = {
		.size = sizeof(opts),
		.flags = is_multi ? UE_READER_MULTI_FORMAT : 0,
	};

	/* a reader that could not be begun renders its error */
	(void)ue__reader_begin(reader, layout->name, layout->name_length, bytes, length,
			      &opts);
}

static ptrdiff_t render(const struct ue_record_layout *layout, const void *bytes,
			size_t length, const struct ue_render_opts *opts, char *out,
			size_t size, const struct ue__form *form)
{
	struct ue__reader reader;
	struct record record;

	if (layout->is_eventheader) {
		begin_reader(&reader, layout, bytes, length);
		return ue__render_event(&reader, opts, out, size, form);
	}
	begin(&record, layout, bytes, length);
	return ue__render_items(&record.items, opts, out, size, form);
}

UE__PUBLIC ptrdiff_t ue_record_to_json(const struct ue_record_layout *layout,
				   const void *bytes, size_t length,
				   const struct ue_render_opts *opts, char *out,
				   size_t size)
{
	return render(layout, bytes, length, opts, out, size, &ue__json);
}

UE__PUBLIC ptrdiff_t ue_record_to_text(const struct ue_record_layout *layout,
				   const void *bytes, size_t length,
				   const struct ue_render_opts *opts, char *out,
				   size_t size)
{
	return render(layout, bytes, length, opts, out, size, &ue__text);
}
