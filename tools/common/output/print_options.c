/* SPDX-License-Identifier: MIT */
/* Parses the options of commands that print events. */
#include "print_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <userevents/decode/render.h>

#include "common/cli/message.h"
#include "common/cli/safe_text.h"

static int parse_format(const struct print_options *options, enum print_format *format)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text",
		[PRINT_JSON] = "json",
		[PRINT_JSONL] = "jsonl",
		[PRINT_JSONL_NESTED] = "jsonl-nested",
		[PRINT_PERF_DECODE] = "perf-decode",
	};
	const size_t count = sizeof(names) / sizeof(names[0]) - !options->has_files;
	const char *text = options->is_json  ? "jsonl" :
			   options->format   ? options->format : "text";

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i], text)) {
			*format = (enum print_format)i;
			return 0;
		}
	}
	message("cannot print as \"%s\": the formats are text, json, jsonl%s", text,
		options->has_files ? ", jsonl-nested and perf-decode" : " and jsonl-nested");
	return -1;
}

static int parse_time(const char *text, enum time_kind *kind)
{
	static const char *const names[] = {
		[COLUMN_WALL] = "wall",
		[COLUMN_DELTA] = "delta",
		[COLUMN_RELATIVE] = "relative",
		[COLUMN_MONOTONIC] = "monotonic",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			*kind = (enum time_kind)i;
			return 0;
		}
	}
	message("cannot print times as \"%s\": --time is wall, delta, relative or monotonic",
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
	{ "cgroup", UE_META_CGROUP },
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

/*
 * "time,level": these and the name, without which an event is hard to recognize;
 * "+provider,-cpu": the usual ones and changes; "all"; "none", after which the list begins
 * anew.
 */
static int parse_meta(const char *text, uint32_t usual, uint32_t *meta)
{
	uint32_t bits;

	*meta = *text == '+' || *text == '-' ? usual : UE_META_N;
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

/* Members that would make a line too long to be read. */
#define WIDE_META                                                            \
	(UE_META_CPU | UE_META_TID | UE_META_ID | UE_META_VERSION |           \
	 UE_META_KEYWORD | UE_META_TAG | UE_META_RELATED_ACTIVITY | UE_META_CGROUP)

static uint32_t usual_meta(const struct print_options *options, enum print_format format)
{
	const uint32_t usual = UE_META_DEFAULT & all_members();

	return format == PRINT_TEXT && !options->is_wide ? usual & ~WIDE_META : usual;
}

int print_options_apply(const struct print_options *options, struct printer *printer)
{
	const char *meta = options->meta ? options->meta : "+n";
	struct text_line *line = &printer->line;

	if (parse_format(options, &printer->format) ||
	    parse_meta(meta, usual_meta(options, printer->format), &printer->meta) ||
	    (options->time && parse_time(options->time, &line->time.kind)))
		return -1;
	line->time.is_utc = options->is_utc;
	line->time.is_wide = options->is_wide;
	line->has_colour = printer->format == PRINT_TEXT &&
			   terminal_has_colour(STDOUT_FILENO);
	return 0;
}

int print_options_are_given(const struct print_options *options)
{
	return options->format || options->meta || options->time || options->is_json ||
	       options->is_utc || options->is_wide;
}
