/* SPDX-License-Identifier: MIT */
/*
 * Files of metrics belong to one collector each: counts of two in turns would look like
 * resets.
 */
#ifndef UE__TOOLS_COLLECT_METRICS_METRICS_LOCK_H
#define UE__TOOLS_COLLECT_METRICS_METRICS_LOCK_H

#include "common/cli/options.h"

/* Those that a collector has; zero it first. */
struct metrics_lock {
	struct words paths; /* of locks */
	int *fds;
};

/*
 * Have these files, and no others any more. 0; or -1 after a message, when another
 * collector has one of them: then those from before are kept. A file beside which
 * nothing can be created is not locked, as it cannot be written either.
 */
int metrics_lock_take(struct metrics_lock *lock, const struct words *files);
void metrics_lock_free(struct metrics_lock *lock);

#endif
