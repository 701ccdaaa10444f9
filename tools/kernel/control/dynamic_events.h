/* SPDX-License-Identifier: MIT */
/*
 * User events that no process holds: lines "u:NAME FIELDS" in dynamic_events of tracefs.
 *
 * The kernel gives no reason for a refusal there. Up to Linux 6.3 it takes a line for an
 * event with other fields, and keeps the old ones. It deletes by the exact list of fields,
 * and, without a system before the name, probes of that name as well. So all is checked
 * here before the file is written to.
 */
#ifndef UE__TOOLS_CONTROL_DYNAMIC_EVENTS_H
#define UE__TOOLS_CONTROL_DYNAMIC_EVENTS_H

#include "common/cli/options.h"

/*
 * Create events from canonical definitions, all or none, and print the name of each. One
 * that exists with these fields is taken as created. 0, or -1 after a message.
 */
int dynamic_events_create(const char *tracefs, const struct words *definitions);

/*
 * Delete the events that globs match, and print their names; no glob matches all. A glob
 * that matches none is an error; events that cannot be deleted are reported, and the others
 * are deleted. 0, or -1 after messages.
 */
int dynamic_events_delete(const char *tracefs, const struct words *globs);

#endif
