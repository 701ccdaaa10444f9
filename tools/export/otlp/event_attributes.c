/* SPDX-License-Identifier: MIT */
/*
 * Makes attributes of an event's fields and header, and finds ids of traces and spans
 * (trace context) in its fields.
 */
#include "event_attributes.h"

#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"

/* Reads the ids of traces and spans in fields. */

int trace_context_id(const struct value *value, uint8_t *id, size_t size)
{
	uint8_t read[TRACE_ID_SIZE], any = 0;

	if (value->type != VALUE_TEXT || value->length != 2 * size)
		return 0;
	for (size_t i = 0; i < size; i++) {
		const int high = hex_digit(value->text[2 * i]);
		const int low = hex_digit(value->text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		read[i] = (uint8_t)(high << 4 | low);
		any |= read[i];
	}
	if (any)
		memcpy(id, read, size);
	return any != 0;
}

/*
 * VERSION-TRACE-SPAN-FLAGS of 2, 32, 16 and 2 digits, which are lower case. Later
 * versions may have a dash and more after it.
 */
#define PARENT_LENGTH 55

static int is_parent(const struct value *value)
{
	static const char form[] =
		"xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
	const char *text = value->text;

	if (value->length < PARENT_LENGTH || !memcmp(text, "ff", 2))
		return 0;
	for (size_t i = 0; i < PARENT_LENGTH; i++)
		if (form[i] == '-' ?
			    text[i] != '-' :
			    hex_digit(text[i]) < 0 || (text[i] >= 'A' && text[i] <= 'F'))
			return 0;
	if (value->length == PARENT_LENGTH)
		return 1;
	return memcmp(text, "00", 2) && text[PARENT_LENGTH] == '-';
}

static void take_parent(struct trace_context *context, const struct value *value)
{
	const char *text = value->text;
	const struct value trace = { .type = VALUE_TEXT, .text = text + 3, .length = 32 };
	const struct value span = { .type = VALUE_TEXT, .text = text + 36, .length = 16 };
	struct trace_context read;

	if (!is_parent(value))
		return;
	if (trace_context_id(&trace, read.trace, TRACE_ID_SIZE) &&
	    trace_context_id(&span, read.span, SPAN_ID_SIZE)) {
		read.has_trace = read.has_span = 1;
		*context = read;
	}
}

static int is_named(const struct walk_item *item, const char *name)
{
	return item->name.length == strlen(name) &&
	       !memcmp(item->name.at, name, item->name.length);
}

/* Note the field's part of it. */
static void trace_context_take(struct trace_context *context,
			       const struct walk_item *item)
{
	/* A hash has as many digits as the id of a span. */
	if (item->value.type != VALUE_TEXT || item->is_redacted)
		return;
	if (is_named(item, "traceparent"))
		take_parent(context, &item->value);
	else if (is_named(item, "trace_id") && !context->has_trace)
		context->has_trace =
			trace_context_id(&item->value, context->trace, TRACE_ID_SIZE);
	else if (is_named(item, "span_id") && !context->has_span)
		context->has_span =
			trace_context_id(&item->value, context->span, SPAN_ID_SIZE);
}

/* Fields */

static int is_in_array(const struct event_attributes *attributes)
{
	return attributes->depth && !attributes->open[attributes->depth - 1].nest.is_struct;
}

static int is_in_flat(const struct event_attributes *attributes)
{
	return attributes->depth && attributes->open[attributes->depth - 1].is_flat;
}

/* The list of attributes, or of a struct's members; its keys have a number. */
static enum otlp_field list_of(const struct event_attributes *attributes,
			       enum otlp_field list)
{
	return attributes->depth && !is_in_flat(attributes) ? OTLP_LIST_VALUES : list;
}

static struct clean_text path_of(struct event_attributes *attributes)
{
	const struct clean_text name = attributes->walk.item.name;
	struct bytes *path = &attributes->path;

	path->length = attributes->open[attributes->depth - 1].path_length;
	bytes_add(path, name.at, name.length);
	return (struct clean_text){ (char *)path->at, path->length };
}

static struct clean_text unique_key(struct event_attributes *attributes,
				    struct clean_text name)
{
	return unique_name(&attributes->keys, name.length ? name : otlp_text("_"));
}

/* The key of the item; NULL in an array. */
static const struct clean_text *key_of(struct event_attributes *attributes,
				       struct clean_text *key)
{
	if (is_in_array(attributes))
		return NULL;
	*key = unique_key(attributes, is_in_flat(attributes) ? path_of(attributes) :
							       attributes->walk.item.name);
	return key;
}

static void put_value(struct event_attributes *attributes, struct bytes *to,
		      enum otlp_field list, const struct value *value)
{
	struct clean_text key;

	attributes->encoder->attribute(to, list_of(attributes, list),
				       key_of(attributes, &key), value);
}

/* True below the attributes themselves, and below structs of which it is true. */
static int becomes_flat(const struct event_attributes *attributes, int is_struct)
{
	return is_struct && attributes->is_flat &&
	       (!attributes->depth || is_in_flat(attributes));
}

static void open_flat(struct event_attributes *attributes)
{
	if (is_in_flat(attributes)) {
		path_of(attributes);
	} else {
		attributes->path.length = 0;
		bytes_add(&attributes->path, attributes->walk.item.name.at,
			  attributes->walk.item.name.length);
	}
	bytes_add(&attributes->path, ".", 1);
	attributes->open[attributes->depth].path_length = attributes->path.length;
}

static void open_nest(struct event_attributes *attributes, struct bytes *to,
		      enum otlp_field list, int is_struct)
{
	const int is_flat = becomes_flat(attributes, is_struct);
	struct otlp_nest *nest = &attributes->open[attributes->depth].nest;
	struct clean_text key;

	attributes->open[attributes->depth].is_flat = is_flat;
	nest->is_struct = is_struct;
	if (is_flat) {
		open_flat(attributes);
	} else {
		attributes->encoder->nest_begin(to, list_of(attributes, list),
						key_of(attributes, &key), nest);
		unique_names_enter(&attributes->keys);
	}
	attributes->depth++;
}

static void close_nest(struct event_attributes *attributes, struct bytes *to)
{
	attributes->depth--;
	if (attributes->open[attributes->depth].is_flat)
		return;
	attributes->encoder->nest_end(to, &attributes->open[attributes->depth].nest);
	unique_names_leave(&attributes->keys);
}

/* The item that begins here, as JSON. */
static struct value render(struct event_attributes *attributes)
{
	const struct ue_reader *reader = &attributes->walk.event->reader;
	const struct ue_render_opts opts = { .size = sizeof(opts) };
	struct bytes *to = &attributes->rendering;
	struct ue_reader copy = *reader;
	size_t room = 4096;
	ptrdiff_t length;

	if (redaction_is_on())
		return otlp_string("***", 3);
	to->length = 0;
	length = ue_reader_item_to_json(&copy, &opts, bytes_room(to, room), room);
	/* The caller finds that there is no room, so nobody reads more. */
	if (length >= (ptrdiff_t)ATTRIBUTES_MAX)
		return otlp_string((char *)to->at, ATTRIBUTES_MAX);
	if (length >= (ptrdiff_t)room) {
		room = (size_t)length + 1;
		copy = *reader;
		length = ue_reader_item_to_json(&copy, &opts, bytes_room(to, room), room);
	}
	return otlp_string((char *)to->at, length > 0 ? (size_t)length : 0);
}

static int begins(enum walk_kind kind)
{
	return kind == WALK_ARRAY_BEGIN || kind == WALK_STRUCT_BEGIN;
}

void event_attributes_skip(struct event_attributes *attributes)
{
	for (uint32_t depth = 1; depth;) {
		const enum walk_kind kind = field_walk_next(&attributes->walk);

		if (kind == WALK_END)
			return;
		if (kind != WALK_VALUE)
			depth += begins(kind) ? 1u : -1u;
	}
}

static int has_room(const struct event_attributes *attributes, const struct bytes *to,
		    size_t more)
{
	const size_t length = to->length - attributes->begin;

	return length < ATTRIBUTES_MAX && more < ATTRIBUTES_MAX - length;
}

/* Arrays and structs that are open are closed, and no more fields follow. */
static void give_up(struct event_attributes *attributes, struct bytes *to)
{
	while (attributes->depth)
		close_nest(attributes, to);
	attributes->is_too_long = 1;
}

static void put_fitting(struct event_attributes *attributes, struct bytes *to,
			enum otlp_field list, const struct value *value)
{
	const int has_length = value->type == VALUE_TEXT || value->type == VALUE_BYTES;

	if (has_room(attributes, to, has_length ? value->length : 0))
		put_value(attributes, to, list, value);
	else
		give_up(attributes, to);
}

static void put_rendered(struct event_attributes *attributes, struct bytes *to,
			 enum otlp_field list)
{
	const struct value value = render(attributes);

	put_fitting(attributes, to, list, &value);
	event_attributes_skip(attributes);
	if (attributes->rendering.room > ATTRIBUTES_MAX)
		bytes_free(&attributes->rendering);
}

static void put_item(struct event_attributes *attributes, struct bytes *to,
		     enum otlp_field list, enum walk_kind kind)
{
	if (attributes->is_too_long) {
		if (begins(kind))
			event_attributes_skip(attributes);
	} else if (kind == WALK_VALUE) {
		put_fitting(attributes, to, list, &attributes->walk.item.value);
	} else if (!begins(kind)) {
		close_nest(attributes, to);
	} else if (!has_room(attributes, to, 0)) {
		give_up(attributes, to);
		event_attributes_skip(attributes);
	} else if (attributes->depth < NEST_MAX) {
		open_nest(attributes, to, list, kind == WALK_STRUCT_BEGIN);
	} else {
		put_rendered(attributes, to, list);
	}
}

void event_attributes_item(struct event_attributes *attributes, struct bytes *to,
			   enum otlp_field list, enum walk_kind kind)
{
	put_item(attributes, to, list, kind);
	while (attributes->depth)
		put_item(attributes, to, list, field_walk_next(&attributes->walk));
}

void event_attributes_fields(struct event_attributes *attributes, struct bytes *to,
			     enum otlp_field list, const struct exported_event *event)
{
	enum walk_kind kind;

	field_walk_begin(&attributes->walk, event->event);
	while (!attributes->is_too_long &&
	       (kind = field_walk_next(&attributes->walk)) != WALK_END) {
		if (kind == WALK_VALUE && !attributes->depth)
			trace_context_take(&attributes->context, &attributes->walk.item);
		put_item(attributes, to, list, kind);
	}
	event_attributes_fault(attributes, to, list, event);
}

/* Others */

void event_attributes_begin(struct event_attributes *attributes, const struct bytes *to)
{
	attributes->begin = to->length;
	attributes->is_too_long = 0;
	attributes->depth = 0;
	attributes->is_end = 0;
	attributes->context = (struct trace_context){ .has_trace = 0 };
	unique_names_begin(&attributes->keys);
}

void event_attributes_own(struct event_attributes *attributes, struct bytes *to,
			  enum otlp_field list, const char *key, struct value value)
{
	const struct clean_text text = unique_key(attributes, otlp_text(key));

	attributes->encoder->attribute(to, list, &text, &value);
}

static void put_number(struct event_attributes *attributes, struct bytes *to,
		       enum otlp_field list, const char *key, uint64_t number)
{
	if (number)
		event_attributes_own(attributes, to, list, key, otlp_number(number));
}

static void put_uuid(struct event_attributes *attributes, struct bytes *to,
		     enum otlp_field list, const char *key, const uint8_t *id)
{
	const struct ue_value uuid = {
		.bytes = id, .length = 16, .encoding = UE_ENCODING_VALUE128,
		.format = UE_FORMAT_UUID,
	};
	char text[64];
	ptrdiff_t length;

	if (!id)
		return;
	length = ue_value_to_text(&uuid, 0, text, sizeof(text));
	if (length > 0)
		event_attributes_own(attributes, to, list, key,
				     otlp_string(text, (size_t)length));
}

/* These are the same for all events of a name. */
static void put_constants(struct event_attributes *attributes, struct bytes *to,
			  enum otlp_field list, const struct ue_event_info *info)
{
	event_attributes_own(attributes, to, list, "eventheader.level",
			     otlp_number(info->level));
	put_number(attributes, to, list, "eventheader.keywords", info->keyword);
	put_number(attributes, to, list, "eventheader.opcode", info->opcode);
	put_number(attributes, to, list, "eventheader.id", info->id);
	put_number(attributes, to, list, "eventheader.version", info->version);
	put_number(attributes, to, list, "eventheader.tag", info->tag);
}

void event_attributes_clock(struct event_attributes *attributes, struct bytes *to,
			    enum otlp_field list, int64_t time, int64_t clock_time)
{
	const struct value value = { .type = VALUE_SIGNED, .whole = clock_time };

	if (!time && clock_time)
		event_attributes_own(attributes, to, list, "userevents.clock_time", value);
}

void event_attributes_header(struct event_attributes *attributes, struct bytes *to,
			     enum otlp_field list, const struct exported_event *event)
{
	const struct ue_event_info *info = event->info;

	if (event->has_tid)
		event_attributes_own(attributes, to, list, "thread.id",
				     otlp_number(event->tid));
	event_attributes_clock(attributes, to, list, event->time, event->clock_time);
	if (!info)
		return;
	if (!attributes->is_brief)
		put_constants(attributes, to, list, info);
	put_uuid(attributes, to, list, "eventheader.activity.id", info->activity_id);
	put_uuid(attributes, to, list, "eventheader.related_activity.id", info->related_id);
}

/* A span has those of the event that began it, and of the one that ended it. */
static const struct fault_keys {
	const char *name, *offset, *payload;
} fault_keys[2] = {
	{ "eventheader.error.name", "eventheader.error.offset", "eventheader.error.payload" },
	{ "eventheader.end.error.name", "eventheader.end.error.offset",
	  "eventheader.end.error.payload" },
};

static void put_payload(struct event_attributes *attributes, struct bytes *to,
			enum otlp_field list, const char *key, const struct event *event)
{
	const struct value payload = {
		.type = VALUE_BYTES,
		.text = (const char *)event->bytes,
		.length = event->length < PAYLOAD_MAX ? event->length : PAYLOAD_MAX,
	};

	event_attributes_own(attributes, to, list, key, payload);
}

/* A walk that was given up knows of no fault. */
void event_attributes_fault(struct event_attributes *attributes, struct bytes *to,
			    enum otlp_field list, const struct exported_event *event)
{
	const struct ue_eventheader_error *fault = &attributes->walk.fault;
	const struct fault_keys *keys = &fault_keys[attributes->is_end];
	const char *name = attributes->is_too_long ? "too_long" : fault->name;

	if (!fault->error && !attributes->is_too_long)
		return;
	event_attributes_own(attributes, to, list, keys->name, otlp_string(name, strlen(name)));
	if (!attributes->is_too_long)
		event_attributes_own(attributes, to, list, keys->offset,
				     otlp_number(fault->offset));
	if (!redaction_is_on())
		put_payload(attributes, to, list, keys->payload, event->event);
}

void event_attributes_free(struct event_attributes *attributes)
{
	unique_names_free(&attributes->keys);
	field_walk_free(&attributes->walk);
	bytes_free(&attributes->path);
	bytes_free(&attributes->rendering);
}
