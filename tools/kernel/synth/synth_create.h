/* SPDX-License-Identifier: MIT */
/* Creates synthetic events. */
#ifndef UE__TOOLS_SYNTH_SYNTH_CREATE_H
#define UE__TOOLS_SYNTH_SYNTH_CREATE_H

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

#endif
