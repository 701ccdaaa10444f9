/* SPDX-License-Identifier: MIT */
/* Prints text that may hold any bytes. */
#include "message.h"

#include <stdio.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "memory.h"

#define DEL 0x7f
#define C1_LEAD '\xc2'

static int is_c1(const char *lead)
{
	return lead[0] == C1_LEAD && (lead[1] & 0xe0) == 0x80;
}

/* The bytes that follow a byte, which begins a character of UTF-8, in that. */
static unsigned following(unsigned char lead)
{
	return lead >= 0xf8 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0;
}

static int is_following(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* A byte of C1 alone is no UTF-8, but terminals of 8 bits obey it. */
static int is_control(unsigned char byte)
{
	return byte < ' ' || byte == DEL || (byte & 0xe0) == 0x80;
}

/*
 * The bytes of a character that turns text around, ends its line, or has no width: U+061C,
 * U+200B, U+200E, U+200F, U+2028 to U+202E, U+2060 to U+206F and U+FEFF. Joiners, U+200C and
 * U+200D, belong to scripts and emoji. 0: none begins here.
 */
static size_t hidden_length(const char *text, size_t left)
{
	const unsigned char *at = (const unsigned char *)text;

	if (left > 1 && at[0] == 0xd8 && at[1] == 0x9c)
		return 2;
	if (left < 3)
		return 0;
	if (at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf)
		return 3;
	if (at[0] != 0xe2)
		return 0;
	if (at[1] == 0x81)
		return at[2] >= 0xa0 && at[2] <= 0xaf ? 3 : 0;
	return at[1] == 0x80 && (at[2] == 0x8b || at[2] == 0x8e || at[2] == 0x8f ||
				 (at[2] >= 0xa8 && at[2] <= 0xae)) ? 3 : 0;
}

void controls_blank(char *text, size_t length)
{
	unsigned left = 0; /* of a character */

	for (char *end = text + length; text < end; text++) {
		if (left && is_following(*text)) {
			left--;
			continue;
		}
		for (size_t hidden = hidden_length(text, (size_t)(end - text)); hidden; hidden--)
			text[hidden - 1] = '?';
		left = following((unsigned char)*text);
		if (end - text > 1 && is_c1(text)) {
			*text++ = '?';
			left = 0;
		}
		if (!left && is_control((unsigned char)*text))
			*text = '?';
	}
}

void controls_print(const char *text, size_t length)
{
	char block[256];

	while (length) {
		size_t size = length < sizeof(block) ? length : sizeof(block);

		/* do not split a character */
		for (int i = 0; i < 3 && size < length && is_following(text[size]); i++)
			size--;
		memcpy(block, text, size);
		controls_blank(block, size);
		fwrite(block, 1, size, stdout);
		text += size;
		length -= size;
	}
}

static void json_string(const char *text, size_t length)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)length,
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	size_t size = (size_t)ue_value_to_json(&value, NULL, 0) + 1;
	AUTO_FREE char *json = xmalloc(size);

	ue_value_to_json(&value, json, size);
	fwrite(json, 1, size - 1, stdout);
}

void json_member(const char *key, const char *text, size_t length, int is_first)
{
	if (!is_first)
		putchar(',');
	json_string(key, strlen(key));
	putchar(':');
	json_string(text, length);
}
