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

static inline void colon(struct json *json)
{
	ue__bytes_put(&json->render.bytes, ':');
	if (json->render.flags & UE_RENDER_SPACE)
		ue__bytes_put(&json->render.bytes, ' ');
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

/* What comes before a value, at the end of what is in the room already. */
static inline char *separator(struct json *json, char *at)
{
	*at = ',';
	at += !json->is_first;
	json->is_first = 0;
	if (json->render.flags & UE_RENDER_SPACE)
		*at++ = ' ';
	return at;
}

static inline char *end_key(const struct json *json, char *at)
{
	*at++ = '"';
	*at++ = ':';
	if (json->render.flags & UE_RENDER_SPACE)
		*at++ = ' ';
	return at;
}

/* Members of a known name: the room they begin in, to be told as used. */

static inline char *known_key(struct json *json, const char *name, size_t length)
{
	char *at = separator(json, ue__bytes_room(&json->render.bytes));

	*at++ = '"';
	memcpy(at, name, length);
	return end_key(json, at + length);
}

static inline char *meta_key(struct json *json, const struct ue__name *name)
{
	char *at = separator(json, ue__bytes_room(&json->render.bytes));

	memcpy(at, name->text, sizeof(name->text));
	at += name->length;
	if (json->render.flags & UE_RENDER_SPACE)
		*at++ = ' ';
	return at;
}

static inline void open_member(struct json *json, char *at)
{
	*at++ = '{';
	ue__bytes_used(&json->render.bytes, at);
	json->is_first = 1;
}

#define KEY(json, name) known_key((json), (name), sizeof(name) - 1)

static inline void number_member(struct json *json, const char *name, size_t length,
				 int64_t number)
{
	ue__bytes_used(&json->render.bytes,
		       ue__put_signed(known_key(json, name, length), number));
}

#define NUMBER(json, name, number) \
	number_member((json), (name), sizeof(name) - 1, (number))

static void string_member(struct json *json, const char *name, const char *text)
{
	ue__bytes_used(&json->render.bytes, known_key(json, name, strlen(name)));
	put_string(json, text, strlen(text));
}

/* Fields */

/* Longer names do not fit the room with every byte escaped. */
#define SHORT_NAME 160u

static_assert(SHORT_NAME + 7 + 32 + UE__ROOM_VALUE <= UE__ROOM, "it fits");

/* The key; what is in the room, not told yet. */
static __attribute__((noinline)) char *put_long_name(struct json *json, const struct ue_item *item)
{
	struct ue__bytes *bytes = &json->render.bytes;
	char *at = ue__bytes_room(bytes);

	*at++ = '"';
	ue__bytes_used(bytes, at);
	put_text(json, item->name, item->name_length);
	at = ue__bytes_room(bytes);
	if (item->tag && json->render.flags & UE_RENDER_TAGS)
		at = ue__put_tag(at, item->tag);
	return end_key(json, at);
}

static inline char *put_name(struct json *json, char *begin, const struct ue_item *item)
{
	char *at;

	if (item->name_length <= SHORT_NAME) {
		*begin = '"';
		at = ue__copy_plain(begin + 1, (const uint8_t *)item->name,
				    item->name_length);
		if (at) {
			if (item->tag && json->render.flags & UE_RENDER_TAGS)
				at = ue__put_tag(at, item->tag);
			return end_key(json, at);
		}
	}
	ue__bytes_used(&json->render.bytes, begin);
	return put_long_name(json, item);
}

static inline char *begin_item(struct json *json, const struct ue_item *item)
{
	char *at = separator(json, ue__bytes_room(&json->render.bytes));

	if (!item->is_element && !json->is_nameless)
		at = put_name(json, at, item);
	json->is_nameless = 0;
	return at;
}

/* An array of values of fixed size is shown whole at its begin. */
static inline int is_whole(const struct ue_item *item)
{
	return item->kind == UE_ITEM_ARRAY_BEGIN && item->element_size;
}

/* All elements at once; they are of the same size. */
static void put_values(struct json *json, const struct ue_item *item)
{
	struct ue__bytes *bytes = &json->render.bytes;
	struct ue_value value = item->value;

	value.length = item->element_size;
	for (uint32_t i = 0; i < item->count; i++) {
		ue__put_json_value(bytes, separator(json, ue__bytes_room(bytes)),
				   &value);
		value.bytes += value.length;
	}
}

static void open_item(struct json *json, const struct ue_item *item, char bracket)
{
	char *at = begin_item(json, item);

	*at++ = bracket;
	ue__bytes_used(&json->render.bytes, at);
	json->is_first = 1;
}

static void put_array(struct json *json, const struct ue_item *item)
{
	open_item(json, item, '[');
	if (is_whole(item)) {
		put_values(json, item);
		close_bracket(json, ']');
	}
}

static void put_item(struct json *json, const struct ue_item *item)
{
	switch (item->kind) {
	case UE_ITEM_VALUE:
		ue__put_json_value(&json->render.bytes, begin_item(json, item),
				   &item->value);
		break;
	case UE_ITEM_ARRAY_BEGIN:
		put_array(json, item);
		break;
	case UE_ITEM_STRUCT_BEGIN:
		open_item(json, item, '{');
		break;
	case UE_ITEM_ARRAY_END:
		close_bracket(json, ']');
		break;
	default:
		close_bracket(json, '}');
	}
}

/*
 * The fast lane: a field that is one value, plain in name and text, of an event in
 * this machine's byte order, goes from the event's bytes to the buffer without an
 * item in between. Whatever is not as simple as that is left, untouched, to the
 * reader, which also finds the errors. Both lanes write the same, as the fuzzer
 * makes sure.
 */
#define PLAIN_NAME 64u
#define PLAIN_TEXT 160u

static_assert(2 + PLAIN_NAME + 8 + 2 + PLAIN_TEXT + 8 + 2 <= UE__ROOM, "it fits");
static_assert(2 + PLAIN_NAME + 8 + 2 + UE__ROOM_VALUE <= UE__ROOM, "it fits");

/* The cursors of the reader and the buffer, where the compiler keeps them at hand. */
struct lane {
	const uint8_t *field; /* the definition that is next */
	const uint8_t *fields_end;
	const uint8_t *fields_near_end; /* eight bytes of the event before its end */
	const uint8_t *payload;
	const uint8_t *end;
	char *at;
};

/* Where a value was written to, and what of the payload follows it. */
struct put {
	char *at; /* NULL: it was not plain */
	const uint8_t *payload;
};

static const struct put not_plain;

static struct put put_plain_zstring(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	const uint8_t *nul;

	*at++ = '"';
	nul = ue__copy_plain_zstring(&at, payload, end, PLAIN_TEXT);
	if (!nul)
		return not_plain;
	*at++ = '"';
	return (struct put){ at, nul + 1 };
}

static struct put put_plain_counted(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	uint16_t length;

	if (end - payload < 2)
		return not_plain;
	memcpy(&length, payload, 2);
	payload += 2;
	if (length > PLAIN_TEXT || length > end - payload)
		return not_plain;
	*at++ = '"';
	at = ue__copy_plain(at, payload, length);
	if (!at)
		return not_plain;
	*at++ = '"';
	return (struct put){ at, payload + length };
}

static __attribute__((noinline)) struct put
put_plain_text(char *at, const uint8_t *payload, const uint8_t *end,
	       uint32_t encoding, uint32_t style)
{
	if (style != UE__STYLE_UTF8)
		return not_plain;
	if (encoding == UE_ENCODING_ZSTRING_CHAR8)
		return put_plain_zstring(at, payload, end);
	return put_plain_counted(at, payload, end);
}

static_assert(1 << (UE_ENCODING_VALUE128 - UE_ENCODING_VALUE8) == 16, "2^n bytes");

static inline struct put put_plain_value(char *at, const uint8_t *payload,
					 const uint8_t *end, uint32_t encoding,
					 uint32_t format)
{
	uint32_t style = ue__styles[encoding][format];
	uint32_t size;

	if (encoding > UE_ENCODING_VALUE128)
		return put_plain_text(at, payload, end, encoding, style);
	size = 1u << (encoding - UE_ENCODING_VALUE8);
	if ((size_t)(end - payload) < size || style >= UE__STYLE_BYTES)
		return not_plain;
	at = ue__put_json_short(at, (enum ue__style)style, payload, size,
				__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return (struct put){ at, payload + size };
}

/* The field that is next: 1, or 0 when it is not plain. */
static inline int put_plain_field(struct lane *lane)
{
	const uint8_t *definition;
	char *at = lane->at;
	uint32_t encoding, format = 0;
	struct put put;

	*at++ = '"';
	definition = ue__copy_plain_word(&at, lane->field, lane->end, PLAIN_NAME);
	if (!definition || lane->fields_end - definition < 3)
		return 0;
	encoding = definition[1] & ~(uint32_t)UE_ENCODING_CHAIN;
	definition += 2;
	if (definition[-1] & UE_ENCODING_CHAIN)
		format = *definition++;
	if (encoding - UE_ENCODING_VALUE8 >= UE_ENCODING_END - UE_ENCODING_VALUE8 ||
	    format >= UE_FORMAT_END)
		return 0;
	at[0] = '"';
	at[1] = ':';
	put = put_plain_value(at + 2, lane->payload, lane->end, encoding, format);
	if (!put.at)
		return 0;
	lane->at = put.at;
	lane->payload = put.payload;
	lane->field = definition;
	return 1;
}

/* Definitions before this can be loaded eight bytes at once. */
static const uint8_t *lane_end(const struct ue_reader *reader)
{
	uint32_t begin = (uint32_t)(reader->ue__metadata - reader->ue__bytes);
	uint32_t end = begin + reader->ue__metadata_length;

	if (reader->ue__length - end < 8)
		end = reader->ue__length - begin < 8 ? begin :
						       reader->ue__length - 7;
	return reader->ue__bytes + end;
}

/*
 * As many fields as are plain, of at most so many; how many were not. The caller
 * has seen to it that there are steps enough for any.
 */
static __attribute__((noinline)) uint32_t put_lane(struct ue__bytes *bytes,
						   struct ue_reader *reader,
						   uint32_t fields, int is_first)
{
	const char *easy = bytes->out + bytes->easy;
	uint32_t left = fields;
	struct lane lane = {
		.field = reader->ue__metadata + reader->ue__field,
		.fields_end = reader->ue__metadata + reader->ue__metadata_length,
		.fields_near_end = lane_end(reader),
		.payload = reader->ue__bytes + reader->ue__at,
		.end = reader->ue__bytes + reader->ue__length,
		.at = bytes->out + bytes->length,
	};

	if (!is_first)
		*lane.at++ = ',';
	while (left && lane.field < lane.fields_near_end && lane.at < easy &&
	       put_plain_field(&lane)) {
		*lane.at++ = ',';
		left--;
	}
	lane.at -= left < fields || !is_first;
	reader->ue__steps -= (uint64_t)(fields - left) * UE__STEP +
			     (uint64_t)(lane.field - reader->ue__metadata) -
			     reader->ue__field;
	reader->ue__field = (uint32_t)(lane.field - reader->ue__metadata);
	reader->ue__at = (uint32_t)(lane.payload - reader->ue__bytes);
	bytes->length = (size_t)(lane.at - bytes->out);
	return left;
}

static inline int is_native(const struct ue_reader *reader)
{
	return !(reader->info.flags & UE_HEADER_LITTLE_ENDIAN) ==
	       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void put_plain_fields(struct json *json, struct ue_reader *reader)
{
	struct ue__bytes *bytes = &json->render.bytes;
	uint32_t fields = UINT32_MAX, left;

	if (json->render.flags & UE_RENDER_SPACE || !is_native(reader) ||
	    !ue__reader_is_among_fields(reader) || bytes->length >= bytes->easy)
		return;
	/* enough for any definitions, each of at least two bytes */
	if (reader->ue__steps < (uint64_t)reader->ue__metadata_length * UE__STEP)
		return;
	if (reader->ue__depth)
		fields = reader->ue__frames[reader->ue__depth - 1].remaining;
	left = put_lane(bytes, reader, fields, json->is_first);
	if (left == fields)
		return;
	json->is_first = 0;
	if (reader->ue__depth)
		reader->ue__frames[reader->ue__depth - 1].remaining = (uint8_t)left;
}

static void put_fields(struct json *json, struct ue_reader *reader)
{
	int kind;

	for (;;) {
		put_plain_fields(json, reader);
		kind = ue_reader_next(reader);
		if (kind <= 0)
			break;
		put_item(json, &reader->item);
		if (is_whole(&reader->item))
			ue__reader_pass_values(reader);
	}
	if (kind < 0)
		while (ue__reader_unwind(reader) > 0)
			put_item(json, &reader->item);
}

/* Around the fields */

static void put_common(struct json *json)
{
	const struct ue_sample *sample = json->render.sample;

	NUMBER(json, "common_type", sample->common_type);
	NUMBER(json, "common_flags", sample->common_flags);
	NUMBER(json, "common_preempt_count", sample->common_preempt_count);
	NUMBER(json, "common_pid", sample->common_pid);
}

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
static void put_n(struct json *json, const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &json->render.bytes;
	char *at = KEY(json, "n");
	char *end = put_plain_n(at, info);

	ue__bytes_used(bytes, end ? end : at);
	if (end)
		return;
	if (!info->name) {
		put_string(json, info->tracepoint, info->tracepoint_length);
		return;
	}
	ue__bytes_put(bytes, '"');
	put_text(json, info->provider, info->provider_length);
	ue__bytes_put(bytes, ':');
	put_text(json, info->name, info->name_proper_length);
	ue__bytes_put(bytes, '"');
}

/* Of an event that could not be begun, what every event has. */
static void put_header(struct json *json, const struct ue_event_info *info)
{
	NUMBER(json, "eventheader_flags", info->flags);
	NUMBER(json, "version", info->version);
	NUMBER(json, "id", info->id);
	NUMBER(json, "tag", info->tag);
	NUMBER(json, "opcode", info->opcode);
	NUMBER(json, "level", info->level);
}

static char *put_clock(char *at, const struct ue_sample *sample)
{
	if (!sample->is_wall_clock)
		return ue__put_sample_time(at, sample);
	*at++ = '"';
	at = ue__put_sample_time(at, sample);
	*at++ = '"';
	return at;
}

static char *put_quoted_hex(char *at, uint64_t number)
{
	*at++ = '"';
	at = ue__put_hex(at, number);
	*at++ = '"';
	return at;
}

static char *put_quoted_uuid(char *at, const uint8_t *uuid)
{
	*at++ = '"';
	at = ue__put_uuid(at, uuid);
	*at++ = '"';
	return at;
}

static void put_meta_member(struct json *json, const struct ue_event_info *info,
			    enum ue__meta member, uint64_t number)
{
	struct ue__bytes *bytes = &json->render.bytes;
	char *at = meta_key(json, &ue__meta_names[member]);
	const char *text;
	size_t length;

	switch ((enum ue__meta_kind)ue__meta_kinds[member]) {
	case UE__META_NUMBER:
		at = ue__put_decimal(at, number);
		break;
	case UE__META_HEX:
		at = put_quoted_hex(at, number);
		break;
	case UE__META_UUID:
		at = put_quoted_uuid(at, ue__meta_uuid(info, member));
		break;
	case UE__META_CLOCK:
		at = put_clock(at, json->render.sample);
		break;
	case UE__META_TEXT:
		ue__bytes_used(bytes, at);
		text = ue__meta_text(info, member, &length);
		put_string(json, text, length);
		return;
	}
	ue__bytes_used(bytes, at);
}

static void put_error(struct json *json, const struct ue_eventheader_error *error)
{
	open_member(json, KEY(json, "error"));
	string_member(json, "name", error->name);
	NUMBER(json, "offset", (int64_t)error->offset);
	string_member(json, "reason", error->reason);
	close_bracket(json, '}');
}

static void put_meta(struct json *json, const struct ue_event_info *info,
		     const struct ue_eventheader_error *error)
{
	struct ue__meta_values values;

	ue__meta_values(&json->render, info, &values);
	open_member(json, KEY(json, "meta"));
	for (; values.shown; values.shown &= values.shown - 1) {
		enum ue__meta member = (enum ue__meta)__builtin_ctz(values.shown);

		put_meta_member(json, info, member, values.numbers[member]);
	}
	if (error->error)
		put_error(json, error);
	close_bracket(json, '}');
}

/* What an event begins with, its bracket included. */
static void begin_event(struct json *json, const struct ue_event_info *info)
{
	struct ue__bytes *bytes = &json->render.bytes;
	char *at = separator(json, ue__bytes_room(bytes));

	if (json->render.flags & UE_RENDER_NAME) {
		ue__bytes_used(bytes, at);
		put_string(json, info->name ? info->name : info->tracepoint,
			   info->name ? info->name_length :
					info->tracepoint_length);
		colon(json);
		at = ue__bytes_room(bytes);
	}
	open_member(json, at);
	if (json->render.meta & UE_META_N)
		put_n(json, info);
	if (json->render.meta & UE_META_COMMON)
		put_common(json);
}

static void end_event(struct json *json, const struct ue_event_info *info,
		      const struct ue_eventheader_error *error)
{
	if (ue__has_meta(&json->render, error))
		put_meta(json, info, error);
	close_bracket(json, '}');
}

static void put_event(struct json *json, struct ue_reader *reader)
{
	int result = ue_reader_rewind(reader);

	begin_event(json, &reader->info);
	if (!result)
		put_fields(json, reader);
	else if (reader->ue__has_header)
		put_header(json, &reader->info);
	end_event(json, &reader->info, &reader->error);
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

ptrdiff_t ue__items_to_json(struct ue__items *items, const struct ue_render_opts *opts,
			    char *out, size_t size)
{
	struct json json;
	struct ue_item item;
	int result = ue__render_begin(&json.render, opts, out, size);

	if (result)
		return result;
	json.render.meta &= UE__ITEMS_META;
	json.is_first = 1;
	json.is_nameless = 0;
	begin_event(&json, &items->info);
	while (items->next(items, &item) > 0)
		put_item(&json, &item);
	end_event(&json, &items->info, &items->error);
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
	ue__put_json_value(&bytes, ue__bytes_room(&bytes), value);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}
