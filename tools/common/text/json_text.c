/* SPDX-License-Identifier: MIT */
/* Appends JSON to a buffer. */
#include "text_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "amount.h"

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
