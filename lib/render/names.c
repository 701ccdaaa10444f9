/* SPDX-License-Identifier: MIT */
/*
 * Write the names of events and fields.
 */
#include <assert.h>

#include "render.h"

static_assert(3 + UE__SHORT_TEXT + 7 + 32 + UE__ROOM_VALUE <= UE__ROOM,
	      "a name with its tag fits, and a value behind it");
static_assert(16 + 2 * UE__SHORT_TEXT + 7 <= UE__ROOM, "provider and event fit");

/* The bytes of a word, which needs no quotes in a line of text. */
static const uint8_t is_word_byte[256] = {
	['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
	['_'] = 1, ['.'] = 1, ['-'] = 1, [';'] = 1,
};

static int is_word(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && is_word_byte[(uint8_t)text[at]])
		at++;
	return length && at == length;
}

/* Copy a short word into the room: its end, or NULL for other text. */
static inline char *copy_word(char *at, const char *text, size_t length)
{
	uint8_t is_plain = 1;

	if (!length || length > UE__SHORT_TEXT)
		return NULL;
	for (size_t i = 0; i < length; i++) { /* without a branch for each byte */
		is_plain &= is_word_byte[(uint8_t)text[i]];
		at[i] = text[i];
	}
	return is_plain ? at + length : NULL;
}

char *ue__put_word(struct ue__render *render, char *at, const char *text, size_t length)
{
	const int is_json = render->form->is_json;
	char *end = copy_word(at + is_json, text, length);
	int is_quoted;

	if (end && is_json) {
		*at = '"';
		*end++ = '"';
	}
	if (end)
		return end;
	is_quoted = render->form->is_json || !is_word(text, length);
	if (is_quoted)
		*at++ = '"';
	at = ue__put_escaped(&render->bytes, at, text, length);
	if (is_quoted)
		*at++ = '"';
	return at;
}

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

/* ";tag=0x12" */
static char *put_tag(char *at, uint16_t tag)
{
	memcpy(at, ";tag=", 5);
	return ue__put_hex(at + 5, tag);
}

char *ue__put_name(struct ue__render *render, char *at, const struct ue_item *item)
{
	const struct ue__form *form = render->form;
	int is_tagged = item->tag && render->flags & UE_RENDER_TAGS;

	if (!form->is_json && !is_tagged) {
		at = ue__put_word(render, at, item->name, item->name_length);
		return ue__put_mark(at, &form->end_key);
	}
	*at++ = '"';
	if (form->is_json && render->is_event && !item->depth &&
	    may_be_taken(item->name, item->name_length) &&
	    is_taken(item->name, item->name_length))
		*at++ = '_';
	at = ue__put_escaped(&render->bytes, at, item->name, item->name_length);
	if (is_tagged)
		at = put_tag(at, item->tag);
	if (!form->is_json)
		*at++ = '"';
	return ue__put_mark(at, &form->end_key);
}

/* PROVIDER:EVENT of two short words; NULL for others. */
static char *copy_words(char *at, const struct ue_event_info *info)
{
	at = copy_word(at, info->provider, info->provider_length);
	if (!at)
		return NULL;
	*at++ = ':';
	return copy_word(at, info->name, info->name_proper_length);
}

/* PROVIDER:EVENT, in quotes if one of them needs them. */
static char *put_both(struct ue__render *render, char *at,
		      const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &render->bytes;
	char *end = render->form->is_json ? NULL : copy_words(at, info);
	int is_quoted;

	if (end)
		return end;
	is_quoted = render->form->is_json ||
		    !is_word(info->provider, info->provider_length) ||
		    !is_word(info->name, info->name_proper_length);
	if (is_quoted)
		*at++ = '"';
	at = ue__put_escaped(bytes, at, info->provider, info->provider_length);
	*at++ = ':';
	at = ue__put_escaped(bytes, at, info->name, info->name_proper_length);
	if (is_quoted)
		*at++ = '"';
	return at;
}

void ue__put_n(struct ue__render *render, const struct ue_event_info *info)
{
	char *at = ue__bytes_room(&render->bytes);

	at = render->form->is_json ? ue__key(render, at, UE__NAME("n")) :
				     ue__separator(render, at);
	at = info->name ? put_both(render, at, info) :
			  ue__put_word(render, at, info->tracepoint,
				       info->tracepoint_length);
	ue__bytes_used(&render->bytes, at);
}
