/* SPDX-License-Identifier: MIT */
/*
 * Render events, items and values as JSON.
 */
#include <assert.h>
#include <errno.h>

#include "json_plain.h"
#include "read/cursor.h"
#include "render.h"

static void put_escaped(struct ue__render *render, const void *text, size_t length)
{
	ue__put_utf8(&render->bytes, text, length, UE__ESCAPED);
}

static void put_string(struct ue__render *render, const char *text, size_t length)
{
	ue__put_string(render, text, length);
}

/* Fields */

/* Longer names do not fit the room with every byte escaped. */
#define SHORT_NAME 160u

static_assert(1 + SHORT_NAME + 7 + 32 + UE__ROOM_VALUE <= UE__ROOM, "it fits");

/*
 * The members that an event has beside its fields. A field of such a name, or of one
 * with '_' before it, gets one '_' more: so no two of different names have one key.
 */
static int is_taken(const char *name, size_t length)
{
	static const char *const taken[] = {
		"n", "meta", "common_type", "common_flags", "common_preempt_count",
		"common_pid",
	};

	for (; length && *name == '_'; length--)
		name++;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strlen(taken[i]) == length && !memcmp(taken[i], name, length))
			return 1;
	return 0;
}

/* Most names are none of them, by their first byte. */
static inline int may_be_taken(const char *name, size_t length)
{
	return length && (*name == '_' || *name == 'n' || *name == 'm' || *name == 'c');
}

static char *put_tag(const struct ue__render *render, char *at,
		     const struct ue_item *item)
{
	if (item->tag && render->flags & UE_RENDER_TAGS)
		at = ue__put_tag(at, item->tag);
	return ue__put_mark(at, &render->form->end_key);
}

static char *put_name(struct ue__render *render, char *begin,
		      const struct ue_item *item)
{
	struct ue__bytes *bytes = &render->bytes;
	char *at;

	*begin++ = '"';
	if (render->is_event && !item->depth &&
	    may_be_taken(item->name, item->name_length) &&
	    is_taken(item->name, item->name_length))
		*begin++ = '_';
	if (item->name_length <= SHORT_NAME) {
		at = ue__copy_plain(begin, (const uint8_t *)item->name,
				    item->name_length);
		if (at)
			return put_tag(render, at, item);
	}
	ue__bytes_used(bytes, begin);
	put_escaped(render, item->name, item->name_length);
	return put_tag(render, ue__bytes_room(bytes), item);
}

static void put_plain_fields(struct ue__render *render, struct ue__reader *reader)
{
	if (ue__json_plain_fields(&render->bytes, reader, render->is_first))
		render->is_first = 0;
}

/* Names of provider and event */

#define PLAIN_NAME 64u

/* The same as below for names that are short and plain; NULL for others. */
static char *put_plain_n(char *at, const struct ue_event_info *info)
{
	if (!info->name || info->provider_length > PLAIN_NAME ||
	    info->name_proper_length > PLAIN_NAME)
		return NULL;
	*at++ = '"';
	at = ue__copy_plain(at, (const uint8_t *)info->provider,
			    info->provider_length);
	if (!at)
		return NULL;
	*at++ = ':';
	at = ue__copy_plain(at, (const uint8_t *)info->name,
			    info->name_proper_length);
	if (!at)
		return NULL;
	*at++ = '"';
	return at;
}

/* "n":"PROVIDER:EVENT" */
static void put_n(struct ue__render *render, const struct ue_event_info *info)
{
	static const struct ue__name n = UE__NAME("n");
	struct ue__bytes *bytes = &render->bytes;
	char *at = ue__key(render, ue__bytes_room(bytes), &n);
	char *end = put_plain_n(at, info);

	ue__bytes_used(bytes, end ? end : at);
	if (end)
		return;
	if (!info->name) {
		put_string(render, info->tracepoint, info->tracepoint_length);
		return;
	}
	ue__bytes_put(bytes, '"');
	put_escaped(render, info->provider, info->provider_length);
	ue__bytes_put(bytes, ':');
	put_escaped(render, info->name, info->name_proper_length);
	ue__bytes_put(bytes, '"');
}

/* The name of the event before it, when asked for, and its bracket. */
static void open_event(struct ue__render *render, const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &render->bytes;
	char *at = ue__separator(render, ue__bytes_room(bytes));

	if (render->flags & UE_RENDER_NAME) {
		*at++ = '"';
		ue__bytes_used(bytes, at);
		put_escaped(render, info->name ? info->name : info->tracepoint,
			    info->name ? info->name_length :
					 info->tracepoint_length);
		at = ue__put_mark(ue__bytes_room(bytes), &render->form->end_key);
	}
	ue__open_bracket(render, at, '{');
}

static const struct ue__form spaced = {
	.separator = UE__MARK(", "),
	.key = UE__MARK(", \""),
	.end_key = UE__MARK("\": "),
	.close = UE__MARK(" "),
	.quote = UE__MARK("\""),
	.put_name = put_name,
	.put_value = ue__put_json_value,
	.open_event = open_event,
	.put_n = put_n,
	.put_word = put_string,
};

const struct ue__form ue__json = {
	.spaced = &spaced,
	.separator = UE__MARK(","),
	.key = UE__MARK(",\""),
	.end_key = UE__MARK("\":"),
	.quote = UE__MARK("\""),
	.put_plain_fields = put_plain_fields,
	.put_name = put_name,
	.put_value = ue__put_json_value,
	.open_event = open_event,
	.put_n = put_n,
	.put_word = put_string,
};

UE__PUBLIC ptrdiff_t ue_reader_to_json(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	return ue__render_event(ue__own(reader), opts, out, size, &ue__json);
}

UE__PUBLIC ptrdiff_t ue_reader_item_to_json(struct ue_reader *public_reader,
				 const struct ue_render_opts *opts, char *out,
				 size_t size)
{
	struct ue__reader *reader = ue__own(public_reader);
	struct ue__render render;
	int result = ue__render_begin(&render, opts, out, size, &ue__json);

	if (result)
		return result;
	if (!ue__reader_is_at_item(reader))
		return -ENOENT;
	render.is_nameless = !(render.flags & UE_RENDER_NAME);
	ue__put_item(&render, reader);
	return (ptrdiff_t)ue__bytes_end(&render.bytes);
}

UE__PUBLIC ptrdiff_t ue_value_to_json(const struct ue_value *value, char *out,
				  size_t size)
{
	struct ue__bytes bytes;
	int result = ue__check_value(value);

	if (result)
		return result;
	ue__bytes_begin(&bytes, out, size);
	ue__put_json_value(&bytes, ue__bytes_room(&bytes), value);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}
