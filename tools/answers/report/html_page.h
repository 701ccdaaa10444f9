/* SPDX-License-Identifier: MIT */
/* A page of HTML that shows facts: one file, which loads nothing and runs no scripts. */
#ifndef UE__TOOLS_ANSWERS_REPORT_HTML_PAGE_H
#define UE__TOOLS_ANSWERS_REPORT_HTML_PAGE_H

#include "answers/counts/histogram.h"
#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "facts.h"
#include "answers/compare/compare.h"
#include "common/pairs/pairs.h"

struct page_source {
	const char *title; /* a file or a command */
	const char *detail; /* "and 3 more files", size; "" */
	uint64_t lost; /* events that are missing, at known places or not */
	const char *version; /* of the tool */
	int has_failed; /* the source could not be read as a whole */
};

/* Append the page. After facts_end(). */
void page_write(struct bytes *out, struct facts *facts, const struct page_source *source);

/*
 * Shared by the files of this room: the ends of a page, its sections, and shared
 * parts.
 */

/* Up to <body>; then the header and <main>. */
void page_begin(struct bytes *out, const struct page_source *source);
/* The end of the page, from </main> on. */
void page_end(struct bytes *out, const struct page_source *source);

/* The paragraph about the source. */
void page_detail(struct bytes *out, const struct page_source *source);
void page_summary(struct bytes *out, const struct facts *facts,
		  const struct page_source *source);
void page_timeline(struct bytes *out, const struct facts *facts);
void page_errors(struct bytes *out, const struct facts *facts);
/* Starts that never ended. */
void page_open(struct bytes *out, const struct facts *facts);
void page_events(struct bytes *out, const struct facts *facts);
void page_fields(struct bytes *out, struct facts *facts);
void page_losses(struct bytes *out, const struct facts *facts,
		 const struct page_source *source);

/*
 * What its thread did before an event at this time, as a part that opens; links lead to the id.
 * title: "the 10 ms before".
 */
void page_before(struct bytes *out, const struct before *before, int64_t time,
		 const char *title, const char *id);
/* Compares two struct activity, for qsort(3). */
int slowest_first(const void *one, const void *other);
/* "worker 12/34" */
void page_lane_name(struct bytes *out, const struct lane *lane);
/* "PROVIDER:EVENT" */
void page_kind_name(struct bytes *out, const struct event_kind *kind);
/* The time after the first event. */
const char *page_offset(const struct facts *facts, int64_t time);
/* Kinds with facts, the most frequent first; how many. To be freed. */
uint32_t page_kinds(const struct facts *facts, struct kind_facts ***kinds);

/* Small charts as inline SVG. */

/* The place of a series' bins. */
struct plot {
	double x, y, width, height;
	int64_t first; /* the time at x */
	double span;   /* nanoseconds from there to the right edge; more than 0 */
};

/* The place of a time, which may be outside of the plot. */
double plot_x(const struct plot *plot, int64_t time);
/*
 * Bars of a series, by severity one upon the other, merged so that one is at least this wide.
 * Without has_titles, a path for each severity, which is much shorter.
 */
void chart_series(struct bytes *out, const struct series *series,
		  const struct time_scale *scale, const struct plot *plot, double least_width,
		  int has_titles);
/* A line of bars in a table cell. */
void chart_spark(struct bytes *out, const struct series *series,
		 const struct time_scale *scale, const char *label);
/* A histogram with its axis; large: of the width of the page's text. */
void chart_histogram(struct bytes *out, const struct histogram *histogram, enum unit unit,
		     const char *label, size_t label_length);
/* Two of them on one axis, each as shares of its own count: a line, and bars. */
void chart_two_histograms(struct bytes *out, const struct histogram *before,
			  const struct histogram *after, enum unit unit);
/* The most frequent values with bars; at most this many. */
void chart_values(struct bytes *out, const struct top_values *values, uint32_t most);

/* A page that shows two recordings side by side: rates of events, and durations of pairs. */

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

/* It is called before the events of a side. */
void compared_facts_begin(struct compared_facts *facts, int side);
/* It is called after them. */
void compared_facts_end(struct compared_facts *facts);
void compared_facts_free(struct compared_facts *facts);

/* names: of the sides. */
void compare_page_write(struct bytes *out, struct compared_facts *facts,
			const struct page_source *source, const char *const names[2]);

#endif
