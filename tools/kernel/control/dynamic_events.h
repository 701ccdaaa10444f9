/* SPDX-License-Identifier: MIT */
/*
 * User events that no process holds: lines "u:NAME FIELDS" in dynamic_events of tracefs.
 *
 * The kernel gives no reason for a refusal there. Up to Linux 6.3 it takes a line for an
 * event with other fields, and keeps the old ones. It deletes by the exact list of fields,
 * and, without a system before the name, probes of that name as well. So all is checked
 * here before the file is written to.
 */
#ifndef UE__TOOLS_KERNEL_CONTROL_DYNAMIC_EVENTS_H
#define UE__TOOLS_KERNEL_CONTROL_DYNAMIC_EVENTS_H

#include <stddef.h>

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

/* Files of tracefs that take commands, and what the kernel says of a command that it refuses. */

/*
 * Write a text with one write(2), without O_TRUNC, which removes what others set: 0 or
 * -errno.
 */
int control_write(const char *path, const char *text);

/* A refusal, as error_log of the instance describes it. */
struct refusal {
	int error;     /* errno of the write; it is often misleading */
	char *reason;  /* "Couldn't find field"; NULL: the kernel logged nothing */
	char *command; /* the text that the kernel parsed */
	size_t at;     /* in command, as the kernel marks it; it may be one too far for filters */
};

/*
 * control_write(); after a failure, refusal describes it, to be freed with refusal_free().
 * log: the directory of the instance whose error_log it is in. That of synthetic events
 * and probes is tracefs itself. Other people's entries in the log are left there.
 */
int control_try(const char *log, const char *path, const char *text, struct refusal *refusal);
/*
 * Print "cannot VERB: REASON" and, if the place is known, command and caret. verb: such as
 * "set a filter of NAME".
 */
void refusal_report(const struct refusal *refusal, const char *verb);
void refusal_free(struct refusal *refusal);

/* The kernel's version as major * 1000 + minor: 6012. */
int kernel_version(void);

#endif
