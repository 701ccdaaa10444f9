/* SPDX-License-Identifier: MIT */
/* Walks through the fields of events of either encoding. */
#include "field_walk.h"

#include <errno.h>
#include <string.h>

#include <userevents/session.h>

#include "exported_event.h"

/* Items */

/* Names are short: one loop is faster than two functions. */
static struct clean_text name_of(struct clean_texts *names, const struct ue_item *found)
{
	const char *attributes;
	size_t i = 0;

	while (i < found->name_length && !(found->name[i] & 0x80) && found->name[i] != ';')
		i++;
	if (i == found->name_length || found->name[i] == ';')
		return (struct clean_text){ found->name, i };
	attributes = memchr(found->name, ';', found->name_length);
	return clean_text(names, found->name,
			  attributes ? (size_t)(attributes - found->name) :
				       found->name_length);
}

static void set_name(struct field_walk *walk)
{
	walk->item.is_element = walk->found.is_element;
	if (walk->found.is_element) {
		walk->item.name = (struct clean_text){ "", 0 };
		return;
	}
	walk->names_length += walk->found.name_length;
	walk->item.name = name_of(&walk->names, &walk->found);
}

static enum walk_kind take_value(struct field_walk *walk, const struct ue_value *raw)
{
	const int type = ue_value_type(raw);

	walk->raw = *raw;
	walk->item.raw = &walk->raw;
	walk->item.type = type < 0 ? UE_TYPE_NULL : (enum ue_value_type)type;
	if (type == UE_TYPE_HEX || type == UE_TYPE_TIME)
		value_printed(raw, &walk->item.value, &walk->scratch);
	else
		value_of(raw, &walk->item.value, &walk->scratch);
	return WALK_VALUE;
}

static enum walk_kind take_null(struct field_walk *walk)
{
	walk->raw = (struct ue_value){ .bytes = (const uint8_t *)"" };
	walk->item.raw = &walk->raw;
	walk->item.type = UE_TYPE_NULL;
	walk->item.value = (struct value){ .type = VALUE_NONE };
	return WALK_VALUE;
}

/* The type of an array's elements, of which there need not be any. */
static void set_element_type(struct field_walk *walk)
{
	int type;

	walk->raw = walk->found.value;
	walk->raw.length = walk->found.element_size;
	walk->item.raw = &walk->raw;
	type = ue_value_type(&walk->raw);
	walk->item.type = type < 0 ? UE_TYPE_NULL : (enum ue_value_type)type;
}

static enum walk_kind begin(struct field_walk *walk, enum walk_kind kind)
{
	walk->open[walk->depth++] = kind == WALK_ARRAY_BEGIN ? WALK_ARRAY_END :
							       WALK_STRUCT_END;
	walk->item.count = walk->found.count;
	walk->names_length += WALK_NEST_COST;
	if (kind == WALK_ARRAY_BEGIN)
		set_element_type(walk);
	return kind;
}

static enum walk_kind end(struct field_walk *walk)
{
	return walk->depth ? (enum walk_kind)walk->open[--walk->depth] : WALK_END;
}

/* EventHeader events */

/* The place is that of the last name. */
static enum walk_kind give_up(struct field_walk *walk)
{
	const uint8_t *name = (const uint8_t *)walk->found.name;

	walk->fault = (struct ue_eventheader_error){
		.error = -E2BIG,
		.fault = UE_FAULT_STEP_LIMIT,
		.offset = (size_t)(name - walk->event->bytes),
		.name = ue_name(UE_NAME_FAULT, UE_FAULT_STEP_LIMIT),
		.reason = ue_name(UE_NAME_FAULT_REASON, UE_FAULT_STEP_LIMIT),
	};
	return end(walk);
}

static enum walk_kind next_of_reader(struct field_walk *walk)
{
	struct ue_reader *reader = &walk->event->reader;
	int kind;

	if (walk->names_length > WALK_NAMES_MAX)
		return give_up(walk);
	kind = ue_reader_next(reader);
	if (kind <= 0) {
		walk->fault = *ue_reader_error(reader);
		return end(walk);
	}
	if (kind == UE_ITEM_ARRAY_END || kind == UE_ITEM_STRUCT_END)
		return end(walk);
	walk->found = *ue_reader_item(reader);
	set_name(walk);
	switch (kind) {
	case UE_ITEM_ARRAY_BEGIN:
		return begin(walk, WALK_ARRAY_BEGIN);
	case UE_ITEM_STRUCT_BEGIN:
		return begin(walk, WALK_STRUCT_BEGIN);
	default:
		return take_value(walk, &walk->found.value);
	}
}

/* Classic events */

/* The library's account of it, which comes with the event's JSON alone. */
static void find_fault(struct field_walk *walk)
{
	const struct event *event = walk->event;
	const struct ue_render_opts opts = { .size = sizeof(opts), .error = &walk->fault };

	if (!walk->fault.error)
		ue_record_to_json(&event->record->tracepoint->format, event->bytes,
				  event->length, &opts, NULL, 0);
}

/* An array of texts: each has a location of its own, of 4 bytes, in the place of one. */
static enum walk_kind next_text(struct field_walk *walk)
{
	const struct event *event = walk->event;
	struct ue_record_layout layout = event->record->tracepoint->format;
	struct ue_record_field text = layout.fields[walk->field - 1];
	struct ue_item item;

