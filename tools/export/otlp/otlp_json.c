/* SPDX-License-Identifier: MIT */
/*
 * Encodes OTLP in JSON, as its specification wants it: names in lowerCamelCase, ids in
 * hexadecimal, 64-bit integers as strings, bytes in base64, enums as numbers.
 */
#include <math.h>

#include "otlp_encoder.h"
#include "common/output/printer.h"

static void put_comma(struct bytes *to)
{
	const uint8_t last = to->at[to->length - 1];

	if (last != '{' && last != '[')
		bytes_add(to, ",", 1);
}

/* "name": after a comma if one is due. */
static void put_name(struct bytes *to, enum otlp_field field)
{
	put_comma(to);
	bytes_add(to, "\"", 1);
	bytes_put(to, otlp_members[field].name);
	bytes_add(to, "\":", 2);
}

static void put_decimal(struct bytes *to, uint64_t number)
{
	put_number(to, number, 1, ' ');
}

static void put_quoted_decimal(struct bytes *to, uint64_t number)
{
	bytes_add(to, "\"", 1);
	put_decimal(to, number);
	bytes_add(to, "\"", 1);
}

/* Strings */

static int is_escaped(uint8_t byte)
{
	return byte < ' ' || byte == '"' || byte == '\\';
}

static void put_escaped(struct bytes *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char code[6] = { '\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15] };
	const char plain[2] = { '\\', (char)byte };

	if (byte < ' ')
		bytes_add(to, code, sizeof(code));
	else
		bytes_add(to, plain, sizeof(plain));
}

static void put_string(struct bytes *to, const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t begin = 0;

	bytes_add(to, "\"", 1);
	for (size_t i = 0; i < length; i++) {
		if (!is_escaped(bytes[i]))
			continue;
		bytes_add(to, bytes + begin, i - begin);
		put_escaped(to, bytes[i]);
		begin = i + 1;
	}
	if (length > begin)
		bytes_add(to, bytes + begin, length - begin);
	bytes_add(to, "\"", 1);
}

static void put_hex(struct bytes *to, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *at = bytes_room(to, 2 * length);

	for (size_t i = 0; i < length; i++) {
		*at++ = digits[bytes[i] >> 4];
		*at++ = digits[bytes[i] & 15];
	}
	to->length += 2 * length;
}

/* Three bytes, of which the last two may be missing, in four characters. */
static char *put_base64_group(char *at, const uint8_t *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint32_t bits = (uint32_t)bytes[0] << 16 |
			      (length > 1 ? (uint32_t)bytes[1] << 8 : 0) |
			      (length > 2 ? bytes[2] : 0);

	*at++ = digits[bits >> 18];
	*at++ = digits[bits >> 12 & 63];
	*at++ = length > 1 ? digits[bits >> 6 & 63] : '=';
	*at++ = length > 2 ? digits[bits & 63] : '=';
	return at;
}

static void put_base64(struct bytes *to, const uint8_t *bytes, size_t length)
{
	char *const begin = bytes_room(to, (length + 2) / 3 * 4 + 2);
	char *at = begin;

	*at++ = '"';
	for (size_t i = 0; i < length; i += 3)
		at = put_base64_group(at, bytes + i, length - i);
	*at++ = '"';
	to->length += (size_t)(at - begin);
}

/* Messages */

static void open_object(struct bytes *to)
{
	bytes_add(to, "{", 1);
}

static void close_object(struct bytes *to)
{
	bytes_add(to, "}", 1);
}

static size_t message_begin(struct bytes *to, enum otlp_field field)
{
	put_name(to, field);
	open_object(to);
	return 0;
}

static void message_end(struct bytes *to, size_t begun)
{
	(void)begun;
	close_object(to);
}

static void message(struct bytes *to, enum otlp_field field, const void *bytes,
		    size_t length)
{
	put_name(to, field);
	bytes_add(to, bytes, length);
}

static void list_begin(struct bytes *to, enum otlp_field list)
{
	put_name(to, list);
	bytes_add(to, "[", 1);
}

static void list_end(struct bytes *to)
{
	bytes_add(to, "]", 1);
}

static size_t item_begin(struct bytes *to, enum otlp_field list)
{
	(void)list;
	put_comma(to);
	open_object(to);
	return 0;
}

static void item(struct bytes *to, enum otlp_field list, const void *bytes, size_t length)
{
	(void)list;
	put_comma(to);
	bytes_add(to, bytes, length);
}

/* Members */

static void number(struct bytes *to, enum otlp_field field, uint64_t number)
{
	put_name(to, field);
	if (otlp_members[field].type == OTLP_FIXED64)
		put_quoted_decimal(to, number);
	else
		put_decimal(to, number);
}

static void text(struct bytes *to, enum otlp_field field, struct clean_text text)
{
	if (!text.length)
		return;
	put_name(to, field);
	put_string(to, text.at, text.length);
}

static void id(struct bytes *to, enum otlp_field field, const uint8_t *id, size_t length)
{
	put_name(to, field);
	bytes_add(to, "\"", 1);
	put_hex(to, id, length);
	bytes_add(to, "\"", 1);
}

/* Values */

static void put_float(struct bytes *to, const struct value *value)
{
	bytes_put(to, "{\"doubleValue\":");
	if (isfinite(value->number))
		value_put(value, to);
	else if (isnan(value->number))
		bytes_put(to, "\"NaN\"");
	else
		bytes_put(to, value->number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

static void put_whole(struct bytes *to, const struct value *value)
{
	const int is_signed = value->type == VALUE_SIGNED;
	const int is_negative = is_signed && value->whole < 0;
	const uint64_t number = (uint64_t)value->whole;

	bytes_put(to, !is_signed && value->whole < 0 ? "{\"stringValue\":" :
						       "{\"intValue\":");
	bytes_put(to, is_negative ? "\"-" : "\"");
	put_decimal(to, is_negative ? -number : number);
	bytes_add(to, "\"", 1);
}

static void put_value(struct bytes *to, const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
		bytes_put(to,
			  value->whole ? "{\"boolValue\":true" : "{\"boolValue\":false");
		break;
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		put_whole(to, value);
		break;
	case VALUE_FLOAT:
		put_float(to, value);
		break;
	case VALUE_TEXT:
		bytes_put(to, "{\"stringValue\":");
		put_string(to, value->text, value->length);
		break;
	case VALUE_BYTES:
		bytes_put(to, "{\"bytesValue\":");
		put_base64(to, (const uint8_t *)value->text, value->length);
		break;
	default:
		open_object(to);
	}
	close_object(to);
}

static void value(struct bytes *to, enum otlp_field field, const struct value *value)
{
	put_name(to, field);
	put_value(to, value);
}

static void begin_attribute(struct bytes *to, const struct clean_text *key)
{
	put_comma(to);
	if (!key)
		return;
	bytes_put(to, "{\"key\":");
	put_string(to, key->at, key->length);
	bytes_put(to, ",\"value\":");
}

static void attribute(struct bytes *to, enum otlp_field list, const struct clean_text *key,
		      const struct value *value)
{
	(void)list;
	begin_attribute(to, key);
	put_value(to, value);
	if (key)
		close_object(to);
}

static void nest_begin(struct bytes *to, enum otlp_field list, const struct clean_text *key,
		       struct otlp_nest *nest)
{
	(void)list;
	nest->begun[0] = !!key;
	begin_attribute(to, key);
	bytes_put(to, nest->is_struct ? "{\"kvlistValue\":{\"values\":[" :
				  "{\"arrayValue\":{\"values\":[");
}

static void nest_end(struct bytes *to, const struct otlp_nest *nest)
{
	bytes_put(to, nest->begun[0] ? "]}}}" : "]}}");
}

const struct otlp_encoder otlp_json_encoder = {
	.root_begin = open_object,
	.root_end = close_object,
	.message_begin = message_begin,
	.message_end = message_end,
	.message = message,
	.list_begin = list_begin,
	.list_end = list_end,
	.item_begin = item_begin,
	.item_end = message_end,
	.item = item,
	.number = number,
	.text = text,
	.id = id,
	.value = value,
	.attribute = attribute,
	.nest_begin = nest_begin,
	.nest_end = nest_end,
};
