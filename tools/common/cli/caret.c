/* SPDX-License-Identifier: MIT */
/* Prints a line of text with a caret below one of its characters. */
#include "message.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

/* Columns before and behind the caret; with the margin, a line has less than 80. */
#define BEFORE 48u
#define BEHIND 24u
#define MARGIN "    "
#define DOTS "..."

struct letter {
	size_t bytes;
	unsigned columns; /* on a terminal */
	int is_shown;     /* as it is; otherwise as '?' */
};

/* The code point of as many bytes; 0: they are not UTF-8, or a control character. */
static uint32_t code_point(const unsigned char *text, size_t length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code = length == 1 ? text[0] : text[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	if (code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : code;
}

/* East Asian characters and pictures take two columns, accents none. */
static unsigned columns_of(uint32_t code)
{
	static const uint32_t wide[][2] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },	  { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	if ((code >= 0x300 && code < 0x370) || code == 0x200b || code == 0x200d)
		return 0;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (code >= wide[i][0] && code <= wide[i][1])
			return 2;
	return 1;
}

static struct letter letter_at(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	const size_t length = utf8_length(*bytes);
	const uint32_t code = length ? code_point(bytes, length) : 0;

	/* a control character of two bytes is one letter; other wrong bytes are one each */
	if (!code)
		return (struct letter){ length == 2 && (bytes[1] & 0xc0) == 0x80 ? 2 : 1, 1,
					0 };
	return (struct letter){ length, columns_of(code), 1 };
}

/* The columns of the letters that begin before a place. */
static size_t columns_to(const char *text, size_t at)
{
	size_t columns = 0;

	for (size_t i = 0; i < at && text[i];) {
		const struct letter letter = letter_at(text + i);

		if (i + letter.bytes > at)
			break;
		columns += letter.columns;
		i += letter.bytes;
	}
	return columns;
}

static void print_letter(const char *text, const struct letter *letter)
{
	if (letter->is_shown)
		fwrite(text, 1, letter->bytes, message_file());
	else
		fputc('?', message_file());
}

void message_caret(const char *text, size_t at)
{
	const size_t place = columns_to(text, at);
	const size_t begin = place > BEFORE ? place - BEFORE : 0, end = place + BEHIND;
	size_t column = 0, caret = place - begin + (begin ? strlen(DOTS) : 0);

	fputs(begin ? MARGIN DOTS : MARGIN, message_file());
	while (*text && column < end) {
		const struct letter letter = letter_at(text);

		if (column >= begin)
			print_letter(text, &letter);
		else if (column + letter.columns > begin)
			fputc(' ', message_file()); /* half of a wide one */
		column += letter.columns;
		text += letter.bytes;
	}
	fprintf(message_file(), "%s\n" MARGIN "%*s^\n", *text ? DOTS : "", (int)caret, "");
}
