/* SPDX-License-Identifier: MIT */
/*
 * Processors that go and come.
 *
 * When one goes offline, the kernel removes the perf events that are bound to it, and
 * does not attach them again: they stay open, and are silent. So users of such events
 * look again and again, and open new ones.
 */
#ifndef UE__TOOLS_RECORD_TARGET_PROCESSORS_H
#define UE__TOOLS_RECORD_TARGET_PROCESSORS_H

#include <stddef.h>
#include <stdint.h>

struct processor {
	uint64_t node; /* differs each time that it comes online; 0: offline */
	uint64_t times; /* that it came while they were followed */
};

struct processors {
	struct processor *each; /* by number */
	size_t count;
	int is_blind; /* sysfs does not show them, so they are not followed */
	uint64_t looked; /* when that was, of CLOCK_MONOTONIC */
	/* The time that was not covered, for a sentence. */
	uint64_t gap_ns; /* the longest, of one that came */
	uint64_t gaps_ns; /* all of them */
	uint64_t reported_ns; /* of these */
};

/* All that this machine may have. */
void processors_begin(struct processors *processors);
/*
 * Call change() for each that went or came since the last look: detach from it, as what
 * is attached is dead, and, if it is online, attach to it. It returns 0; 1 if that is to
 * be tried again at the next look; or -1 after a message, which is returned.
 */
int processors_look(struct processors *processors,
		    int (*change)(void *context, size_t number, int is_online),
		    void *context);
/* Report what was not covered since the last call. */
void processors_report(struct processors *processors);
void processors_end(struct processors *processors);

#endif
