/* SPDX-License-Identifier: MIT */
/* Adds probes to the kernel, and removes them. */
#ifndef UE__TOOLS_PROBE_PROBE_ADD_H
#define UE__TOOLS_PROBE_PROBE_ADD_H

#include "common/cli/options.h"

/*
 * Add probes in a group. All definitions are checked before the first is added; if the
 * kernel refuses one, those before it are removed. names: those of the probes are added,
 * to be freed. 0, or -1 after a message.
 */
int probes_add(const char *directory, const char *group, const struct words *definitions,
	       struct words *names);
/* Remove one: 0, or -1 after a message. */
int probe_remove(const char *directory, const char *group, const char *name);

#endif
