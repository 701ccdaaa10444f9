/* SPDX-License-Identifier: MIT */
#include "controls.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DEL '\x7f'
#define C1_LEAD '\xc2'
#define ESCAPED 6 /* \u009b */

static int is_c1(const char *lead)
{
	return lead[0] == C1_LEAD && (lead[1] & 0xe0) == 0x80;
}

/* Most text has none of these bytes. */
size_t controls_growth(const char *text, size_t length)
{
	const char *end = text + length, *at = text;
	size_t growth = 0;

	while ((at = memchr(at, DEL, (size_t)(end - at)))) {
		growth += ESCAPED - 1;
		at++;
	}
	at = text;
	while (end - at > 1 && (at = memchr(at, C1_LEAD, (size_t)(end - at) - 1))) {
		growth += is_c1(at) ? ESCAPED - 2 : 0;
		at++;
	}
	return growth;
}

static char *put_before(char *end, uint8_t code)
{
	static const char digits[] = "0123456789abcdef";

	*--end = digits[code & 15];
	*--end = digits[code >> 4];
	return memcpy(end - 4, "\\u00", 4);
}

/* From the end on, as what is moved becomes longer. */
void controls_escape(char *text, size_t length, size_t growth)
{
	char *from = text + length, *to = from + growth;

	while (to > from) {
		char c = *--from;

		if (c == DEL)
			to = put_before(to, (uint8_t)c);
		else if (from > text && is_c1(from - 1))
			to = put_before(to, (uint8_t)*from--);
		else
			*--to = c;
	}
}

void controls_blank(char *text, size_t length)
{
	for (char *end = text + length; text < end; text++) {
		if ((unsigned char)*text < ' ' || *text == DEL)
			*text = '?';
		if (end - text > 1 && is_c1(text))
			text[0] = text[1] = '?';
	}
}

void controls_print(const char *text, size_t length)
{
	char block[256];

	while (length) {
		size_t size = length < sizeof(block) ? length : sizeof(block);

		/* no pair is parted */
		if (size < length && text[size - 1] == C1_LEAD)
			size--;
		memcpy(block, text, size);
		controls_blank(block, size);
		fwrite(block, 1, size, stdout);
		text += size;
		length -= size;
	}
}
