/* SPDX-License-Identifier: MIT */
/* Prints text that may hold any bytes, and checks whether output should have colours. */
#include "safe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/decode/render.h>

#include "memory.h"

#define DEL '\x7f'
#define C1_LEAD '\xc2'

static int is_c1(const char *lead)
{
	return lead[0] == C1_LEAD && (lead[1] & 0xe0) == 0x80;
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

		/* do not split a pair */
		if (size < length && text[size - 1] == C1_LEAD)
			size--;
		memcpy(block, text, size);
		controls_blank(block, size);
		fwrite(block, 1, size, stdout);
		text += size;
		length -= size;
	}
}

int terminal_has_colour(int fd)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");

	return isatty(fd) && !(unwanted && *unwanted) && kind && *kind &&
	       strcmp(kind, "dumb");
}

static void json_string(const char *text, size_t length)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)length,
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	size_t size = (size_t)ue_value_to_json(&value, NULL, 0) + 1;
	char *json = xmalloc(size);

	ue_value_to_json(&value, json, size);
	fwrite(json, 1, size - 1, stdout);
	free(json);
}

void json_member(const char *key, const char *text, size_t length, int is_first)
{
	if (!is_first)
		putchar(',');
	json_string(key, strlen(key));
	putchar(':');
	json_string(text, length);
}
