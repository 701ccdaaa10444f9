/* SPDX-License-Identifier: MIT */
/* Writes markup, and text so that it cannot become markup. */
#include "text_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define REPLACEMENT 0xfffdu

/* Characters */

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

static int is_overlong(uint32_t character, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character < least[length];
}

/* The next character and its length in bytes; a byte that begins none is U+FFFD. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *character)
{
	const size_t length = sequence_length(text[0]);

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

static void put_character(struct bytes *out, uint32_t character)
{
	unsigned char text[4];
	size_t length = 0;

	if (character >= 0x10000) {
		text[length++] = (unsigned char)(0xf0 | character >> 18);
		text[length++] = (unsigned char)(0x80 | (character >> 12 & 0x3f));
	} else if (character >= 0x800) {
		text[length++] = (unsigned char)(0xe0 | character >> 12);
	} else if (character >= 0x80) {
		text[length++] = (unsigned char)(0xc0 | character >> 6);
	}
	if (character >= 0x800)
		text[length++] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
	text[length++] = (unsigned char)(character >= 0x80 ? 0x80 | (character & 0x3f) :
							     character);
	bytes_add(out, text, length);
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
		put_character(out, is_unwanted(character) ? REPLACEMENT : character);
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
