/* SPDX-License-Identifier: MIT */
/* Appends fields, and the parts of events beside them, as annotations. */
#include "perfetto_tracks.h"
#include "export/tree/exported_event.h"

#include <inttypes.h>
#include <stdio.h>

static struct clean_text text_of(const char *text)
{
	return (struct clean_text){ text, strlen(text) };
}

/* Values */

/* Perfetto keeps numbers with a sign, so the largest without one are text. */
static void put_unsigned(struct bytes *to, uint32_t field, const struct clean_text *name,
			 uint64_t number)
{
	char text[24];

	if (number <= INT64_MAX) {
		annotation_number(to, field, name, ANNOTATION_UINT, number);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, number);
	annotation_text(to, field, name, text_of(text));
}

static void put_bytes(struct perfetto_annotations *annotations, struct bytes *to,
		      uint32_t field, const struct clean_text *name, const struct ue_value *raw)
{
	struct value printed = { .type = VALUE_NONE };

	value_printed(raw, &printed, &annotations->text);
	annotation_text(to, field, name, (struct clean_text){ printed.text, printed.length });
}

/* Perfetto has no null, and ignores an annotation without a value. */
static void put_value(struct perfetto_annotations *annotations, struct bytes *to,
		      uint32_t field, const struct clean_text *name)
{
	const struct walk_item *item = &annotations->walk.item;
	const struct value *value = &item->value;

	switch (value->type) {
	case VALUE_BOOLEAN:
		annotation_number(to, field, name, ANNOTATION_BOOL, !!value->whole);
		break;
	case VALUE_SIGNED:
		annotation_number(to, field, name, ANNOTATION_INT, (uint64_t)value->whole);
		break;
	case VALUE_UNSIGNED:
		put_unsigned(to, field, name, (uint64_t)value->whole);
		break;
	case VALUE_FLOAT:
		annotation_double(to, field, name, value->number);
		break;
	case VALUE_TEXT:
		annotation_text(to, field, name,
				(struct clean_text){ value->text, value->length });
		break;
	case VALUE_BYTES:
		put_bytes(annotations, to, field, name, item->raw);
		break;
	default:
		annotation_text(to, field, name, LITERAL("null"));
	}
}

/* Arrays and structs */

static void open_nested(struct perfetto_annotations *annotations, struct bytes *to,
			uint32_t field, const struct clean_text *name)
{
	struct open_annotation *open = &annotations->open[annotations->depth++];

	open->begun = protobuf_begin(to, field);
	if (name)
		protobuf_bytes(to, ANNOTATION_NAME, name->at, name->length);
	open->body = to->length;
}

/* An annotation without a value is ignored, also one that has no elements. */
static void close_nested(struct perfetto_annotations *annotations, struct bytes *to,
			 const char *empty)
{
	const struct open_annotation *open = &annotations->open[--annotations->depth];

	if (to->length == open->body)
		protobuf_text(to, ANNOTATION_TEXT, empty);
	protobuf_end(to, open->begun);
}

static void begin_item(struct perfetto_annotations *annotations, enum walk_kind kind,
		       struct bytes *to, uint32_t field)
{
	const struct walk_item *item = &annotations->walk.item;
	struct clean_text name = item->name;

	if (!item->is_element)
		name = unique_name(&annotations->names, name);
	if (kind == WALK_VALUE)
		put_value(annotations, to, field, item->is_element ? NULL : &name);
	else
		open_nested(annotations, to, field, item->is_element ? NULL : &name);
	if (kind == WALK_STRUCT_BEGIN)
		unique_names_enter(&annotations->names);
}

/* field: of the message around the item; within an array or struct, that is one of its own. */
static void put_fields(struct perfetto_annotations *annotations, struct event *event,
		       struct bytes *to, uint32_t field)
{
	uint32_t fields[WALK_DEPTH_MAX + 1] = { field };
	const uint32_t base = annotations->depth;
	enum walk_kind kind;

	field_walk_begin(&annotations->walk, event);
	while ((kind = field_walk_next(&annotations->walk)) != WALK_END) {
		if (kind == WALK_ARRAY_END || kind == WALK_STRUCT_END) {
			close_nested(annotations, to, kind == WALK_ARRAY_END ? "[]" : "{}");
			if (kind == WALK_STRUCT_END)
				unique_names_leave(&annotations->names);
			continue;
		}
		begin_item(annotations, kind, to, fields[annotations->depth - base]);
		if (kind != WALK_VALUE)
			fields[annotations->depth - base] = kind == WALK_ARRAY_BEGIN ?
							ANNOTATION_ARRAY : ANNOTATION_DICT;
	}
}

/* Annotations beside the fields */

static void put_member(struct bytes *to, const char *name, uint64_t number)
{
	const struct clean_text text = text_of(name);

	annotation_number(to, ANNOTATION_DICT, &text, ANNOTATION_UINT, number);
}

static void put_text_member(struct bytes *to, const char *name, const char *value)
{
	const struct clean_text text = text_of(name);

	annotation_text(to, ANNOTATION_DICT, &text, text_of(value));
}

