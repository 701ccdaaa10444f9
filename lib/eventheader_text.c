/* SPDX-License-Identifier: MIT */
/*
 * Events and values as plain text.
 */
#include <errno.h>
#include <string.h>

#include "eventheader_reader.h"
#include "eventheader_render.h"
#include "number_text.h"

struct text {
	struct ue__render render;
	int is_first; /* of its array or struct */
};

static void separate(struct text *text)
{
	if (!text->is_first)
		ue__bytes_put(&text->render.bytes, ' ');
	text->is_first = 0;
}

static void open_bracket(struct text *text, char bracket)
{
	ue__bytes_put(&text->render.bytes, bracket);
	text->is_first = 1;
}

static void close_bracket(struct text *text, char bracket)
{
	ue__bytes_put(&text->render.bytes, bracket);
	text->is_first = 0;
}

/* Names */

static int is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
	       c == ';';
}

static int is_word(const char *name, size_t length)
{
	size_t at = 0;

	while (at < length && is_word_byte(name[at]))
		at++;
	return length && at == length;
}

static void put_escaped(struct text *text, const void *bytes, size_t length)
{
	ue__put_utf8(&text->render.bytes, bytes, length, UE__ESCAPED);
}

static void put_string(struct text *text, const void *bytes, size_t length)
{
	ue__bytes_put(&text->render.bytes, '"');
	put_escaped(text, bytes, length);
	ue__bytes_put(&text->render.bytes, '"');
}

static void put_word(struct text *text, const char *name, size_t length)
{
	if (is_word(name, length))
		ue__bytes_add(&text->render.bytes, name, length);
	else
		put_string(text, name, length);
}

static void put_tagged(struct text *text, const struct ue_item *item)
{
	struct ue__bytes *bytes = &text->render.bytes;

	ue__bytes_put(bytes, '"');
	put_escaped(text, item->name, item->name_length);
	ue__bytes_used(bytes, ue__put_tag(ue__bytes_room(bytes), item->tag));
	ue__bytes_put(bytes, '"');
}

static void begin_item(struct text *text, const struct ue_item *item)
{
	separate(text);
	if (item->is_element)
		return;
	if (item->tag && text->render.flags & UE_RENDER_TAGS)
		put_tagged(text, item);
	else
		put_word(text, item->name, item->name_length);
	ue__bytes_put(&text->render.bytes, '=');
}

static void known_name(struct text *text, const char *name)
{
	separate(text);
	ue__bytes_add(&text->render.bytes, name, strlen(name));
	ue__bytes_put(&text->render.bytes, '=');
}

/* Without the quotes and the colon of JSON. */
static void meta_name(struct text *text, const struct ue__name *name)
{
	separate(text);
	ue__bytes_add(&text->render.bytes, name->text + 1, name->length - 3u);
	ue__bytes_put(&text->render.bytes, '=');
}

static void number_member(struct text *text, const char *name, int64_t number)
{
	struct ue__bytes *bytes = &text->render.bytes;

	known_name(text, name);
	ue__bytes_used(bytes, ue__put_signed(ue__bytes_room(bytes), number));
}

/* Fields */

static void put_value(struct text *text, const struct ue_value *value)
{
	enum ue__style style = ue__value_style(value);
	int is_quoted = style >= UE__STYLE_BYTES;

	if (is_quoted)
		ue__bytes_put(&text->render.bytes, '"');
	ue__put_value(&text->render.bytes, value, style, UE__ESCAPED);
	if (is_quoted)
		ue__bytes_put(&text->render.bytes, '"');
}

static void put_item(struct text *text, const struct ue_item *item)
{
	switch (item->kind) {
	case UE_ITEM_VALUE:
		begin_item(text, item);
		put_value(text, &item->value);
		break;
	case UE_ITEM_ARRAY_BEGIN:
		begin_item(text, item);
		open_bracket(text, '[');
		break;
	case UE_ITEM_STRUCT_BEGIN:
		begin_item(text, item);
		open_bracket(text, '{');
		break;
	case UE_ITEM_ARRAY_END:
		close_bracket(text, ']');
		break;
	default:
		close_bracket(text, '}');
	}
}

static void put_fields(struct text *text, struct ue_reader *reader)
{
	int kind;

	while ((kind = ue_reader_next(reader)) > 0)
		put_item(text, &reader->item);
	if (kind < 0)
		while (ue__reader_unwind(reader) > 0)
			put_item(text, &reader->item);
}

/* Around the fields */

static void put_n(struct text *text, const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &text->render.bytes;
	int is_quoted;

	separate(text);
	if (!info->name) {
		put_word(text, info->tracepoint, info->tracepoint_length);
		return;
	}
	is_quoted = !is_word(info->provider, info->provider_length) ||
		    !is_word(info->name, info->name_proper_length);
	if (is_quoted)
		ue__bytes_put(bytes, '"');
	put_escaped(text, info->provider, info->provider_length);
	ue__bytes_put(bytes, ':');
	put_escaped(text, info->name, info->name_proper_length);
	if (is_quoted)
		ue__bytes_put(bytes, '"');
}

