/* SPDX-License-Identifier: MIT */
/*
 * The two encodings of OTLP, behind one table of functions that append to a buffer, so that
 * an event is mapped once. Text is valid UTF-8.
 *
 * A list's items are appended between list_begin() and list_end(), with nothing else in
 * between, as JSON needs it.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_ENCODING_OTLP_ENCODER_H
#define UE__TOOLS_EXPORT_OTLP_ENCODING_OTLP_ENCODER_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "common/events/field.h"
#include "export/tree/exported_event.h"

/* The members of OTLP's messages that are written: their numbers, types and names. */

enum otlp_field {
	/* Requests, and down to records */
	OTLP_RESOURCE_LOGS,
	OTLP_RESOURCE_SPANS,
	OTLP_RESOURCE,
	OTLP_RESOURCE_ATTRIBUTES,
	OTLP_SCOPE_LOGS,
	OTLP_SCOPE_SPANS,
	OTLP_SCOPE,
	OTLP_SCOPE_NAME,
	OTLP_LOG_RECORDS,
	OTLP_SPANS,
	/* Log records */
	OTLP_LOG_TIME,
	OTLP_LOG_OBSERVED_TIME,
	OTLP_LOG_SEVERITY,
	OTLP_LOG_SEVERITY_TEXT,
	OTLP_LOG_BODY,
	OTLP_LOG_ATTRIBUTES,
	OTLP_LOG_FLAGS,
	OTLP_LOG_TRACE_ID,
	OTLP_LOG_SPAN_ID,
	OTLP_LOG_EVENT_NAME,
	/* Spans */
	OTLP_SPAN_TRACE_ID,
	OTLP_SPAN_ID,
	OTLP_SPAN_PARENT,
	OTLP_SPAN_NAME,
	OTLP_SPAN_KIND,
	OTLP_SPAN_START,
	OTLP_SPAN_END,
	OTLP_SPAN_ATTRIBUTES,
	OTLP_SPAN_FLAGS,
	OTLP_SPAN_STATUS,
	OTLP_STATUS_MESSAGE,
	OTLP_STATUS_CODE,
	/* A kvlist */
	OTLP_LIST_VALUES,
	OTLP_FIELDS,
};

enum otlp_type {
	OTLP_NESTED, /* a message, text, bytes, or a list of them */
	OTLP_VARINT,
	OTLP_FIXED32,
	OTLP_FIXED64, /* a string in JSON */
};

struct otlp_member {
	uint8_t number;
	uint8_t type; /* enum otlp_type */
	const char *name; /* in JSON */
};

extern const struct otlp_member otlp_members[OTLP_FIELDS];

#define TRACE_ID_SIZE 16
#define SPAN_ID_SIZE 8

/* An array or a struct that is open. */
struct otlp_nest {
	size_t begun[3]; /* its messages */
	int is_struct;
};

struct otlp_encoder {
	/* A message that is encoded apart, for message() and item() */
	void (*root_begin)(struct bytes *to);
	void (*root_end)(struct bytes *to);
	/* A message in a message; end is given the result of begin. */
	size_t (*message_begin)(struct bytes *to, enum otlp_field field);
	void (*message_end)(struct bytes *to, size_t begun);
	void (*message)(struct bytes *to, enum otlp_field field, const void *bytes,
			size_t length);
	void (*list_begin)(struct bytes *to, enum otlp_field list);
	void (*list_end)(struct bytes *to);
	/* Messages in a list */
	size_t (*item_begin)(struct bytes *to, enum otlp_field list);
	void (*item_end)(struct bytes *to, size_t begun);
	void (*item)(struct bytes *to, enum otlp_field list, const void *bytes, size_t length);
	/* Members; an empty text is the same as none, and is left out */
	void (*number)(struct bytes *to, enum otlp_field field, uint64_t number);
	void (*text)(struct bytes *to, enum otlp_field field, struct clean_text text);
	void (*id)(struct bytes *to, enum otlp_field field, const uint8_t *id, size_t length);
	void (*value)(struct bytes *to, enum otlp_field field, const struct value *value);
	/* Attributes in a list; or elements of an array, with key NULL */
	void (*attribute)(struct bytes *to, enum otlp_field list,
			  const struct clean_text *key, const struct value *value);
	void (*nest_begin)(struct bytes *to, enum otlp_field list,
			   const struct clean_text *key, struct otlp_nest *nest);
	void (*nest_end)(struct bytes *to, const struct otlp_nest *nest);
};

extern const struct otlp_encoder otlp_protobuf_encoder, otlp_json_encoder;

static inline struct clean_text otlp_text(const char *text)
{
	return (struct clean_text){ text, strlen(text) };
}

static inline struct value otlp_number(uint64_t number)
{
	return (struct value){ .type = VALUE_UNSIGNED, .whole = (int64_t)number };
}

static inline struct value otlp_string(const char *text, size_t length)
{
	return (struct value){ .type = VALUE_TEXT, .text = text, .length = length };
}

#endif
