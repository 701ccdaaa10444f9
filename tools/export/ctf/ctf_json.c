/* SPDX-License-Identifier: MIT */
/* Makes events of those that no class takes. */
#include "ctf_json.h"

#include <string.h>

#include <userevents/decode/render.h>

#include "common/cli/memory.h"

/* Classes */

static void append(bt_field_class *to, const char *name, bt_field_class *member)
{
	if (bt_field_class_structure_append_member(to, name, member))
		memory_is_short();
	bt_field_class_put_ref(member);
}

static struct ctf_class *make(const struct ctf_stream *stream, const char *name,
			      bt_field_class *payload)
{
	struct ctf_class *class = xcalloc(1, sizeof(*class));

	class->class = ctf_made(bt_event_class_create(stream->class));
	if (bt_event_class_set_name(class->class, name) ||
	    bt_event_class_set_payload_field_class(class->class, payload))
		memory_is_short();
	bt_field_class_put_ref(payload);
	return class;
}

struct ctf_class *ctf_class_of_json(const struct ctf_stream *stream)
{
	bt_trace_class *trace = stream->trace_class;
	bt_field_class *payload = ctf_made(bt_field_class_structure_create(trace));

	append(payload, "json", ctf_made(bt_field_class_string_create(trace)));
	return make(stream, "userevents:json", payload);
}

static bt_field_class *texts_class(bt_trace_class *trace)
{
	bt_field_class *text = ctf_made(bt_field_class_string_create(trace));
	bt_field_class *class =
		ctf_made(bt_field_class_array_dynamic_create(trace, text, NULL));

	bt_field_class_put_ref(text);
	return class;
}

enum { NAME, ERROR, OFFSET, BYTES };

struct ctf_class *ctf_class_of_bytes(const struct ctf_stream *stream)
{
	bt_trace_class *trace = stream->trace_class;
	bt_field_class *payload = ctf_made(bt_field_class_structure_create(trace));

	append(payload, "name", ctf_made(bt_field_class_string_create(trace)));
	append(payload, "error", ctf_made(bt_field_class_string_create(trace)));
	append(payload, "offset", ctf_type_class(trace, (struct ctf_type){ CTF_UNSIGNED, 8 }));
	append(payload, "bytes", texts_class(trace));
	return make(stream, "userevents:bytes", payload);
}

/* JSON */

static ptrdiff_t render(struct event *event, char *at, size_t room)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;
	const struct ue_render_opts opts = { .size = sizeof(opts),
					     .sample = &event->record->sample };

	return tracepoint->is_bare ?
		       ue_reader_to_json(&event->reader, &opts, at, room) :
		       ue_record_to_json(&tracepoint->format, event->bytes, event->length, &opts,
					 at, room);
}

/* Events that repeat names too often would take long to render. */
static int is_bounded(struct event *event, struct field_walk *walk,
		      struct ue_eventheader_error *fault)
{
	field_walk_begin(walk, event);
	while (field_walk_next(walk) != WALK_END)
		;
	*fault = walk->fault;
	return walk->names_length <= WALK_NAMES_MAX;
}

const char *ctf_json_of(struct event *event, struct field_walk *walk, struct bytes *text,
			struct ue_eventheader_error *fault)
{
	size_t room = 1024;
	ptrdiff_t length;

	if (!is_bounded(event, walk, fault))
		return NULL;
	text->length = 0;
	for (;; room = (size_t)length + 1) {
		length = render(event, bytes_room(text, room), room);
		if (length < 0)
			return "";
		if (length > CTF_JSON_MAX)
			break;
		if ((size_t)length < room)
			return (const char *)text->at;
	}
	if (!fault->error)
		*fault = (struct ue_eventheader_error){ .name = "too_long" };
	return NULL;
}

/* Bytes */

static uint64_t set_text(bt_field *field, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * CTF_BYTES_OF_TEXT];

	for (size_t i = 0; i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return ctf_set_words(field, text, 2 * count);
}

static uint64_t set_texts(bt_field *field, const struct event *event)
{
	const size_t length = event->length < CTF_BYTES_MAX ? event->length : CTF_BYTES_MAX;
	const size_t count = (length + CTF_BYTES_OF_TEXT - 1) / CTF_BYTES_OF_TEXT;
	uint64_t size = CTF_COUNT_SIZE;

	if (bt_field_array_dynamic_set_length(field, count))
		memory_is_short();
	for (size_t i = 0; i < count; i++) {
		const size_t at = i * CTF_BYTES_OF_TEXT, left = length - at;

		size += set_text(bt_field_array_borrow_element_field_by_index(field, i),
				 event->bytes + at,
				 left < CTF_BYTES_OF_TEXT ? left : CTF_BYTES_OF_TEXT);
	}
	return size;
}

static bt_field *member(bt_field *payload, uint64_t index)
{
	return bt_field_structure_borrow_member_field_by_index(payload, index);
}

uint64_t ctf_set_bytes(bt_field *payload, const struct exported_event *event,
		       const struct ue_eventheader_error *fault)
{
	bt_field_integer_unsigned_set_value(member(payload, OFFSET), fault->offset);
	return sizeof(uint64_t) +
	       ctf_set_text(member(payload, NAME), event->name.at, event->name.length) +
	       ctf_set_words(member(payload, ERROR), fault->name, strlen(fault->name)) +
	       set_texts(member(payload, BYTES), event->event);
}