static void put_common(struct text *text)
{
	const struct ue_sample *sample = text->render.sample;

	number_member(text, "common_type", sample->common_type);
	number_member(text, "common_flags", sample->common_flags);
	number_member(text, "common_preempt_count", sample->common_preempt_count);
	number_member(text, "common_pid", sample->common_pid);
}

static void put_header(struct text *text, const struct ue_event_info *info)
{
	number_member(text, "eventheader_flags", info->flags);
	number_member(text, "version", info->version);
	number_member(text, "id", info->id);
	number_member(text, "tag", info->tag);
	number_member(text, "opcode", info->opcode);
	number_member(text, "level", info->level);
}

static void put_meta_value(struct text *text, const struct ue_event_info *info,
			   enum ue__meta member, uint64_t number)
{
	struct ue__bytes *bytes = &text->render.bytes;
	char *at = ue__bytes_room(bytes);
	const char *word;
	size_t length;

	switch ((enum ue__meta_kind)ue__meta_kinds[member]) {
	case UE__META_NUMBER:
		at = ue__put_decimal(at, number);
		break;
	case UE__META_HEX:
		at = ue__put_hex(at, number);
		break;
	case UE__META_UUID:
		at = ue__put_uuid(at, ue__meta_uuid(info, member));
		break;
	case UE__META_CLOCK:
		at = ue__put_sample_time(at, text->render.sample);
		break;
	case UE__META_TEXT:
		word = ue__meta_text(info, member, &length);
		put_word(text, word, length);
		return;
	}
	ue__bytes_used(bytes, at);
}

static void put_error(struct text *text, const struct ue_eventheader_error *error)
{
	known_name(text, "error");
	open_bracket(text, '{');
	known_name(text, "name");
	put_word(text, error->name, strlen(error->name));
	number_member(text, "offset", (int64_t)error->offset);
	known_name(text, "reason");
	put_string(text, error->reason, strlen(error->reason));
	close_bracket(text, '}');
}

static void put_meta(struct text *text, const struct ue_event_info *info,
		     const struct ue_eventheader_error *error)
{
	struct ue__meta_values values;

	ue__meta_values(&text->render, info, &values);
	known_name(text, "meta");
	open_bracket(text, '{');
	for (; values.shown; values.shown &= values.shown - 1) {
		enum ue__meta member = (enum ue__meta)__builtin_ctz(values.shown);

		meta_name(text, &ue__meta_names[member]);
		put_meta_value(text, info, member, values.numbers[member]);
	}
	if (error->error)
		put_error(text, error);
	close_bracket(text, '}');
}

static void begin_event(struct text *text, const struct ue_event_info *info)
{
	if (text->render.meta & UE_META_N)
		put_n(text, info);
	if (text->render.meta & UE_META_COMMON)
		put_common(text);
}

static void end_event(struct text *text, const struct ue_event_info *info,
		      const struct ue_eventheader_error *error)
{
	if (ue__has_meta(&text->render, error))
		put_meta(text, info, error);
}

static void put_event(struct text *text, struct ue_reader *reader)
{
	int result = ue_reader_rewind(reader);

	begin_event(text, &reader->info);
	if (!result)
		put_fields(text, reader);
	else if (reader->ue__has_header)
		put_header(text, &reader->info);
	end_event(text, &reader->info, &reader->error);
}

UE_API ptrdiff_t ue_event_to_text(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	struct text text;
	int result = ue__render_begin(&text.render, opts, out, size);

	if (result)
		return result;
	text.is_first = 1;
	put_event(&text, reader);
	return (ptrdiff_t)ue__bytes_end(&text.render.bytes);
}

/* An array comes at its begin alone: what a reader would hand out after it. */
static void put_array(struct text *text, const struct ue_item *array)
{
	struct ue_item element = *array;

	element.kind = UE_ITEM_VALUE;
	element.is_element = 1;
	element.value.length = array->element_size;
	for (uint32_t i = 0; i < array->count; i++) {
		put_item(text, &element);
		element.value.bytes += element.value.length;
	}
	close_bracket(text, ']');
}

ptrdiff_t ue__items_to_text(struct ue__items *items, const struct ue_render_opts *opts,
			    char *out, size_t size)
{
	struct text text;
	struct ue_item item;
	int kind, result = ue__render_begin(&text.render, opts, out, size);

	if (result)
		return result;
	text.render.meta &= UE__ITEMS_META;
	text.is_first = 1;
	begin_event(&text, &items->info);
	while ((kind = items->next(items, &item)) > 0) {
		put_item(&text, &item);
		if (kind == UE_ITEM_ARRAY_BEGIN)
			put_array(&text, &item);
	}
	end_event(&text, &items->info, &items->error);
	return (ptrdiff_t)ue__bytes_end(&text.render.bytes);
}

UE_API ptrdiff_t ue_value_to_text(const struct ue_value *value, uint32_t flags,
				  char *out, size_t size)
{
	enum ue__escape escape = flags & UE_RENDER_ESCAPE ? UE__ESCAPED : UE__AS_IS;
	struct ue__bytes bytes;
	int result = ue__check_value(value);

	if (result || flags & ~UE_RENDER_ESCAPE)
		return -EINVAL;
	ue__bytes_begin(&bytes, out, size);
	ue__put_value(&bytes, value, ue__value_style(value), escape);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}
