/* SPDX-License-Identifier: MIT */
/* A page that shows two recordings side by side: rates of events, and durations of pairs. */
#ifndef UE__TOOLS_ANSWERS_REPORT_COMPARE_PAGE_H
#define UE__TOOLS_ANSWERS_REPORT_COMPARE_PAGE_H

#include "answers/compare/compare.h"
#include "common/pairs/pairs.h"
#include "html_page.h"

#define STARTS_COMPARED 64 /* kinds of starts; pairs of others are counted */

/* A sink of one side after the other. */
struct compared_facts {
	struct sink sink;
	int side;
	struct comparison events;    /* a row for each kind */
	struct comparison durations; /* ... for each kind of start */
	struct pairs pairs;
	int has_expression;   /* set by the user: events are left out */
	struct cut_pairs cut; /* of both sides */
	uint64_t left_out; /* pairs */
	uint64_t open[2];  /* starts that never ended */
};

/* Before the events of a side. */
void compared_facts_begin(struct compared_facts *facts, int side);
/* After them. */
void compared_facts_end(struct compared_facts *facts);
void compared_facts_free(struct compared_facts *facts);

/* names: of the sides. */
void compare_page_write(struct bytes *out, struct compared_facts *facts,
			const struct page_source *source, const char *const names[2]);

#endif
