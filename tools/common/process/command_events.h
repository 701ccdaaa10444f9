/* SPDX-License-Identifier: MIT */
/*
 * The events that a command will have: those of its program, and of the libraries it
 * links.
 */
#ifndef UE__TOOLS_PROCESS_COMMAND_EVENTS_H
#define UE__TOOLS_PROCESS_COMMAND_EVENTS_H

#include "defined_events.h"

/*
 * Call see() for each file of the command that has events, or whose events cannot all be
 * read. command: as execvp(3) takes it. A script, and a command that does not exist, have
 * no events.
 */
void command_events_each(const char *command,
			 void (*see)(const char *path,
				     const struct defined_events *events,
				     const char *why, void *context),
			 void *context);

#endif
