/* SPDX-License-Identifier: MIT */
/* Events of a ring (userevents/ring.h) as they are written: for watch and record. */
#ifndef UE__TOOLS_RECORD_FOLLOW_RING_H
#define UE__TOOLS_RECORD_FOLLOW_RING_H

#include <stdint.h>

#include <userevents/capture.h>

#include "records/filter.h"
#include "records/record.h"
#include "recording.h"

struct ring_follower {
	const char *path, *verb; /* for messages: "cannot VERB PATH" */
	const struct recording *recording; /* its globs and its duration */
	struct filter filter;
	/*
	 * Called once the ring is open, for each event that passes, and before waiting for
	 * more. Each returns 0, 1 to end, or -1 after a message.
	 */
	int (*begin)(struct ring_follower *follower);
	int (*take)(struct ring_follower *follower, const struct ue_captured *event,
		    const struct record *record);
	int (*wait)(struct ring_follower *follower);
	void *context;
	/* Set by ring_follow(). */
	uint64_t events; /* that passed */
	uint64_t lost;
};

/* The one argument of a command is a ring: its path; else NULL. */
const char *ring_argument(char **arguments);
/*
 * Whether options are given that say nothing about a ring: 0, or EXIT_WRONG_USAGE after a
 * message.
 */
int ring_check_options(const struct recording *recording, const char *verb);

/*
 * Follow a ring until a signal, the end of the duration, or a callback ends it. Losses
 * are reported at the end. Returns 0, or EXIT_FAILED after a message: also if events were
 * lost, or none came.
 */
int ring_follow(struct ring_follower *follower);

#endif
