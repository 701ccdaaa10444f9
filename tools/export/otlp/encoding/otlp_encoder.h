/* SPDX-License-Identifier: MIT */
/*
 * The two encodings of OTLP, behind one table of functions that append to a buffer, so that
 * an event is mapped once. Text is valid UTF-8.
 *
 * A list's items are appended between list_begin() and list_end(), with nothing else in
 * between, as JSON needs it.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_ENCODER_H
#define UE__TOOLS_EXPORT_OTLP_ENCODER_H

#include "common/cli/memory.h"
#include "common/events/field_value.h"
#include "export/tree/clean_text.h"
#include "otlp_fields.h"

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
	/* A message in a message; begin returns what end is given. */
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
