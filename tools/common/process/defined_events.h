/* SPDX-License-Identifier: MIT */
/* The events that a program or shared object defines, read from its file (ELF). */
#ifndef UE__TOOLS_COMMON_PROCESS_DEFINED_EVENTS_H
#define UE__TOOLS_COMMON_PROCESS_DEFINED_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "process_losses.h"

struct defined_event {
	char *definition; /* complete: a name and fields */
	const char *problem; /* why it cannot be registered: a sentence, or NULL */
	uint32_t flags; /* UE_EVENT_* */
};

/* Can it be registered, and no other event of its process have its name? */
int has_own_name(const struct defined_event *event);
/* Are they of one name, and of other fields? A process can register one of them. */
int are_namesakes(const struct defined_event *one, const struct defined_event *other);

struct defined_events {
	struct defined_event *events; /* by name */
	size_t count;
};

/*
 * Read them: NULL, or why not, or not all: "it ends early". The caller frees them in any
 * case. fd: of the file.
 */
const char *defined_events_read(struct defined_events *events, int fd);
/* The same of the file at a path. */
const char *defined_events_open(struct defined_events *events, const char *path);
void defined_events_free(struct defined_events *events);

/*
 * Call see() for each program and shared object that a process has loaded, with their
 * events, or why they cannot be read. Returns 0, or an errno if the process cannot be
 * read.
 */
int process_events_each(pid_t pid,
			void (*see)(const char *path, const struct defined_events *events,
				    const char *why, void *context),
			void *context);

/*
 * The events that a command will have: those of its program, and of the libraries it
 * links.
 */

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
