/* SPDX-License-Identifier: MIT */
/*
 * Write a value as text or JSON, in the style of its encoding and format.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "value.h"
#include "util/number_text.h"

/* Numbers that are neither 0 nor 1 as signed 32 bits, but not sign-extended. */
static char *put_boolean(char *at, uint64_t number)
{
	if (number > 1)
		return ue__put_signed(at, (int32_t)(uint32_t)number);
	return stpcpy(at, number ? "true" : "false");
}

static char *put_time(char *at, int64_t seconds)
{
	at = ue__put_time(at, seconds);
	if (at[-1] != ')')
		*at++ = 'Z';
	return at;
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

/* The first of the longest runs of at least two zeros; length 0: there is none. */
static int longest_zeros(const uint16_t *words, int *length)
{
	int best = 0, count = 0;

	*length = 1;
	for (int i = 0; i < 8; i++) {
		count = words[i] ? 0 : count + 1;
		if (count > *length) {
			*length = count;
			best = i + 1 - count;
		}
	}
	if (*length == 1)
		*length = 0;
	return best;
}

/*
 * The text is that of glibc's inet_ntop(); musl's writes some addresses in another way.
 */
static char *put_ipv6(char *at, const uint8_t *bytes)
{
	uint16_t words[8];
	int zeros, length;

	for (int i = 0; i < 8; i++)
		words[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	zeros = longest_zeros(words, &length);
	for (int i = 0; i < 8; i++) {
		if (length && i == zeros) {
			*at++ = ':';
			i += length - 1;
			if (i == 7)
				*at++ = ':';
			continue;
		}
		if (i)
			*at++ = ':';
		if (i == 6 && !zeros && (length == 6 || (length == 5 && words[5] == 0xffff)))
			return put_ipv4(at, bytes + 12);
		at += sprintf(at, "%x", words[i]);
	}
	return at;
}

static char *put_ip(char *at, const uint8_t *bytes, uint32_t length)
{
	if (length == 4)
		return put_ipv4(at, bytes);
	return put_ipv6(at, bytes);
}

char *ue__put_short(char *at, enum ue__style style, const uint8_t *bytes, uint32_t length,
		    int big_endian)
{
	switch (style) {
	case UE__STYLE_UNSIGNED:
		return ue__put_decimal(at, ue__load(bytes, length, big_endian));
	case UE__STYLE_SIGNED:
		return ue__put_signed(at, ue__load_signed(bytes, length, big_endian));
	case UE__STYLE_BOOLEAN:
		return put_boolean(at, ue__load(bytes, length, big_endian));
	case UE__STYLE_PORT:
		return ue__put_decimal(at, (uint32_t)(bytes[0] << 8 | bytes[1]));
	case UE__STYLE_FLOAT:
		return length == 4 ?
			       ue__put_float(at, ue__load_float(bytes, big_endian)) :
			       ue__put_double(at, ue__load_double(bytes, length,
								  big_endian));
	case UE__STYLE_HEX:
		return ue__put_hex(at, ue__load(bytes, length, big_endian));
	case UE__STYLE_ERRNO:
		return ue__put_errno(at, ue__load_signed(bytes, length, big_endian));
	case UE__STYLE_TIME:
		return put_time(at, ue__load_signed(bytes, length, big_endian));
	case UE__STYLE_UUID:
		return ue__put_uuid(at, bytes);
	case UE__STYLE_IP:
		return put_ip(at, bytes, length);
	default:
		return stpcpy(at, "null");
	}
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

/* A style from UE__STYLE_BYTES on. */
static void put_long(struct ue__bytes *bytes, struct ue_value value,
		     enum ue__style style, enum ue__escape escape)
{
	if (style >= UE__STYLE_BOM8)
		style = without_mark(&value, style);
	if (style == UE__STYLE_BYTES)
		put_bytes(bytes, value.bytes, value.length);
	else
		ue__put_text(bytes, value.bytes, value.length,
			     (enum ue__charset)(style - UE__STYLE_LATIN1),
			     value.big_endian, escape);
}

static_assert(UE__STYLE_UTF32 - UE__STYLE_LATIN1 == UE__UTF32, "same order");

/* JSON has no numbers for inf and nan. */
char *ue__quote_word(char *at, char *end)
{
	if (end[-1] <= '9')
		return end;
	memmove(at + 1, at, (size_t)(end - at));
	at[0] = '"';
	end[1] = '"';
	return end + 2;
}

void ue__put_value(struct ue__bytes *bytes, char *at, const struct ue_value *value,
		   enum ue__style quoted)
{
	enum ue__style style = ue__value_style(value);

	if (style < quoted) {
		char *end = ue__put_short(at, style, value->bytes, value->length,
					  value->big_endian);

		at = style == UE__STYLE_FLOAT && quoted == UE__QUOTED_IN_JSON ?
			     ue__quote_word(at, end) : end;
	} else {
		*at++ = '"';
		if (style < UE__STYLE_BYTES) {
			at = ue__put_short(at, style, value->bytes, value->length,
					   value->big_endian);
		} else if (style == UE__STYLE_UTF8) {
			at = ue__put_escaped(bytes, at, value->bytes, value->length);
		} else {
			ue__bytes_used(bytes, at);
			put_long(bytes, *value, style, UE__ESCAPED);
			at = ue__bytes_room(bytes);
		}
		*at++ = '"';
	}
	ue__bytes_used(bytes, at);
}

UE__PUBLIC ptrdiff_t ue_value_to_json(const struct ue_value *value, char *out,
				  size_t size)
{
	struct ue__bytes bytes;
	int result = ue__check_value(value);

	if (result)
		return result;
	ue__bytes_begin(&bytes, out, size);
	ue__put_value(&bytes, ue__bytes_room(&bytes), value, UE__QUOTED_IN_JSON);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}

UE__PUBLIC ptrdiff_t ue_value_to_text(const struct ue_value *value, uint32_t flags,
				  char *out, size_t size)
{
	enum ue__escape escape = flags & UE_RENDER_ESCAPE ? UE__ESCAPED : UE__AS_IS;
	enum ue__style style;
	struct ue__bytes bytes;

	if (ue__check_value(value) || flags & ~UE_RENDER_ESCAPE)
		return -EINVAL;
	ue__bytes_begin(&bytes, out, size);
	style = ue__value_style(value);
	if (style < UE__STYLE_BYTES)
		ue__put_value(&bytes, ue__bytes_room(&bytes), value, UE__QUOTED_IN_TEXT);
	else
		put_long(&bytes, *value, style, escape);
	return (ptrdiff_t)ue__bytes_end(&bytes);
}
