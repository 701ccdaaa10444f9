/* SPDX-License-Identifier: MIT */
/* Stacks of events of a ring or a capture, and the mappings that their processes describe. */
#ifndef UE__TOOLS_COMMON_STACKS_RING_STACKS_H
#define UE__TOOLS_COMMON_STACKS_RING_STACKS_H

#include <stdint.h>
#include <userevents/capture.h>

#include "stacks.h"

#define RING_FRAMES_MOST 132u

/* Zero it before the first use. */
struct ring_stacks {
	struct code_maps code;
	struct stack_frame *frames; /* of the last record */
};

/* The stack of an event. */
struct ring_stack {
	uint64_t process; /* the same for no two processes; their pids may be */
	const uint64_t *addresses;
	uint32_t count;
	uint32_t asked; /* frames of the program, at most */
	int is_cut;
};

struct ring_stack ring_stack_of(const struct ue_captured *event);

/*
 * Take a record and its stack, in the order of times: 1, and the record has its frames, which
 * stay until the next call; or 0 if it is no event of the program, but describes its code.
 */
int ring_stacks_take(struct ring_stacks *stacks, struct record *record,
		     const struct ring_stack *stack);
/* Whether events of a tracepoint are the program's. */
int ring_stacks_is_event(const struct tracepoint *tracepoint);
/* Whether events with a definition describe code. */
int ring_stacks_describes(const char *definition);
/* The events of a page that describe no code: those of the program. */
uint32_t ring_stacks_events(const struct ue_captured_page *page);
void ring_stacks_free(struct ring_stacks *stacks);

#endif
