/* SPDX-License-Identifier: MIT */
/*
 * Events and items as JSON.
 */
#include <errno.h>
#include <string.h>

#include "eventheader_reader.h"
#include "eventheader_render.h"
#include "number_text.h"

struct json {
	struct ue__render render;
	int is_first;	 /* of its array or object */
	int is_nameless; /* the next item, whatever it is */
};

/* Between tokens */

static inline void separate(struct json *json)
{
	struct ue__bytes *bytes = &json->render.bytes;

	if (!json->is_first)
		ue__bytes_put(bytes, ',');
	if (json->render.flags & UE_RENDER_SPACE)
		ue__bytes_put(bytes, ' ');
	json->is_first = 0;
}

static inline void colon(struct json *json)
{
	ue__bytes_put(&json->render.bytes, ':');
	if (json->render.flags & UE_RENDER_SPACE)
		ue__bytes_put(&json->render.bytes, ' ');
}

static void open_bracket(struct json *json, char bracket)
{
	ue__bytes_put(&json->render.bytes, bracket);
	json->is_first = 1;
}

static void close_bracket(struct json *json, char bracket)
{
	if (json->render.flags & UE_RENDER_SPACE)
		ue__bytes_put(&json->render.bytes, ' ');
	ue__bytes_put(&json->render.bytes, bracket);
	json->is_first = 0;
}

static void put_text(struct json *json, const void *text, size_t length)
{
	ue__put_utf8(&json->render.bytes, text, length, UE__ESCAPED);
}

static void put_string(struct json *json, const void *text, size_t length)
{
	ue__bytes_put(&json->render.bytes, '"');
	put_text(json, text, length);
	ue__bytes_put(&json->render.bytes, '"');
}

/* Members of a known name */

static void known_key(struct json *json, const char *name)
{
	separate(json);
	ue__bytes_put(&json->render.bytes, '"');
	ue__bytes_add(&json->render.bytes, name, strlen(name));
	ue__bytes_put(&json->render.bytes, '"');
	colon(json);
}

static void number_member(struct json *json, const char *name, int64_t number)
{
	known_key(json, name);
	ue__bytes_used(&json->render.bytes,
		       ue__put_signed(ue__bytes_room(&json->render.bytes), number));
}

/* Fields */

/* A string with a tag behind the text, if wanted. */
static void put_name(struct json *json, const struct ue_item *item)
{
	struct ue__bytes *bytes = &json->render.bytes;

	ue__bytes_put(bytes, '"');
	put_text(json, item->name, item->name_length);
	if (item->tag && json->render.flags & UE_RENDER_TAGS)
		ue__bytes_used(bytes,
			       ue__put_tag(ue__bytes_room(bytes), item->tag));
	ue__bytes_put(bytes, '"');
	colon(json);
}

static inline void begin_item(struct json *json, const struct ue_item *item)
{
	separate(json);
	if (!item->is_element && !json->is_nameless)
		put_name(json, item);
	json->is_nameless = 0;
}

/* All elements at once; they are of the same size. */
static void put_values(struct json *json, const struct ue_item *item)
{
	struct ue_value value = item->value;

	value.length = item->element_size;
	for (uint32_t i = 0; i < item->count; i++) {
		separate(json);
		ue__put_json_value(&json->render.bytes, &value);
		value.bytes += value.length;
	}
}

/* An array of values of fixed size is shown whole at its begin. */
static inline int is_whole(const struct ue_item *item)
{
	return item->kind == UE_ITEM_ARRAY_BEGIN && item->element_size;
}

static void put_array(struct json *json, const struct ue_item *item)
{
	begin_item(json, item);
	open_bracket(json, '[');
	if (is_whole(item)) {
		put_values(json, item);
		close_bracket(json, ']');
	}
}

static void put_item(struct json *json, const struct ue_item *item)
{
	switch (item->kind) {
	case UE_ITEM_VALUE:
		begin_item(json, item);
		ue__put_json_value(&json->render.bytes, &item->value);
		break;
	case UE_ITEM_ARRAY_BEGIN:
		put_array(json, item);
		break;
	case UE_ITEM_STRUCT_BEGIN:
		begin_item(json, item);
		open_bracket(json, '{');
		break;
	case UE_ITEM_ARRAY_END:
		close_bracket(json, ']');
		break;
	default:
		close_bracket(json, '}');
	}
}

static void put_fields(struct json *json, struct ue_reader *reader)
{
	int kind = ue_reader_next(reader);

	while (kind > 0) {
		put_item(json, &reader->item);
		if (is_whole(&reader->item))
			ue__reader_pass_values(reader);
		kind = ue_reader_next(reader);
	}
	if (kind < 0)
		while (ue__reader_unwind(reader) > 0)
			put_item(json, &reader->item);
}

/* Around the fields */

static void put_common(struct json *json)
{
	const struct ue_sample *sample = json->render.sample;

	number_member(json, "common_type", sample->common_type);
	number_member(json, "common_flags", sample->common_flags);
	number_member(json, "common_preempt_count", sample->common_preempt_count);
	number_member(json, "common_pid", sample->common_pid);
}

/* "n":"PROVIDER:EVENT" */
static void put_n(struct json *json, const struct ue_event_info *info)
{
	known_key(json, "n");
	if (!info->name) {
		put_string(json, info->tracepoint, info->tracepoint_length);
		return;
	}
	ue__bytes_put(&json->render.bytes, '"');
	put_text(json, info->provider, info->provider_length);
	ue__bytes_put(&json->render.bytes, ':');
	put_text(json, info->name, info->name_proper_length);
	ue__bytes_put(&json->render.bytes, '"');
}

