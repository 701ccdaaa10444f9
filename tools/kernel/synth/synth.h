/* SPDX-License-Identifier: MIT */
/* Creates synthetic events. */
#ifndef UE__TOOLS_KERNEL_SYNTH_SYNTH_H
#define UE__TOOLS_KERNEL_SYNTH_SYNTH_H

#include "common/cli/options.h"
#include "synth_pair.h"

/* Unless another is named: made with the first event in it, and removed with the last. */
#define SYNTH_INSTANCE "userevents"

/* Define an event that something else writes. 0, or -1 after a message. */
int synth_define(const char *tracefs, const char *text);
/*
 * Create an event of two, with its triggers in an instance, where it is enabled. Setting
 * triggers that measure time discards what is recorded in an instance: refused unless
 * discards. After a failure nothing is left. 0, or -1 after a message.
 */
int synth_create(const char *tracefs, const char *instance, const struct synth_wish *wish,
		 int discards);

/* Deletes synthetic events with the triggers that synth create set for them. */

/*
 * Delete these events, and print their names. One that something else uses is left as it is,
 * after a message that names the user. 0, or -1 if one could not be deleted.
 */
int synth_delete(const char *tracefs, const struct words *names);
/* Delete all events that no trigger writes or uses, and that are enabled nowhere. */
int synth_delete_unused(const char *tracefs);

/* Prints synthetic events. */

/*
 * Print the events of these names, or all: fields, the triggers that write each, and what
 * these have saved. 0, or -1 after a message.
 */
int synth_list(const char *tracefs, const struct words *names, int is_json);

#endif
