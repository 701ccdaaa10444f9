/* SPDX-License-Identifier: MIT */
/* Write text of any charset as valid UTF-8, escaped if asked. */
#include "number_text.h"
#include "utf_text.h"

#define REPLACEMENT 0xfffdu

static int is_plain(uint8_t c, enum ue__escape escape)
{
	if (c >= 0x80)
		return 0;
	return escape == UE__AS_IS ||
	       (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f);
}

static inline uint64_t not_plain(uint64_t eight, enum ue__escape escape)
{
	return escape == UE__AS_IS ? eight & 0x8080808080808080u :
				     ue__not_plain(eight);
}

static inline uint64_t load8(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* How many plain bytes the text begins with. */
static size_t plain_length(const uint8_t *text, size_t length,
			   enum ue__escape escape)
{
	size_t at = 0;

	while (length - at >= 8 && !not_plain(load8(text + at), escape))
		at += 8;
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && length - at < 8 && at < length &&
	    !not_plain(ue__load_part(text + at, length - at), escape))
		return length;
	while (at < length && is_plain(text[at], escape))
		at++;
	return at;
}

static int is_between(uint8_t c, uint8_t low, uint8_t high)
{
	return c >= low && c <= high;
}

/* Bytes of the valid character of two or more that begins here, or 0. */
static size_t character_length(const uint8_t *at, size_t left)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t length;

	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	if (at[0] == 0xe0)
		low = 0xa0; /* overlong below */
	else if (at[0] == 0xed)
		high = 0x9f; /* surrogates above */
	else if (at[0] == 0xf0)
		low = 0x90; /* overlong below */
	else if (at[0] == 0xf4)
		high = 0x8f; /* beyond U+10FFFF above */
	if (left < length || !is_between(at[1], low, high))
		return 0;
	for (size_t i = 2; i < length; i++)
		if (!is_between(at[i], 0x80, 0xbf))
			return 0;
	return length;
}

/* U+0080 to U+009F */
static int is_c1(const uint8_t *at)
{
	return at[0] == 0xc2 && at[1] < 0xa0;
}

/*
 * Characters that turn text around, end its line, or have no width. A line with one reads
 * otherwise than it is. Joiners, U+200C and U+200D, belong to scripts and emoji.
 */
static int is_hidden(uint32_t code)
{
	return code == 0x61c || code == 0x200b || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
	       code == 0xfeff;
}

/* The same for the first bytes of a valid character. */
static int begins_hidden(const uint8_t *at)
{
	if (at[0] == 0xd8)
		return at[1] == 0x9c;
	if (at[0] != 0xe2 && at[0] != 0xef)
		return 0;
	return is_hidden((uint32_t)(at[0] & 15) << 12 | (uint32_t)(at[1] & 63) << 6 |
			 (at[2] & 63));
}

/* How many bytes the text begins with that can be copied. */
static size_t valid_length(const uint8_t *text, size_t length,
			   enum ue__escape escape)
{
	size_t at = plain_length(text, length, escape);

	while (at < length && text[at] >= 0x80) {
		size_t size = character_length(text + at, length - at);

		if (!size || (escape == UE__ESCAPED &&
			      (is_c1(text + at) || begins_hidden(text + at))))
			break;
		at += size;
		if (at < length && text[at] < 0x80)
			at += plain_length(text + at, length - at, escape);
	}
	return at;
}

static void put_escaped(struct ue__bytes *bytes, uint8_t c)
{
	static const char letters[32] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n',
		['\r'] = 'r', ['\t'] = 't',
	};
	char *at = ue__bytes_room(bytes);

	*at++ = '\\';
	if (c >= 0x20 && c < 0x7f) {
		*at++ = (char)c;
	} else if (c < 0x20 && letters[c]) {
		*at++ = letters[c];
	} else {
		memcpy(at, "u00", 3);
		at = ue__put_byte(at + 3, c);
	}
	ue__bytes_used(bytes, at);
}

/* \u202e */
static void put_escaped_long(struct ue__bytes *bytes, uint32_t code)
{
	char *at = ue__bytes_room(bytes);

	*at++ = '\\';
	*at++ = 'u';
	at = ue__put_byte(at, (uint8_t)(code >> 8));
	ue__bytes_used(bytes, ue__put_byte(at, (uint8_t)code));
}

/* A code of two bytes or more. */
static void put_long(struct ue__bytes *bytes, uint32_t code)
{
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	char *at = ue__bytes_room(bytes);

	*at++ = (char)(0xff00u >> (more + 1) | code >> 6 * more);
	while (more--)
		*at++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	ue__bytes_used(bytes, at);
}

static void put_code(struct ue__bytes *bytes, uint32_t code,
		     enum ue__escape escape)
{
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = REPLACEMENT;
	if (escape == UE__ESCAPED && code >= 0x80 && code < 0xa0)
		put_escaped(bytes, (uint8_t)code);
	else if (escape == UE__ESCAPED && is_hidden(code))
		put_escaped_long(bytes, code);
	else if (code >= 0x80)
		put_long(bytes, code);
	else if (is_plain((uint8_t)code, escape))
		ue__bytes_put(bytes, (char)code);
	else
		put_escaped(bytes, (uint8_t)code);
}

static uint32_t unit16(const uint8_t *at, int big_endian)
{
	return big_endian ? (uint32_t)(at[0] << 8 | at[1]) :
			    (uint32_t)(at[1] << 8 | at[0]);
}

static size_t take_utf16(const uint8_t *text, size_t length, int big_endian,
			 uint32_t *code)
{
	uint32_t low;

	if (length < 2)
		return 0;
	*code = unit16(text, big_endian);
	if (*code < 0xd800 || *code >= 0xdc00 || length < 4)
		return 2;
	low = unit16(text + 2, big_endian);
	if (low < 0xdc00 || low >= 0xe000)
		return 2;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

/* A C1 or a hidden character, which are to be escaped, or a byte of none. */
static size_t take_utf8(const uint8_t *text, size_t length, uint32_t *code)
{
	const size_t size = character_length(text, length);

	if (size == 2)
		*code = (uint32_t)(text[0] & 31) << 6 | (text[1] & 63);
	else if (size)
		*code = (uint32_t)(text[0] & 15) << 12 | (uint32_t)(text[1] & 63) << 6 |
			(text[2] & 63);
	else
		*code = text[0];
	return size ? size : 1;
}

/* The character that begins here, if it cannot be copied; its bytes. */
static size_t take(const uint8_t *text, size_t length, enum ue__charset charset,
		   int big_endian, uint32_t *code)
{
	switch (charset) {
	case UE__UTF32:
		if (length < 4)
			return 0;
		*code = unit16(text, big_endian) << (big_endian ? 16 : 0) |
			unit16(text + 2, big_endian) << (big_endian ? 0 : 16);
		return 4;
	case UE__UTF16:
		return take_utf16(text, length, big_endian, code);
	case UE__UTF8:
		return take_utf8(text, length, code);
	case UE__LATIN1:
		break;
	}
	*code = text[0];
	return 1;
}

void ue__put_text(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		  enum ue__charset charset, int big_endian, enum ue__escape escape)
{
	while (length) {
		uint32_t code;
		size_t size;

		if (charset == UE__UTF8 || charset == UE__LATIN1) {
			size = charset == UE__UTF8 ? valid_length(text, length, escape) :
						     plain_length(text, length, escape);
			ue__bytes_add(bytes, (const char *)text, size);
			text += size;
			length -= size;
		}
		size = length ? take(text, length, charset, big_endian, &code) : 0;
		if (!size)
			return;
		put_code(bytes, code, escape);
		text += size;
		length -= size;
	}
}
