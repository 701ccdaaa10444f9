/* SPDX-License-Identifier: MIT */
/* A page of HTML that shows facts: one file, which loads nothing and runs no scripts. */
#ifndef UE__TOOLS_REPORT_HTML_PAGE_H
#define UE__TOOLS_REPORT_HTML_PAGE_H

#include "common/cli/memory.h"
#include "facts/facts.h"

struct page_source {
	const char *title; /* a file or a command */
	const char *detail; /* "and 3 more files", size; "" */
	uint64_t lost; /* events that are missing, at known places or not */
	const char *version; /* of the tool */
	int has_failed; /* the source could not be read as a whole */
};

/* Append the page. After facts_end(). */
void page_write(struct bytes *out, struct facts *facts, const struct page_source *source);

/* For the files of this room: the sections, and what they share. */

void page_style(struct bytes *out);
void page_summary(struct bytes *out, const struct facts *facts,
		  const struct page_source *source);
void page_timeline(struct bytes *out, const struct facts *facts);
void page_activities(struct bytes *out, const struct facts *facts);
void page_events(struct bytes *out, const struct facts *facts);
void page_fields(struct bytes *out, struct facts *facts);
void page_losses(struct bytes *out, const struct facts *facts,
		 const struct page_source *source);

/* "worker 12/34" */
void page_lane_name(struct bytes *out, const struct lane *lane);
/* "PROVIDER:EVENT" */
void page_kind_name(struct bytes *out, const struct event_kind *kind);
/* The time after the first event. */
const char *page_offset(const struct facts *facts, int64_t time);
/* Kinds with facts, the most frequent first; how many. To be freed. */
uint32_t page_kinds(const struct facts *facts, struct kind_facts ***kinds);

#endif
