/* SPDX-License-Identifier: MIT */
/* The sessions of another process, their events, and the losses of both. */
#ifndef UE__TOOLS_COMMON_PROCESS_PROCESS_LOSSES_H
#define UE__TOOLS_COMMON_PROCESS_PROCESS_LOSSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <userevents/loss.h>

#include "common/cli/options.h"

struct event_losses {
	char name[256];
	uint32_t lost[UE_LOSS_REASONS];
};

struct session_losses {
	char *library; /* path of the file that has this copy of the library */
	int fd;
	uint32_t abi; /* enum ue_abi */
	uint32_t lost[UE_LOSS_REASONS];
	struct event_losses *events; /* by name */
	size_t count;
};

/* The events that a program or shared object lists for ue_register_all(). */
struct module_events {
	char *path;
	const char *why; /* it cannot be read, or not all of it; NULL: it was read */
	size_t count;
	size_t missing; /* those not registered */
	struct words names; /* of the first of these: "NAME", or "NAME (REASON)" */
	struct words unregistered; /* their definitions */
};

/* A process may have any number of events, and only so many names are shown. */
#define MODULE_NAMES 10

/* A line of /proc/PID/maps: the beginning of a file. */
struct mapping {
	uint64_t begin, end, inode;
	const char *path;
};

/* Whether the line, without its newline, is one; the path stays a part of the line. */
int mapping_parse(const char *line, struct mapping *mapping);

struct process_losses {
	pid_t pid;
	int error; /* if not 0, the sessions may be incomplete */
	struct session_losses *sessions; /* of each copy, the last opened first */
	size_t count;
	size_t copies; /* of the library */
	int wants_modules;
	struct module_events *modules;
	size_t module_count;
	size_t entries; /* of the lists of all modules */
	struct words registered; /* their definitions */
	int done;      /* an eventfd, while a thread reads */
	atomic_int is_cancelled; /* the thread is to stop, as nobody waits for it */
};

/*
 * Read the lists of a process once, within 5 seconds. The process is neither stopped nor
 * changed. error is 0, one of pthread_create(3) or eventfd(2), or
 *   -EACCES, -EPERM  this user may not read the process;
 *   -ESRCH      it has ended, or is a kernel thread;
 *   -ENOENT     it does not use the library;
 *   -ENOEXEC    it has another word size than the tool;
 *   -EPROTO     a copy of the library has another version of the note;
 *   -EAGAIN     a list changed meanwhile, or is damaged;
 *   -ETIMEDOUT  the memory did not arrive in time.
 */
struct process_losses *process_losses_read(pid_t pid, int wants_modules);
void process_losses_free(struct process_losses *losses);

/* The error for a person. */
const char *process_losses_reason(int error);

/* Add the events of the module whose file is mapped from its beginning. */
void module_events_read(int memory, const struct mapping *mapping,
			struct process_losses *losses);

/* Processes as a person names them: by number, or by name (/proc/PID/comm). */

struct process {
	pid_t pid;
	char name[64];
};

/*
 * Call see() for each process that words name, or without words for all but the tool
 * itself, in the order of their numbers, until it returns something else than 0. Returns
 * 0, or -1 after a message if a word names no process.
 */
int processes_find(const struct words *words,
		   int (*see)(const struct process *process, void *context),
		   void *context);

/* The events that a program or shared object defines, read from its file (ELF). */

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
