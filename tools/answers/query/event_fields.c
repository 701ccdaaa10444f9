/* SPDX-License-Identifier: MIT */
/* Reads the fields of an event in their order. */
#include "event_tables.h"

#include <stdarg.h>
#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

static int is_in(const struct bytes *scratch, const char *text)
{
	return scratch->at && text && text >= (const char *)scratch->at &&
	       text < (const char *)scratch->at + scratch->room;
}

static void set_json(struct event_field *field, struct bytes *scratch, size_t length)
{
	field->value = (struct value){ .type = VALUE_COMPOUND };
	field->value.text = (const char *)scratch->at;
	field->value.length = length;
	field->is_scratch = 1;
}

static void set_value(struct event_field *field, const struct ue_value *value,
		      struct bytes *scratch)
{
	value_of(value, &field->value, scratch);
	field->is_scratch = is_in(scratch, field->value.text);
}

static void set_name(struct event_field *field, const struct ue_item *item)
{
	const char *end = memchr(item->name, ';', item->name_length);

	field->name = item->name;
	field->length = end ? (size_t)(end - item->name) : item->name_length;
}

/* Classic events */

static size_t element_to_json(const struct ue_value *element, struct bytes *to)
{
	char text[64]; /* a number */
	ptrdiff_t length = ue_value_to_json(element, text, sizeof(text));

	bytes_add(to, text,
		  length > 0 && length < (ptrdiff_t)sizeof(text) ? (size_t)length : 0);
	return to->length;
}

/* An array of texts, each at its own location, is shown as the whole record shows it. */
static void texts_to_json(struct event_field *field, const struct ue_record_layout *layout,
			  uint32_t index, const struct event *event, struct bytes *scratch)
{
	const struct ue_render_opts opts = { .size = sizeof(opts), .meta = UE_META_NONE };
	struct ue_record_layout one = *layout;
	const char *begin, *end;
	ptrdiff_t length;
	size_t room = 4096;

	one.fields = &layout->fields[index];
	one.field_count = 1;
	scratch->length = 0;
	for (;; room = (size_t)length + 1) {
		length = ue_record_to_json(&one, event->bytes, event->length, &opts,
					   bytes_room(scratch, room), room);
		if (length < (ptrdiff_t)room)
			break;
	}
	/* {"NAME":[...]} */
	begin = length > 0 ? memchr(scratch->at, '[', (size_t)length) : NULL;
	end = begin ? memrchr(begin, ']', (size_t)length - (size_t)(begin - (char *)scratch->at)) :
		      NULL;
	if (!end)
		return;
	scratch->length = (size_t)(end + 1 - begin);
	memmove(scratch->at, begin, scratch->length);
	set_json(field, scratch, scratch->length);
}

static void array_to_json(struct event_field *field, const struct ue_item *item,
			  struct bytes *scratch)
{
	struct ue_value element = item->value;

	scratch->length = 0;
	bytes_add(scratch, "[", 1);
	element.length = item->element_size;
	for (; element.length &&
	       element.bytes + element.length <= item->value.bytes + item->value.length;
	     element.bytes += element.length) {
		if (scratch->length > 1)
			bytes_add(scratch, ",", 1);
		element_to_json(&element, scratch);
	}
	bytes_add(scratch, "]", 1);
	set_json(field, scratch, scratch->length);
}

static int each_classic(const struct event *event, struct bytes *scratch,
			int (*take)(void *context, const struct event_field *field),
			void *context)
{
	const struct ue_record_layout *layout = &event->record->tracepoint->format;
	struct event_field field = { .name = NULL };
	int kind, result, is_malformed = 0;
	struct ue_item item;

	for (uint32_t i = 0; i < layout->field_count; i++) {
		kind = ue_record_item(layout, i, event->bytes, event->length, &item);
		is_malformed |= kind < 0;
		if (kind < 0)
			continue;
		set_name(&field, &item);
		if (kind == UE_ITEM_VALUE)
			set_value(&field, &item.value, scratch);
		else if (!item.element_size)
			texts_to_json(&field, layout, i, event, scratch);
		else
			array_to_json(&field, &item, scratch);
		result = take(context, &field);
		if (result)
			return result;
	}
	return is_malformed ? -1 : 0;
}

/* EventHeader events */

/* The reader is moved from the start of an array or a struct to its end. */
static void item_to_json(struct event_field *field, struct ue_reader *reader,
			 struct bytes *scratch)
{
	const struct ue_render_opts opts = { .size = sizeof(opts) };
	struct ue_reader again = *reader;
	size_t room = 4096;
	ptrdiff_t length;

	scratch->length = 0;
	length = ue_reader_item_to_json(reader, &opts, bytes_room(scratch, room), room);
	if (length >= (ptrdiff_t)room) {
		room = (size_t)length + 1;
		length = ue_reader_item_to_json(&again, &opts, bytes_room(scratch, room),
						room);
	}
	set_json(field, scratch, length > 0 ? (size_t)length : 0);
}

static int each_eventheader(struct event *event, struct bytes *scratch,
			    int (*take)(void *context, const struct event_field *field),
			    void *context)
{
	struct ue_reader *reader = &event->reader;
	const struct ue_item *item = ue_reader_item(reader);
	struct event_field field = { .name = NULL };
	int kind, result;

	ue_reader_rewind(reader);
	while ((kind = ue_reader_next(reader)) > 0) {
		set_name(&field, item);
		if (kind == UE_ITEM_VALUE)
			set_value(&field, &item->value, scratch);
		else
			item_to_json(&field, reader, scratch);
		result = take(context, &field);
		if (result)
			return result;
	}
	return kind < 0 ? -1 : 0;
}

int event_fields_each(struct event *event, struct bytes *scratch,
		      int (*take)(void *context, const struct event_field *field),
		      void *context)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;
	int result;

	if (event->info)
		return each_eventheader(event, scratch, take, context);
	if (tracepoint->is_bare)
		return -1;
	result = each_classic(event, scratch, take, context);
	/* an EventHeader event that cannot be read has the fields of its header */
	return result ? result : tracepoint->format.is_eventheader ? -1 : 0;
}

/* Makes names of SQL, and quotes them. */

/* All columns of a table fit into a statement, whatever their names. */
#define NAME_MAX_BYTES 200

char *sql_name(const char *name, size_t length)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)name,
		.length = (uint32_t)(length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES),
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	char text[2 * NAME_MAX_BYTES + 1]; /* a byte that is not UTF-8 becomes two */

	ue_value_to_text(&value, 0, text, sizeof(text));
	controls_blank(text, length ? strlen(text) : 0);
	return xstrdup(length ? text : "(no name)");
}

void sql_put(struct bytes *sql, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	if (!text)
		memory_is_short();
	bytes_put(sql, text);
	sqlite3_free(text);
}
