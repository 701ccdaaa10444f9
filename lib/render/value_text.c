/* SPDX-License-Identifier: MIT */
/*
 * Write a value as text or JSON, in the style of its encoding and format.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

#include "value.h"
#include "util/number_text.h"

/* A function for each style that is short. */

static char *put_text(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

static char *put_errno(char *at, const uint8_t *bytes, uint32_t length,
		       int big_endian)
{
	return ue__put_errno(at, ue__load_signed(bytes, length, big_endian));
}

/* Numbers that are neither 0 nor 1 as signed 32 bits, but not sign-extended. */
static char *put_boolean(char *at, const uint8_t *bytes, uint32_t length,
			 int big_endian)
{
	uint64_t number = ue__load(bytes, length, big_endian);

	if (number > 1)
		return ue__put_signed(at, (int32_t)(uint32_t)number);
	return put_text(at, number ? "true" : "false");
}

static char *put_real(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	return length == 4 ?
		       ue__put_float(at, ue__load_float(bytes, big_endian)) :
		       ue__put_double(at, ue__load_double(bytes, length, big_endian));
}

static char *put_time(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	at = ue__put_time(at, ue__load_signed(bytes, length, big_endian));
	if (at[-1] != ')')
		*at++ = 'Z';
	return at;
}

static char *put_unsigned(char *at, const uint8_t *bytes, uint32_t length,
			  int big_endian)
{
	return ue__put_decimal(at, ue__load(bytes, length, big_endian));
}

static char *put_signed(char *at, const uint8_t *bytes, uint32_t length,
			int big_endian)
{
	return ue__put_signed(at, ue__load_signed(bytes, length, big_endian));
}

static char *put_port(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)length;
	(void)big_endian;
	return ue__put_decimal(at, (uint32_t)(bytes[0] << 8 | bytes[1]));
}

static char *put_null(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)bytes;
	(void)length;
	(void)big_endian;
	return put_text(at, "null");
}

static char *put_hex(char *at, const uint8_t *bytes, uint32_t length,
		     int big_endian)
{
	return ue__put_hex(at, ue__load(bytes, length, big_endian));
}

static char *put_uuid(char *at, const uint8_t *bytes, uint32_t length,
		      int big_endian)
{
	(void)length;
	(void)big_endian;
	return ue__put_uuid(at, bytes);
}

/* inet_ntop() takes 1600 instructions for these, half of a whole event's. */
static char *put_ipv4(char *at, const uint8_t *bytes)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			*at++ = '.';
		at = ue__put_decimal(at, bytes[i]);
	}
	return at;
}

static_assert(INET6_ADDRSTRLEN <= UE__ROOM_VALUE - 2, "it fits between quotes");

static char *put_ip(char *at, const uint8_t *bytes, uint32_t length, int big_endian)
{
	(void)big_endian;
	if (length == 4)
		return put_ipv4(at, bytes);
	inet_ntop(AF_INET6, bytes, at, INET6_ADDRSTRLEN);
	return at + strlen(at);
}

ue__put_style *const ue__put_styles[UE__STYLE_BYTES] = {
	[UE__STYLE_UNSIGNED] = put_unsigned,
	[UE__STYLE_SIGNED] = put_signed,
	[UE__STYLE_BOOLEAN] = put_boolean,
	[UE__STYLE_PORT] = put_port,
	[UE__STYLE_NULL] = put_null,
	[UE__STYLE_FLOAT] = put_real,
	[UE__STYLE_HEX] = put_hex,
	[UE__STYLE_ERRNO] = put_errno,
	[UE__STYLE_TIME] = put_time,
	[UE__STYLE_UUID] = put_uuid,
	[UE__STYLE_IP] = put_ip,
};

char *ue__put_json_float(char *at, const uint8_t *bytes, uint32_t length,
			 int big_endian)
{
	char *end = put_real(at, bytes, length, big_endian);

	if (end[-1] <= '9')
		return end;
	/* inf and nan */
	memmove(at + 1, at, (size_t)(end - at));
	at[0] = '"';
	end[1] = '"';
	return end + 2;
}

/* Text of any length */

