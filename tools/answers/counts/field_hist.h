/* SPDX-License-Identifier: MIT */
/* A sink that makes a histogram of a field, or one for each value of another field. */
#ifndef UE__TOOLS_ANSWERS_FIELD_HIST_H
#define UE__TOOLS_ANSWERS_FIELD_HIST_H

#include "answers/question/asked_field.h"
#include "answers/question/group_table.h"
#include "histogram_set.h"
#include "answers/question/named_events.h"
#include "read/stream/sink.h"

struct field_hist {
	struct sink sink;
	struct named_events events;
	struct asked_field field;
	struct histogram_set set;
	uint64_t not_numbers; /* events that have something else there */
	enum value_type type; /* of the last one of these */
};

/* Afterwards set field, and by and the number of groups in set. */
void field_hist_begin(struct field_hist *hist, const char *event);
/*
 * Print it: 0, or 1 after a message if there is no number. What is left out is printed, too.
 */
int field_hist_print(const struct field_hist *hist, const struct event_kinds *kinds,
		     int is_json);
void field_hist_free(struct field_hist *hist);

#endif
