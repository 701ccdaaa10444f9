/* SPDX-License-Identifier: MIT */
/*
 * Render events as lines of text, and values as plain text.
 */
#include <assert.h>
#include <errno.h>

#include "render.h"

/* Names */

/* The bytes of a name that needs no quotes. */
static const uint8_t is_word_byte[256] = {
	['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
	['_'] = 1, ['.'] = 1, ['-'] = 1, [';'] = 1,
};

static int is_word(const char *name, size_t length)
{
	size_t at = 0;

	while (at < length && is_word_byte[(uint8_t)name[at]])
		at++;
	return length && at == length;
}

#define SHORT_WORD 64u

static_assert(2 * SHORT_WORD + 8 <= UE__ROOM, "provider and event fit");

/* Copy a short name that needs no quotes into the room: its end, or NULL for another. */
static char *copy_word(char *at, const char *name, size_t length)
{
	if (!length || length > SHORT_WORD)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (!is_word_byte[(uint8_t)name[i]])
			return NULL;
		at[i] = name[i];
	}
	return at + length;
}

static void put_escaped(struct ue__render *render, const void *text, size_t length)
{
	ue__put_utf8(&render->bytes, text, length, UE__ESCAPED);
}

static void put_word(struct ue__render *render, const char *name, size_t length)
{
	if (is_word(name, length))
		ue__bytes_add(&render->bytes, name, length);
	else
		ue__put_string(render, name, length);
}

static void put_tagged(struct ue__render *render, const struct ue_item *item)
{
	struct ue__bytes *bytes = &render->bytes;

	ue__bytes_put(bytes, '"');
	put_escaped(render, item->name, item->name_length);
	ue__bytes_used(bytes, ue__put_tag(ue__bytes_room(bytes), item->tag));
	ue__bytes_put(bytes, '"');
}

static char *put_name(struct ue__render *render, char *at, const struct ue_item *item)
{
	int is_tagged = item->tag && render->flags & UE_RENDER_TAGS;
	char *end = is_tagged ? NULL : copy_word(at, item->name, item->name_length);

	if (end)
		return ue__put_mark(end, &render->form->end_key);
	ue__bytes_used(&render->bytes, at);
	if (is_tagged)
		put_tagged(render, item);
	else
		put_word(render, item->name, item->name_length);
	return ue__put_mark(ue__bytes_room(&render->bytes), &render->form->end_key);
}

/* PROVIDER:EVENT of short names that need no quotes; NULL for others. */
static char *copy_n(char *at, const struct ue_event_info *info)
{
	at = copy_word(at, info->provider, info->provider_length);
	if (!at)
		return NULL;
	*at++ = ':';
	return copy_word(at, info->name, info->name_proper_length);
}

static void put_long_n(struct ue__render *render, const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &render->bytes;
	int is_quoted = !is_word(info->provider, info->provider_length) ||
			!is_word(info->name, info->name_proper_length);

	if (is_quoted)
		ue__bytes_put(bytes, '"');
	put_escaped(render, info->provider, info->provider_length);
	ue__bytes_put(bytes, ':');
	put_escaped(render, info->name, info->name_proper_length);
	if (is_quoted)
		ue__bytes_put(bytes, '"');
}

static void put_n(struct ue__render *render, const struct ue_event_info *info)
{
	char *at = ue__separator(render, ue__bytes_room(&render->bytes));
	char *end = info->name ? copy_n(at, info) : NULL;

	ue__bytes_used(&render->bytes, end ? end : at);
	if (!info->name)
		put_word(render, info->tracepoint, info->tracepoint_length);
	else if (!end)
		put_long_n(render, info);
}

static void put_value(struct ue__bytes *bytes, char *at, const struct ue_value *value)
{
	enum ue__style style = ue__value_style(value);

	if (style >= UE__STYLE_BYTES)
		ue__put_quoted(bytes, at, value, style);
	else
		ue__bytes_used(bytes, ue__put_styles[style](at, value->bytes,
							    value->length,
							    value->big_endian));
}

const struct ue__form ue__text = {
	.separator = UE__MARK(" "),
	.key = UE__MARK(" "),
	.end_key = UE__MARK("="),
	.put_name = put_name,
	.put_value = put_value,
	.put_n = put_n,
	.put_word = put_word,
};

UE__PUBLIC ptrdiff_t ue_reader_to_text(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	return ue__render_event(ue__own(reader), opts, out, size, &ue__text);
}

UE__PUBLIC ptrdiff_t ue_value_to_text(const struct ue_value *value, uint32_t flags,
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
