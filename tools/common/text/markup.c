/* SPDX-License-Identifier: MIT */
/* Writes markup, and text so that it cannot become markup. */
#include "text_table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "amount.h"

#define REPLACEMENT 0xfffdu

/* Characters */

static int is_overlong(uint32_t character, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character < least[length];
}

/* The next character and its length in bytes; a byte that begins none is U+FFFD. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *character)
{
	const size_t length = utf8_length(text[0]);

	*character = REPLACEMENT;
	if (!length || length > left)
		return 1;
	if (length == 1) {
		*character = text[0];
		return 1;
	}
	*character = text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80) {
			*character = REPLACEMENT;
			return 1;
		}
		*character = *character << 6 | (text[i] & 0x3f);
	}
	if (is_overlong(*character, length) || *character > 0x10ffff)
		*character = REPLACEMENT;
	return length;
}

/* Controls, surrogates, marks of direction, characters without a glyph. */
static int is_unwanted(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xd800, 0xdfff }, { 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return 1;
	return (character & 0xfffe) == 0xfffe;
}

static void escape(struct bytes *out, uint32_t character)
{
	switch (character) {
	case '&':
		bytes_put(out, "&amp;");
		break;
	case '<':
		bytes_put(out, "&lt;");
		break;
	case '>':
		bytes_put(out, "&gt;");
		break;
	case '"':
		bytes_put(out, "&quot;");
		break;
	case '\'':
		bytes_put(out, "&#39;");
		break;
	default:
		bytes_add_utf8(out, is_unwanted(character) ? REPLACEMENT : character);
	}
}

void markup_text(struct bytes *out, const char *text, size_t length)
{
	uint32_t character;

	for (size_t at = 0; at < length;) {
		at += decode((const unsigned char *)text + at, length - at, &character);
		escape(out, character);
	}
}

void markup_string(struct bytes *out, const char *text)
{
	markup_text(out, text, strlen(text));
}

void markup_short(struct bytes *out, const char *text, size_t length, unsigned int most)
{
	uint32_t character;
	size_t at = 0, end = 0;

	for (unsigned int count = 0; at < length && count < most; count++) {
		end = at;
		at += decode((const unsigned char *)text + at, length - at, &character);
	}
	if (at >= length) {
		markup_text(out, text, length);
		return;
	}
	markup_text(out, text, end);
	bytes_put(out, "\xe2\x80\xa6");
}

/* Appends JSON to a buffer. */

static void put_string(struct bytes *json, const char *text, size_t length, uint8_t encoding)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)length,
		.encoding = encoding,
	};
	size_t room = length * 6 + 3; /* every byte as \u0001 */
	ptrdiff_t put = ue_value_to_json(&value, bytes_room(json, room), room);

	json->length += put > 0 ? (size_t)put : 0;
}

static void put_key(struct bytes *json, const char *key)
{
	const char last = json->length ? (char)json->at[json->length - 1] : '{';

	if (last != '{' && last != '[')
		bytes_add(json, ",", 1);
	if (!key)
		return;
	put_string(json, key, strlen(key), UE_ENCODING_STRING_LENGTH16_CHAR8);
	bytes_add(json, ":", 1);
}

void json_raw(struct bytes *json, const char *key, const void *text, size_t length)
{
	put_key(json, key);
	bytes_add(json, text, length);
}

void json_open(struct bytes *json, const char *key, char bracket)
{
	json_raw(json, key, &bracket, 1);
}

void json_close(struct bytes *json, char bracket)
{
	bytes_add(json, &bracket, 1);
}

/* Numbers are digits; those that JSON does not have are words, as "decode" prints them. */
static void put_number(struct bytes *json, struct value value)
{
	const int is_word = !isfinite(value_as_double(&value));

	value.spelling = SPELT_DIGITS;
	bytes_add(json, "\"", (size_t)is_word);
	value_put(&value, json);
	bytes_add(json, "\"", (size_t)is_word);
}

void json_value(struct bytes *json, const char *key, const struct value *value)
{
	put_key(json, key);
	if (value->type == VALUE_TEXT)
		put_string(json, value->text, value->length,
			   UE_ENCODING_STRING_LENGTH16_CHAR8);
	else if (value->type == VALUE_BYTES)
		put_string(json, value->text, value->length,
			   UE_ENCODING_BINARY_LENGTH16_CHAR8);
	else if (value_is_number(value))
		put_number(json, *value);
	else
		bytes_add(json, "null", 4);
}

void json_count(struct bytes *json, const char *key, uint64_t number)
{
	json_value(json, key, &(struct value){ .type = VALUE_UNSIGNED,
					       .whole = (int64_t)number });
}

void json_float(struct bytes *json, const char *key, double number)
{
	json_value(json, key, &(struct value){ .type = isfinite(number) ? VALUE_FLOAT : VALUE_NONE,
					       .number = number });
}

void json_boolean(struct bytes *json, const char *key, int is_true)
{
	json_value(json, key, &(struct value){ .type = VALUE_BOOLEAN, .whole = is_true });
}

void json_string(struct bytes *json, const char *key, const char *text)
{
	if (!text)
		json_value(json, key, &(struct value){ .type = VALUE_NONE });
	else
		json_value(json, key, &(struct value){ .type = VALUE_TEXT, .text = text,
						       .length = strlen(text) });
}

void json_time(struct bytes *json, const char *key, int64_t time, int is_wall_clock)
{
	char text[DATE_TEXT_MAX];

	time_text(text, time, is_wall_clock);
	if (is_wall_clock)
		json_string(json, key, text);
	else
		json_raw(json, key, text, strlen(text));
}
