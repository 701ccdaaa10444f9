/* SPDX-License-Identifier: MIT */
/* Reads the ids of traces and spans in fields. */
#include <string.h>

#include "common/cli/memory.h"
#include "event_attributes.h"

int trace_context_id(const struct value *value, uint8_t *id, size_t size)
{
	uint8_t read[TRACE_ID_SIZE], any = 0;

	if (value->type != VALUE_TEXT || value->length != 2 * size)
		return 0;
	for (size_t i = 0; i < size; i++) {
		const int high = hex_digit(value->text[2 * i]);
		const int low = hex_digit(value->text[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		read[i] = (uint8_t)(high << 4 | low);
		any |= read[i];
	}
	if (any)
		memcpy(id, read, size);
	return any != 0;
}

/*
 * VERSION-TRACE-SPAN-FLAGS of 2, 32, 16 and 2 digits, which are lower case. Later versions
 * may have a dash and more after it.
 */
#define PARENT_LENGTH 55

static int is_parent(const struct value *value)
{
	static const char form[] = "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
	const char *text = value->text;

	if (value->length < PARENT_LENGTH || !memcmp(text, "ff", 2))
		return 0;
	for (size_t i = 0; i < PARENT_LENGTH; i++)
		if (form[i] == '-' ? text[i] != '-' :
				     hex_digit(text[i]) < 0 || (text[i] >= 'A' && text[i] <= 'F'))
			return 0;
	if (value->length == PARENT_LENGTH)
		return 1;
	return memcmp(text, "00", 2) && text[PARENT_LENGTH] == '-';
}

static void take_parent(struct trace_context *context, const struct value *value)
{
	const char *text = value->text;
	const struct value trace = { .type = VALUE_TEXT, .text = text + 3, .length = 32 };
	const struct value span = { .type = VALUE_TEXT, .text = text + 36, .length = 16 };
	struct trace_context read;

	if (!is_parent(value))
		return;
	if (trace_context_id(&trace, read.trace, TRACE_ID_SIZE) &&
	    trace_context_id(&span, read.span, SPAN_ID_SIZE)) {
		read.has_trace = read.has_span = 1;
		*context = read;
	}
}

static int is_named(const struct walk_item *item, const char *name)
{
	return item->name.length == strlen(name) &&
	       !memcmp(item->name.at, name, item->name.length);
}

void trace_context_take(struct trace_context *context, const struct walk_item *item)
{
	/* A hash has as many digits as the id of a span. */
	if (item->value.type != VALUE_TEXT || item->is_redacted)
		return;
	if (is_named(item, "traceparent"))
		take_parent(context, &item->value);
	else if (is_named(item, "trace_id") && !context->has_trace)
		context->has_trace =
			trace_context_id(&item->value, context->trace, TRACE_ID_SIZE);
	else if (is_named(item, "span_id") && !context->has_span)
		context->has_span =
			trace_context_id(&item->value, context->span, SPAN_ID_SIZE);
}
