/* SPDX-License-Identifier: MIT */
/* Prints JSON strings and members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "safe_text.h"
#include "memory.h"

void json_string(const char *text, size_t length)
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
