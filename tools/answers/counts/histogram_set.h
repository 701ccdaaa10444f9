/* SPDX-License-Identifier: MIT */
/* A histogram for each value of a field: up to a number of values, and one for all others. */
#ifndef UE__TOOLS_ANSWERS_HISTOGRAM_SET_H
#define UE__TOOLS_ANSWERS_HISTOGRAM_SET_H

#include "answers/question/asked_field.h"
#include "common/cli/bytes.h"
#include "answers/question/group_table.h"
#include "histogram.h"
#include "common/text/quantity_text.h"

struct histogram_set {
	struct asked_field *by; /* or NULL: only others */
	struct group_table groups;
	struct histogram *of_group;
	uint32_t count; /* of them */
	struct histogram others;
	int has_no_bars; /* text: numbers alone */
};

/* The histogram for this value of the field. */
struct histogram *histogram_set_find(struct histogram_set *set, const struct value *value);
/* That of all numbers, to be freed. */
struct histogram histogram_set_sum(const struct histogram_set *set);
/* Text: the sum, with a field also a table; and bars of both, of the largest groups. */
void histogram_set_put(const struct histogram_set *set, enum unit unit, struct bytes *to);
/* Members of an open object. */
void histogram_set_json(const struct histogram_set *set, struct bytes *json);
/* Report which groups are missing. */
void histogram_set_report(const struct histogram_set *set);
void histogram_set_free(struct histogram_set *set);

#endif
