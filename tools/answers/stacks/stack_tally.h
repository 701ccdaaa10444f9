/* SPDX-License-Identifier: MIT */
/*
 * Counts of stacks: of one event, one program, and the same functions. A stack is kept as
 * its folded line, "shop;main;handle;Shop:OrderPlaced", the outermost function first.
 */
#ifndef UE__TOOLS_ANSWERS_STACKS_STACK_TALLY_H
#define UE__TOOLS_ANSWERS_STACKS_STACK_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/key_table.h"
#include "common/cli/memory.h"
#include "common/events/recorded_event.h"
#include "common/stacks/stacks.h"

struct stack_group {
	char *line;
	uint64_t count;
};

/* Zero it before the first use. */
struct stack_tally {
	int has_threads; /* the line begins with the thread's name, not the program's */
	struct stack_group *groups;
	uint32_t count;
	struct key_table by_line;
	size_t bytes; /* of the lines */
	uint64_t events; /* with a stack */
	uint64_t without;
	uint64_t cut; /* of one frame, as the process may not read its stack */
	struct short_stacks short_stacks;
	uint64_t others; /* events whose stacks were too many to be kept */
	struct bytes line; /* the one that is being made */
};

void stack_tally_take(struct stack_tally *tally, const struct event *event);
/* The most frequent first; after the last event. */
void stack_tally_sort(struct stack_tally *tally);
/* The format of flamegraph.pl and speedscope: a line and its count. */
void stack_tally_put_folded(const struct stack_tally *tally, struct bytes *to);
/* Print at most this many stacks, the innermost function first. */
void stack_tally_put_text(const struct stack_tally *tally, uint64_t most, struct bytes *to);
void stack_tally_put_json(const struct stack_tally *tally, uint64_t most, struct bytes *to);
/* A section of a page: an icicle, whose boxes are as wide as functions have events. */
void stack_tally_put_page(struct stack_tally *tally, struct bytes *to);
void stack_tally_free(struct stack_tally *tally);

#endif
