/* SPDX-License-Identifier: MIT */
/*
 * Expressions, and events that they are evaluated for: the expression, the definition of an
 * event and a payload, each of the first two with its NUL. An expression must be accepted, or
 * rejected with one message and a caret; its opposite must not pass too.
 */
#include <stdarg.h>

#include "../../tools/common/cli/message.h"
#include "../../tools/common/records/tracepoint.h"
#include "../../tools/common/where/where.h"
#include "fuzz.h"

static int messages;

/* Replaces the tool's function. */
FILE *message_file(void)
{
	return stderr;
}

void message(const char *format, ...)
{
	va_list arguments;
	char out[4096];

	va_start(arguments, format);
	PROMISE(vsnprintf(out, sizeof(out), format, arguments) > 0);
	va_end(arguments);
	messages++;
}

/* The columns of the carets. */
static FILE *nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "w");
	PROMISE(file);
	return file;
}

static struct where *parse(const char *expression)
{
	FILE *real = stderr;
	struct where *where;

	stderr = nowhere();
	where = where_parse(expression);
	stderr = real;
	return where;
}

static int passes(struct where *where, struct event *event)
{
	FILE *real = stderr;
	int result;

	stderr = nowhere();
	result = where_passes(where, event);
	stderr = real;
	return result;
}

static int evaluate(const char *expression, struct event *event)
{
	struct where *where = parse(expression);
	int result;

	PROMISE(messages == (where ? 0 : 1));
	if (!where)
		return -1;
	result = passes(where, event);
	PROMISE(result == 0 || result == 1 || result == -1);
	PROMISE((result < 0) == messages);
	PROMISE(passes(where, event) == result);
	messages = 0;
	PROMISE(where_report(where) == !!messages);
	messages = 0;
	free(where_for_kernel(where, event->record->tracepoint));
	PROMISE(!messages);
	where_free(where);
	return result;
}

static void try_event(const char *expression, struct tracepoint *tracepoint,
		      const uint8_t *bytes, size_t length)
{
	const struct record record = {
		.tracepoint = tracepoint,
		.bytes = bytes,
		.length = length,
		.sample = {
			.size = sizeof(struct ue_sample),
			.present = length & 1 ? 0 : UE_META_TIME | UE_META_CPU | UE_META_PID |
						    UE_META_TID | UE_META_COMM,
			.time = (int64_t)length,
			.comm = "comm",
		},
	};
	struct event_kinds kinds = { .items = NULL };
	struct event event;
	size_t size = strlen(expression) + 4;
	char *opposite = malloc(size);

	PROMISE(opposite);
	snprintf(opposite, size, "!(%s)", expression);
	event_read(&event, &record, &kinds);
	messages = 0;
	if (evaluate(expression, &event) == 1) {
		messages = 0;
		PROMISE(evaluate(opposite, &event) <= 0);
	}
	event_kinds_free(&kinds);
	free(opposite);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 2);
	const char *definition;
	struct tracepoint *tracepoint;
	uint8_t *copy;
	size_t skip;

	PROMISE(text);
	memcpy(text, data, size);
	definition = text + strlen(text) + 1;
	if (definition > text + size)
		definition = "";
	skip = *definition ? (size_t)(definition - text) + strlen(definition) + 1 : size;
	skip = skip < size ? skip : size;
	copy = malloc(size - skip + 1); /* of its own, so that over-reads are seen */
	PROMISE(copy);
	memcpy(copy, data + skip, size - skip);
	tracepoint = tracepoint_define(definition, 0);
	if (!tracepoint)
		tracepoint = tracepoint_bare("Shop_L4K1");
	tracepoint->has_no_common = 1;
	try_event(text, tracepoint, copy, size - skip);
	tracepoint_free(tracepoint);
	free(copy);
	free(text);
	return 0;
}