	text.offset += 4 * walk->element++;
	text.size = 4;
	text.is_array = 0;
	layout.fields = &text;
	layout.field_count = 1;
	if (ue_record_item(&layout, 0, event->bytes, event->length, &item) >= 0)
		return take_value(walk, &item.value);
	find_fault(walk);
	return take_null(walk);
}

static enum walk_kind next_element(struct field_walk *walk)
{
	struct ue_value element = walk->found.value;
	const uint32_t size = walk->found.element_size;

	if (walk->element >= walk->item.count)
		return end(walk);
	walk->item.is_element = 1;
	walk->item.name = (struct clean_text){ "", 0 };
	if (!size)
		return next_text(walk);
	element.bytes += (size_t)walk->element++ * size;
	element.length = size;
	return take_value(walk, &element);
}

static enum walk_kind begin_classic_array(struct field_walk *walk)
{
	const struct ue_record_field *field =
		&walk->event->record->tracepoint->format.fields[walk->field - 1];
	const enum walk_kind kind = begin(walk, WALK_ARRAY_BEGIN);

	walk->element = 0;
	walk->item.count = walk->found.element_size ?
				   walk->found.value.length / walk->found.element_size :
				   field->size / 4;
	return kind;
}

static enum walk_kind next_of_layout(struct field_walk *walk)
{
	const struct event *event = walk->event;
	const struct ue_record_layout *layout = &event->record->tracepoint->format;
	int kind;

	if (walk->depth)
		return next_element(walk);
	if (event->record->tracepoint->is_bare || walk->field >= layout->field_count)
		return WALK_END;
	kind = ue_record_item(layout, walk->field++, event->bytes, event->length,
			      &walk->found);
	walk->found.is_element = 0;
	walk->found.name = layout->fields[walk->field - 1].name;
	walk->found.name_length = layout->fields[walk->field - 1].name_length;
	set_name(walk);
	if (kind == UE_ITEM_ARRAY_BEGIN)
		return begin_classic_array(walk);
	if (kind == UE_ITEM_VALUE)
		return take_value(walk, &walk->found.value);
	find_fault(walk);
	return take_null(walk);
}

/* Either */

void field_walk_begin(struct field_walk *walk, struct event *event)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;

	walk->event = event;
	walk->field = 0;
	walk->depth = 0;
	walk->names_length = 0;
	walk->fault = (struct ue_eventheader_error){ .error = 0 };
	if (event->info)
		ue_reader_rewind(&event->reader);
	else if (tracepoint->is_bare || tracepoint->format.is_eventheader)
		walk->fault = *ue_reader_error(&event->reader);
}

/* A reader that failed fails again, so the walk ends as soon as everything is closed. */
static enum walk_kind next(struct field_walk *walk)
{
	return walk->event->info ? next_of_reader(walk) : next_of_layout(walk);
}

/* Redaction */

static int begins(enum walk_kind kind)
{
	return kind == WALK_ARRAY_BEGIN || kind == WALK_STRUCT_BEGIN;
}

/* Skip to the end of an item that has begun, if it did. */
static void pass_over(struct field_walk *walk, enum walk_kind kind)
{
	const uint8_t depth = walk->depth;

	if (begins(kind))
		while (walk->depth >= depth && walk->depth)
			next(walk);
}

/* A value is a text from now on, of an array or struct as of a value. */
static enum walk_kind put_text(struct field_walk *walk, const char *text)
{
	walk->item.name =
		(struct clean_text){ (const char *)walk->name.at, walk->name.length };
	walk->item.is_element = 0;
	walk->item.is_redacted = 1;
	walk->scratch.length = 0;
	bytes_add(&walk->scratch, text, strlen(text));
	walk->raw = (struct ue_value){
		.bytes = walk->scratch.at,
		.length = (uint32_t)walk->scratch.length,
		.encoding = UE_ENCODING_STRING_LENGTH16_CHAR8,
		.format = UE_FORMAT_STRING_UTF,
	};
	walk->item.raw = &walk->raw;
	walk->item.type = UE_TYPE_TEXT;
	walk->item.value = (struct value){
		.type = VALUE_TEXT, .text = (const char *)walk->scratch.at,
		.length = walk->scratch.length,
	};
	return WALK_VALUE;
}

/* An array and a struct have no bytes of their own, so they are masked. */
static enum walk_kind redact(struct field_walk *walk, enum walk_kind kind,
			     enum redaction how)
{
	char hash[17];

	walk->name.length = 0; /* its members have names, too */
	bytes_add(&walk->name, walk->item.name.at, walk->item.name.length);
	if (how == REDACTION_MASK || begins(kind)) {
		pass_over(walk, kind);
		return put_text(walk, "***");
	}
	redaction_hash(walk->raw.bytes, walk->raw.length, hash);
	return put_text(walk, hash);
}

enum walk_kind field_walk_next(struct field_walk *walk)
{
	enum walk_kind kind = next(walk);

	walk->item.is_redacted = 0;
	while (redaction_is_on() && (kind == WALK_VALUE || begins(kind)) &&
	       !walk->item.is_element) {
		const struct clean_text name = walk->item.name;
		const enum redaction how = redaction_of(name.at, name.length);

		if (how == REDACTION_NONE)
			return kind;
		if (how != REDACTION_DROP)
			return redact(walk, kind, how);
		pass_over(walk, kind);
		kind = next(walk);
	}
	return kind;
}

void field_walk_free(struct field_walk *walk)
{
	clean_texts_free(&walk->names);
	bytes_free(&walk->scratch);
	bytes_free(&walk->name);
}
