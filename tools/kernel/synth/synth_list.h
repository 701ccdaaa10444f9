/* SPDX-License-Identifier: MIT */
/* Prints synthetic events. */
#ifndef UE__TOOLS_SYNTH_SYNTH_LIST_H
#define UE__TOOLS_SYNTH_SYNTH_LIST_H

#include "common/cli/options.h"

/*
 * Print the events of these names, or all: fields, the triggers that write each, and what
 * these have saved. 0, or -1 after a message.
 */
int synth_list(const char *tracefs, const struct words *names, int is_json);

#endif
