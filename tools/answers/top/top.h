/* SPDX-License-Identifier: MIT */
/* The state of top, and its output. */
#ifndef UE__TOOLS_TOP_TOP_H
#define UE__TOOLS_TOP_TOP_H

#include "common/cli/memory.h"
#include "counting.h"
#include "answers/screen/screen.h"
#include "read/stream/stream.h"
#include "views.h"

/* The person's choices. */

#define FILTER_MAX 128

struct choices {
	enum view_kind view;
	int sorted[VIEWS]; /* the column; -1: the text */
	int reverse[VIEWS];
	size_t first[VIEWS]; /* the line at the top */
	char filter[FILTER_MAX];
	char typed[FILTER_MAX]; /* while a filter is being typed */
	int is_typing, is_helping, is_paused, is_over, wants_stop;
};

void choices_begin(struct choices *choices);
/* A key (keys.h). page: lines of a page. */
void choices_key(struct choices *choices, int key, size_t page);

/* Lines about the keys, NULL at the end. */
extern const char *const choices_help[];

enum top_source {
	TOP_KERNEL,
	TOP_RUN,
	TOP_RING,
};

struct top {
	struct sink sink; /* of streams */
	/* Options */
	enum top_source source;
	const char *source_name; /* the program, the ring */
	struct words globs, pids;
	const char *tracefs, *where, *mode;
	uint64_t buffer;
	const struct usage *usage;
	char **arguments; /* of the stream */
	int64_t interval; /* nanoseconds */
	uint64_t refreshes_max; /* 0: no limit */
	int is_batch, is_json;
	int is_sampled; /* events of the kernel are never counted */
	/* While it runs */
	struct choices choices;
	struct collected collected;
	struct counting counting;
	struct stream *stream; /* while one is read */
	struct lines lines[VIEWS];
	struct bytes text; /* of a frame */
	int64_t begun;	   /* of the samples that are shown; CLOCK_MONOTONIC */
	int64_t refreshed, next;
	double seconds; /* that the last rates are about */
	uint64_t refreshes;
	uint64_t total, bytes, lost; /* as shown */
	double rate;
	int has_begun; /* the source is open */
	int is_ended; /* no event can follow */
};

/* Whether a view needs events, and counts are not enough. */
static inline int top_needs_samples(const struct top *top)
{
	return top->source != TOP_KERNEL || top->is_sampled ||
	       top->choices.view != VIEW_EVENTS;
}

/*
 * live.c: show what happens, until the end; an exit status. output: a file for standard error
 * while the screen is in use, or NULL.
 */
int top_run(struct top *top, const char *output);

/* The lines of the table: above it are four others, and below it is one. */
static inline size_t page_of(const struct screen_size *size)
{
	return size->rows > 5 ? size->rows - 5 : 1;
}

/* frame.c: the screen, or a table of text. They sort the lines. */
void frame_draw(struct top *top);
void frame_print(struct top *top);
/* frame_json.c: a line of JSON to stdout. */
void frame_print_json(struct top *top);

#endif