/* Of an event that could not be begun, what every event has. */
static void put_header(struct json *json, const struct ue_event_info *info)
{
	number_member(json, "eventheader_flags", info->flags);
	number_member(json, "version", info->version);
	number_member(json, "id", info->id);
	number_member(json, "tag", info->tag);
	number_member(json, "opcode", info->opcode);
	number_member(json, "level", info->level);
}

static void put_meta_value(struct json *json, const struct ue__meta_member *member)
{
	struct ue__bytes *bytes = &json->render.bytes;
	char *at = ue__bytes_room(bytes);

	switch (member->kind) {
	case UE__META_NUMBER:
		ue__bytes_used(bytes, ue__put_decimal(at, member->number));
		return;
	case UE__META_CLOCK:
		ue__bytes_used(bytes,
			       ue__put_sample_time(at, json->render.sample));
		return;
	case UE__META_TEXT:
		put_string(json, member->text, member->length);
		return;
	case UE__META_HEX:
		*at++ = '"';
		at = ue__put_hex(at, member->number);
		break;
	case UE__META_UUID:
		*at++ = '"';
		at = ue__put_uuid(at, member->text);
		break;
	case UE__META_WALL_CLOCK:
		*at++ = '"';
		at = ue__put_sample_time(at, json->render.sample);
		break;
	}
	*at++ = '"';
	ue__bytes_used(bytes, at);
}

static void put_error(struct json *json, const struct ue_eventheader_error *error)
{
	known_key(json, "error");
	open_bracket(json, '{');
	known_key(json, "name");
	put_string(json, error->name, strlen(error->name));
	number_member(json, "offset", (int64_t)error->offset);
	known_key(json, "reason");
	put_string(json, error->reason, strlen(error->reason));
	close_bracket(json, '}');
}

static void put_meta(struct json *json, const struct ue_reader *reader)
{
	struct ue__meta_member member;
	uint32_t position = 0;

	known_key(json, "meta");
	open_bracket(json, '{');
	while (ue__meta_next(&json->render, reader, &position, &member)) {
		known_key(json, member.name);
		put_meta_value(json, &member);
	}
	if (reader->error.error)
		put_error(json, &reader->error);
	close_bracket(json, '}');
}

static void put_event(struct json *json, struct ue_reader *reader)
{
	const struct ue_event_info *info = &reader->info;
	int result = ue_reader_rewind(reader);

	separate(json);
	if (json->render.flags & UE_RENDER_NAME) {
		put_string(json, info->name ? info->name : info->tracepoint,
			   info->name ? info->name_length :
					info->tracepoint_length);
		colon(json);
	}
	open_bracket(json, '{');
	if (json->render.meta & UE_META_N)
		put_n(json, info);
	if (json->render.meta & UE_META_COMMON)
		put_common(json);
	if (!result)
		put_fields(json, reader);
	else if (reader->ue__has_header)
		put_header(json, info);
	if (ue__has_meta(&json->render, reader))
		put_meta(json, reader);
	close_bracket(json, '}');
}

UE_API ptrdiff_t ue_event_to_json(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	struct json json;
	int result = ue__render_begin(&json.render, opts, out, size);

	if (result)
		return result;
	json.is_first = 1;
	json.is_nameless = 0;
	put_event(&json, reader);
	return (ptrdiff_t)ue__bytes_end(&json.render.bytes);
}

/* One item */

/* Arrays and structs that are open after an item. */
static int count_open(int open, const struct ue_item *item)
{
	switch (item->kind) {
	case UE_ITEM_ARRAY_BEGIN:
		return is_whole(item) ? open : open + 1;
	case UE_ITEM_STRUCT_BEGIN:
		return open + 1;
	case UE_ITEM_VALUE:
		return open;
	default:
		return open - 1;
	}
}

/* From the begin of an array or struct to its end. */
static void put_whole(struct json *json, struct ue_reader *reader)
{
	int open = 0;

	do {
		put_item(json, &reader->item);
		open = count_open(open, &reader->item);
		if (is_whole(&reader->item))
			ue__reader_pass_values(reader);
	} while (open && ue_reader_next(reader) > 0);
	for (; open; open--) {
		ue__reader_unwind(reader);
		put_item(json, &reader->item);
	}
}

UE_API ptrdiff_t ue_item_to_json(struct ue_reader *reader,
				 const struct ue_render_opts *opts, char *out,
				 size_t size)
{
	struct json json;
	int result = ue__render_begin(&json.render, opts, out, size);

	if (result)
		return result;
	if (!ue__reader_is_at_item(reader))
		return -ENOENT;
	json.is_first = 1;
	json.is_nameless = !(json.render.flags & UE_RENDER_NAME);
	put_whole(&json, reader);
	return (ptrdiff_t)ue__bytes_end(&json.render.bytes);
}

UE_API ptrdiff_t ue_value_to_json(const struct ue_value *value, char *out,
				  size_t size)
{
	struct ue__bytes bytes;
	int result = ue__check_value(value);

	if (result)
		return result;
	ue__bytes_begin(&bytes, out, size);
	ue__put_json_value(&bytes, value);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}