static void put_id(struct perfetto_annotations *annotations, struct bytes *to,
		   const char *name, const uint8_t *id)
{
	const struct clean_text text = text_of(name);
	const struct ue_value value = {
		.bytes = id,
		.length = 16,
		.encoding = UE_ENCODING_VALUE128,
		.format = UE_FORMAT_UUID,
	};

	if (id)
		put_bytes(annotations, to, ANNOTATION_DICT, &text, &value);
}

static void put_constants(struct bytes *to, const struct ue_event_info *info)
{
	char keyword[24];

	put_member(to, "level", info->level);
	snprintf(keyword, sizeof(keyword), "0x%" PRIX64, info->keyword);
	if (info->keyword)
		put_text_member(to, "keywords", keyword);
	if (info->opcode)
		put_member(to, "opcode", info->opcode);
	if (info->id)
		put_member(to, "id", info->id);
	if (info->version)
		put_member(to, "version", info->version);
	if (info->tag)
		put_member(to, "tag", info->tag);
}

static int are_of(const struct kept_constants *kept, const struct ue_event_info *info)
{
	return kept->length && kept->keyword == info->keyword && kept->id == info->id &&
	       kept->tag == info->tag && kept->version == info->version &&
	       kept->opcode == info->opcode && kept->level == info->level;
}

static void keep_constants(struct kept_constants *kept, const struct ue_event_info *info,
			   const void *bytes, size_t length)
{
	*kept = (struct kept_constants){
		.keyword = info->keyword,
		.id = info->id,
		.tag = info->tag,
		.version = info->version,
		.opcode = info->opcode,
		.level = info->level,
		.length = (uint32_t)length,
	};
	memcpy(kept->bytes, bytes, length);
}

/* They are the same for most events of a kind, and made once. */
static void put_kept_constants(struct perfetto_annotations *annotations,
			       const struct exported_event *event, struct bytes *to)
{
	struct kept_constants *kept =
		&annotations->kept[event->event->kind->number % KEPT_CONSTANTS];
	const size_t begin = to->length;

	if (are_of(kept, event->info)) {
		bytes_add(to, kept->bytes, kept->length);
		return;
	}
	put_constants(to, event->info);
	if (to->length - begin <= sizeof(kept->bytes))
		keep_constants(kept, event->info, to->at + begin, to->length - begin);
}

static void put_fault(struct perfetto_annotations *annotations, const struct event *event,
		      struct bytes *to)
{
	const struct ue_eventheader_error *fault = &annotations->walk.fault;
	const struct clean_text error = LITERAL("error"), payload = LITERAL("payload");
	const struct ue_value bytes = {
		.bytes = event->bytes,
		.length = (uint32_t)event->length,
		.encoding = UE_ENCODING_BINARY_LENGTH16_CHAR8,
		.format = UE_FORMAT_HEX_BYTES,
	};

	open_nested(annotations, to, ANNOTATION_DICT, &error);
	put_text_member(to, "name", fault->name);
	put_member(to, "offset", fault->offset);
	if (!redaction_is_on())
		put_bytes(annotations, to, ANNOTATION_DICT, &payload, &bytes);
	close_nested(annotations, to, "");
}

static void put_header(struct perfetto_annotations *annotations,
		       const struct exported_event *event, struct bytes *to, uint32_t field)
{
	const struct clean_text name = LITERAL("eventheader");
	const struct ue_event_info *info = event->info;

	open_nested(annotations, to, field, &name);
	if (info && !annotations->is_brief)
		put_kept_constants(annotations, event, to);
	if (info) {
		put_id(annotations, to, "activity", info->activity_id);
		put_id(annotations, to, "related_activity", info->related_id);
	}
	if (annotations->walk.fault.error)
		put_fault(annotations, event->event, to);
	close_nested(annotations, to, "{}");
}

static int has_header(const struct perfetto_annotations *annotations,
		      const struct ue_event_info *info)
{
	return annotations->walk.fault.error ||
	       (info && (!annotations->is_brief || info->activity_id));
}

static void put_all(struct perfetto_annotations *annotations,
		    const struct exported_event *event, struct bytes *to, uint32_t field)
{
	unique_names_begin(&annotations->names);
	unique_name(&annotations->names, LITERAL("eventheader"));
	put_fields(annotations, event->event, to, field);
	if (has_header(annotations, event->info))
		put_header(annotations, event, to, field);
}

void perfetto_annotate(struct perfetto_annotations *annotations,
		       const struct exported_event *event, struct bytes *to)
{
	put_all(annotations, event, to, EVENT_ANNOTATIONS);
}

void perfetto_annotate_stop(struct perfetto_annotations *annotations,
			    const struct exported_event *event, struct bytes *to)
{
	const struct clean_text name = LITERAL("stop"), event_name = LITERAL("event");

	open_nested(annotations, to, EVENT_ANNOTATIONS, &name);
	annotation_text(to, ANNOTATION_DICT, &event_name, event->name);
	put_all(annotations, event, to, ANNOTATION_DICT);
	close_nested(annotations, to, "{}");
}

void perfetto_annotate_number(struct bytes *to, const char *name, uint64_t number)
{
	const struct clean_text text = text_of(name);

	put_unsigned(to, EVENT_ANNOTATIONS, &text, number);
}

void perfetto_annotations_free(struct perfetto_annotations *annotations)
{
	field_walk_free(&annotations->walk);
	unique_names_free(&annotations->names);
	bytes_free(&annotations->text);
}
