/* SPDX-License-Identifier: MIT */
/* A collector's settings as sentences, and the rights that this user lacks for them. */
#ifndef UE__TOOLS_COLLECT_PLAN_H
#define UE__TOOLS_COLLECT_PLAN_H

#include "settings.h"

/*
 * Print the plan of a collector with these settings, and a message for each right that
 * it lacks; nothing is made or changed, and the receiver is not asked. tracefs: its
 * directory, or NULL after a message. Returns an exit status: 1 if something is
 * lacking, 2 if the receiver's address is wrong.
 */
int plan_print(const struct settings *settings, const char *tracefs);

#endif
