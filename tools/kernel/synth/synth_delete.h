/* SPDX-License-Identifier: MIT */
/* Deletes synthetic events with the triggers that synth create set for them. */
#ifndef UE__TOOLS_SYNTH_SYNTH_DELETE_H
#define UE__TOOLS_SYNTH_SYNTH_DELETE_H

#include "common/cli/options.h"

/*
 * Delete these events, and print their names. One that something else uses is left as it is,
 * after a message that names the user. 0, or -1 if one could not be deleted.
 */
int synth_delete(const char *tracefs, const struct words *names);
/* Delete all events that no trigger writes or uses, and that are enabled nowhere. */
int synth_delete_unused(const char *tracefs);

#endif
