/* SPDX-License-Identifier: MIT */
/*
 * Counts the kernel's events that the library in programs could not write: these never reach a
 * collector. A thread looks at all processes that this user may trace, every so often.
 *
 * Unknown are losses of processes that this user may not trace, or of other word
 * sizes; those of a process after the last look before its end; those of an event that was
 * unregistered before the next look, if globs are given; and those of the child of a fork, as
 * long as they are fewer than its parent's.
 */
#ifndef UE__TOOLS_COLLECT_PROCESS_WATCH_H
#define UE__TOOLS_COLLECT_PROCESS_WATCH_H

#include <stdint.h>

#include "common/cli/options.h"

struct process_watch;

/*
 * Look every so many seconds, for events of these globs, or without globs all. Earlier
 * losses do not count. Never ends. NULL after a message.
 */
struct process_watch *process_watch_start(uint64_t seconds, const struct words *globs);
/* Losses so far, for which any thread may ask. */
uint64_t process_watch_losses(struct process_watch *watch);

#endif
