/* SPDX-License-Identifier: MIT */
/* A field that a question names, and how many events have it. */
#ifndef UE__TOOLS_QUESTION_ASKED_FIELD_H
#define UE__TOOLS_QUESTION_ASKED_FIELD_H

#include "common/events/field.h"

/* Names are kept of so many kinds of events, and at most so many of all. */
#define FIELD_NAMES_MAX 4096u

struct asked_field {
	struct field field;
	uint64_t found;	  /* events that have it */
	uint64_t missing; /* events that do not, or where it is null */
	/* For "did you mean": the fields of events that do not have it. */
	char **names;
	uint32_t name_count;
	uint8_t *is_known; /* by number of a kind: whether its names are there */
	uint32_t kinds;
};

/* Parse a word of the command line: 0, or -1 after a message. */
int asked_field_parse(struct asked_field *asked, const char *text);
/* As field_get(). */
int asked_field_get(struct asked_field *asked, struct event *event, struct value *value);
/* If no event had it: 1 after a message, with the nearest name that one had; otherwise 0. */
int asked_field_report(const struct asked_field *asked);
void asked_field_free(struct asked_field *asked);

#endif
