/* SPDX-License-Identifier: MIT */
/*
 * The most frequent of any number of texts, in bounded memory: each new one takes the place
 * of the least frequent (Metwally and others, "Efficient computation of frequent and top-k
 * elements in data streams", 2005). A count is exact or too high by at most its error.
 */
#ifndef UE__TOOLS_REPORT_FACTS_TOP_VALUES_H
#define UE__TOOLS_REPORT_FACTS_TOP_VALUES_H

#include <stddef.h>
#include <stdint.h>

#define TOP_VALUES 48
#define TOP_VALUE_LENGTH 96 /* longer texts are cut off */

struct top_value {
	uint64_t count;
	uint64_t error;
	uint32_t hash;
	uint32_t length;
	char text[TOP_VALUE_LENGTH];
};

struct top_values {
	uint64_t total;
	uint32_t used;
	uint32_t last; /* where the last one was found: values repeat */
	int is_exact; /* no value was replaced */
	struct top_value items[TOP_VALUES];
};

struct top_values *top_values_new(void);
void top_values_add(struct top_values *values, const char *text, size_t length);
/* The most frequent first. */
void top_values_sort(struct top_values *values);

#endif