static void put_bytes(struct ue__bytes *bytes, const uint8_t *data,
		      uint32_t length)
{
	while (length) {
		uint32_t part = length < 16 ? length : 16;
		char *at = ue__bytes_room(bytes);

		for (uint32_t i = 0; i < part; i++) {
			at = ue__put_byte(at, data[i]);
			*at++ = ' ';
		}
		data += part;
		length -= part;
		ue__bytes_used(bytes, length ? at : at - 1);
	}
}

/* A byte order mark, in the order in which they have to be looked for. */
static const struct mark {
	const char *bytes;
	uint8_t length;
	uint8_t style;
	uint8_t big_endian;
} marks[] = {
	{ "\xff\xfe\0\0", 4, UE__STYLE_UTF32, 0 },
	{ "\0\0\xfe\xff", 4, UE__STYLE_UTF32, 1 },
	{ "\xff\xfe", 2, UE__STYLE_UTF16, 0 },
	{ "\xfe\xff", 2, UE__STYLE_UTF16, 1 },
	{ "\xef\xbb\xbf", 3, UE__STYLE_UTF8, 0 },
};

static enum ue__style without_mark(struct ue_value *value, enum ue__style style)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *mark = &marks[i];

		if (value->length < mark->length ||
		    memcmp(value->bytes, mark->bytes, mark->length))
			continue;
		value->bytes += mark->length;
		value->length -= mark->length;
		value->big_endian = mark->big_endian;
		return (enum ue__style)mark->style;
	}
	return (enum ue__style)(style - UE__STYLE_BOM8 + UE__STYLE_UTF8);
}

static_assert(UE__STYLE_BOM32 - UE__STYLE_BOM8 ==
		      UE__STYLE_UTF32 - UE__STYLE_UTF8,
	      "same order");

static void put_string(struct ue__bytes *bytes, struct ue_value value,
		       enum ue__style style, enum ue__escape escape)
{
	if (style >= UE__STYLE_BOM8)
		style = without_mark(&value, style);
	switch (style) {
	case UE__STYLE_LATIN1:
		ue__put_latin1(bytes, value.bytes, value.length, escape);
		break;
	case UE__STYLE_UTF16:
		ue__put_utf16(bytes, value.bytes, value.length, value.big_endian,
			      escape);
		break;
	case UE__STYLE_UTF32:
		ue__put_utf32(bytes, value.bytes, value.length, value.big_endian,
			      escape);
		break;
	default:
		ue__put_utf8(bytes, value.bytes, value.length, escape);
	}
}

void ue__put_value(struct ue__bytes *bytes, const struct ue_value *value,
		   enum ue__style style, enum ue__escape escape)
{
	if (style == UE__STYLE_BYTES)
		put_bytes(bytes, value->bytes, value->length);
	else if (style > UE__STYLE_BYTES)
		put_string(bytes, *value, style, escape);
	else
		ue__bytes_used(bytes, ue__put_styles[style](ue__bytes_room(bytes),
							    value->bytes,
							    value->length,
							    value->big_endian));
}

#define SHORT_TEXT 40u

static_assert(SHORT_TEXT + 7 + 2 <= UE__ROOM_VALUE, "it fits");

static char *put_plain(char *at, const struct ue_value *value)
{
	*at++ = '"';
	at = ue__copy_plain(at, value->bytes, value->length);
	if (at)
		*at++ = '"';
	return at;
}

void ue__put_quoted(struct ue__bytes *bytes, char *at, const struct ue_value *value,
		    enum ue__style style)
{
	char *end;

	if (style == UE__STYLE_UTF8 && value->length <= SHORT_TEXT) {
		end = put_plain(at, value);
		if (end) {
			ue__bytes_used(bytes, end);
			return;
		}
	}
	*at++ = '"';
	ue__bytes_used(bytes, at);
	ue__put_value(bytes, value, style, UE__ESCAPED);
	ue__bytes_put(bytes, '"');
}

void ue__put_json_value(struct ue__bytes *bytes, char *at,
			const struct ue_value *value)
{
	enum ue__style style = ue__value_style(value);

	if (style >= UE__STYLE_BYTES)
		ue__put_quoted(bytes, at, value, style);
	else
		ue__bytes_used(bytes, ue__put_json_short(at, style, value->bytes,
							 value->length,
							 value->big_endian));
}
