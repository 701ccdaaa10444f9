/* SPDX-License-Identifier: MIT */
/*
 * Words of a command line. The first byte of an input selects the parser; the words
 * follow, each with its NUL. The parser must accept them, or reject them with one
 * message.
 */
#include <stdarg.h>

#include <userevents/event.h>
#include <userevents/builder.h>
#include <userevents/decode/reader.h>

#include "../../tools/common/cli/options.h"
#include "../../tools/common/records/time_limit.h"
#include "../../tools/common/records/tracepoint.h"
#include "../../tools/common/cli/message.h"
#include "../../tools/common/compose/compose.h"
#include "../support/json_check.h"
#include "fuzz.h"

#define WORDS 16
#define FIELDS_MAX 256

static int messages;
static char out[1 << 20];

/* Replaces the tool's function. */
FILE *message_file(void)
{
	return stderr;
}

void message(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	PROMISE(vsnprintf(out, sizeof(out), format, arguments) > 0);
	va_end(arguments);
	messages++;
}

/* A classic event, as "userevents write" makes it. */
static void build_payload(int count, char **words)
{
	static struct ue_record_field fields[FIELDS_MAX];
	static struct payload payload;
	struct ue_render_opts opts = { .size = sizeof(opts) };
	struct ue_record_layout format;
	int found = ue_record_layout_define(&format, "user_events", words[0], fields,
					    FIELDS_MAX, 0);
	ptrdiff_t length;

	if (found < 0 || found > FIELDS_MAX || format.is_eventheader)
		return;
	found = payload_build(&payload, words[0], &format, count - 1, words + 1, "write");
	PROMISE(!found == !messages);
	if (found)
		return;
	PROMISE(payload.length <= sizeof(payload.bytes));
	length = ue_record_to_json(&format, payload.bytes, payload.length, &opts, out,
				   sizeof(out));
	PROMISE(length >= 0);
	PROMISE((size_t)length >= sizeof(out) || !json_wrong(out, (size_t)length));
}

static void build_eventheader(int count, char **words)
{
	static struct ue_builder *builder;
	struct ue_reader reader;
	const void *bytes;
	long size;
	int result;

	if (!builder)
		builder = ue_builder_new();
	PROMISE(builder);
	result = eventheader_build(builder, words[0], count - 1, words + 1, "write");
	PROMISE(!result == !messages);
	if (result)
		return;
	size = ue_builder_bytes(builder, 4, NULL, NULL, &bytes);
	PROMISE(size > 0);
	PROMISE(!ue_reader_begin(&reader, "P_L4K1", 6, bytes, (size_t)size, NULL));
	while ((result = ue_reader_next(&reader)) > 0)
		;
	PROMISE(!result);
}

static void parse_time(int count, char **words)
{
	for (int i = 0; i < count; i++) {
		struct time_limit time;

		messages = 0;
		PROMISE(!time_limit_parse(words[i], (int)i & 1, &time) == !messages);
		PROMISE(messages || time.kind);
	}
}

static void match(int count, char **words)
{
	struct words globs = { (const char **)words + 1, (size_t)count - 1 };

	glob_matches(&globs, "user_events", words[0], strlen(words[0]));
	PROMISE(!globs_found(&globs, 0) == (messages && globs.count));
}

static void complete(int count, char **words)
{
	for (int i = 0; i < count; i++) {
		const char *definition;

		messages = 0;
		definition = definition_complete(words[i], 0, "");
		PROMISE(!definition == !!messages);
		if (!definition)
			continue;
		PROMISE(!ue_definition_check(definition, 0, NULL));
		if (definition != words[i])
			free((char *)(uintptr_t)definition);
	}
}

static void parse_numbers(int count, char **words)
{
	uint64_t number;

	for (int i = 0; i < count; i++)
		(void)parse_number(words[i], &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(int, char **) = {
		build_payload, build_eventheader, parse_time, match, complete,
		parse_numbers,
	};
	char *text = calloc(1, size + 2), *words[WORDS + 1], *at = text;
	int count = 0;

	PROMISE(text);
	if (size)
		memcpy(text, data + 1, size - 1);
	do {
		words[count++] = at;
		at += strlen(at) + 1;
	} while (count < WORDS && at < text + size);
	words[count] = NULL;
	messages = 0;
	readers[size ? *data % 6 : 0](count, words);
	free(text);
	return 0;
}
