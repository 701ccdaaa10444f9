/* SPDX-License-Identifier: MIT */
/* Parses the values of --format and --meta. */
#include <stdio.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "cli/message.h"
#include "cli/options.h"
#include "printer.h"

int print_format_parse(const char *text, enum print_format *format)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text",
		[PRINT_JSON] = "json",
		[PRINT_JSONL] = "jsonl",
		[PRINT_PERF_DECODE] = "perf-decode",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			*format = (enum print_format)i;
			return 0;
		}
	}
	message("cannot print as \"%s\": the formats are text, json, jsonl and perf-decode",
		text);
	return -1;
}

static const struct {
	const char *name;
	uint32_t bit;
} members[] = {
	{ "n", UE_META_N },
	{ "time", UE_META_TIME },
	{ "cpu", UE_META_CPU },
	{ "pid", UE_META_PID },
	{ "tid", UE_META_TID },
	{ "comm", UE_META_COMM },
	{ "lost", UE_META_LOST },
	{ "id", UE_META_ID },
	{ "version", UE_META_VERSION },
	{ "level", UE_META_LEVEL },
	{ "keyword", UE_META_KEYWORD },
	{ "opcode", UE_META_OPCODE },
	{ "tag", UE_META_TAG },
	{ "activity", UE_META_ACTIVITY },
	{ "relatedActivity", UE_META_RELATED_ACTIVITY },
	{ "provider", UE_META_PROVIDER },
	{ "event", UE_META_EVENT },
	{ "options", UE_META_OPTIONS },
	{ "flags", UE_META_FLAGS },
	{ "common", UE_META_COMMON },
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static uint32_t all_members(void)
{
	uint32_t all = 0;

	for (size_t i = 0; i < MEMBERS; i++)
		all |= members[i].bit;
	return all;
}

static int complain_of(const char *name, size_t length)
{
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	near = nearest(word, members, MEMBERS, sizeof(members[0]));
	message("cannot show \"%s\" of meta: there is no such member%s%s%s", word,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return -1;
}

static int find_member(const char *name, size_t length, uint32_t *bits)
{
	if (length == 3 && !memcmp(name, "all", 3)) {
		*bits = all_members();
		return 0;
	}
	for (size_t i = 0; i < MEMBERS; i++) {
		if (strlen(members[i].name) == length &&
		    !memcmp(members[i].name, name, length)) {
			*bits = members[i].bit;
			return 0;
		}
	}
	return complain_of(name, length);
}

/* A list of members alone keeps the name, without which an event is hard to recognize. */
int print_meta_parse(const char *text, uint32_t *meta)
{
	uint32_t bits;

	*meta = *text == '+' || *text == '-' ? UE_META_DEFAULT & all_members() : UE_META_N;
	for (;;) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : 0;

		if (length == 4 && !memcmp(text, "none", 4))
			*meta = 0;
		else if (find_member(text + !!sign, length - !!sign, &bits))
			return -1;
		else
			*meta = sign == '-' ? *meta & ~bits : *meta | bits;
		if (!text[length])
			break;
		text += length + 1;
	}
	if (!*meta)
		*meta = UE_META_NONE;
	return 0;
}
