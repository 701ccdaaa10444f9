/* SPDX-License-Identifier: MIT */
/*
 * Processors that go and come.
 *
 * When one goes offline, the kernel removes the perf events that are bound to it, and
 * does not attach them again: they stay open, and are silent. So users of such events
 * look again and again, and when the kernel sends a message, and open new ones.
 */
#ifndef UE__TOOLS_RECORD_TARGET_PROCESSORS_H
#define UE__TOOLS_RECORD_TARGET_PROCESSORS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <userevents/abi/process_note.h>

#include "common/cli/options.h"
#include "common/cli/program.h"

struct processor {
	uint64_t node; /* differs each time that it comes online; 0: offline */
	uint64_t gap_ns; /* not covered so far, as nothing could be attached to it, or 0 */
	int had_gap; /* that is to be reported */
};

struct processors {
	struct processor *each; /* by number */
	size_t count;
	int is_blind; /* sysfs does not show them, so they are not followed */
	uint64_t looked; /* when that was, of CLOCK_MONOTONIC */
	int fd; /* the kernel's messages, or -1 */
	/* The time that was not covered, for a sentence. */
	uint64_t gap_ns; /* the longest, of one that came */
	uint64_t gaps_ns; /* all of them */
	uint64_t reported_ns; /* of these */
};

/*
 * How many numbers processors of this machine may have, those that are added later included.
 * sysconf() counts those that are present, or even those that this process may use, with
 * older versions of glibc, and with musl.
 */
size_t processors_possible(void);
/* The same of a list such as "0,2-3"; 0 if it is none. */
size_t processors_in_list(const char *list);
/* All that this machine may have. */
void processors_begin(struct processors *processors);
/*
 * A descriptor that is readable when it is time to look; -1: there is none, or nothing
 * has begun. Look every tenth of a second, too.
 */
int processors_fd(const struct processors *processors);
/*
 * Call change() for each that went or came since the last look: detach from it, as what
 * is attached is dead, and, if it is online, attach to it. It returns 0; an errno, and
 * nothing is attached, if that is to be tried again at the next look (ENODEV: it has gone);
 * or -1 after a message, which is returned.
 */
int processors_look(struct processors *processors,
		    int (*change)(void *context, size_t number, int is_online),
		    void *context);
/* Report the gaps since the last call. */
void processors_report(struct processors *processors);
void processors_end(struct processors *processors);

/* The processes whose events are recorded: all, some by number, or a command. */

struct target {
	pid_t *threads; /* none: all processes */
	size_t thread_count;
	pid_t *processes; /* as given, to see when all have ended */
	size_t process_count;
	struct program command;
	struct ue_loss_page *losses; /* in the command; NULL: not known */
	int losses_fd; /* its file, for the command; valid if losses is not NULL */
	const char *name; /* of the command */
	int status;    /* of the command, once it has ended */
	int has_ended;
};

/* Processes by number; 0, or an exit status after a message. */
int target_add_processes(struct target *target, const struct words *pids);
/* A command that waits for target_go(); 0, or -1 after a message. */
int target_start(struct target *target, char **command);
/* Let the command begin: 0, or -1 after a message when it cannot be run. */
int target_go(struct target *target);
/* Whether all processes have ended whose events are recorded. */
int target_is_over(struct target *target);
/* End a command that never began. */
void target_close(struct target *target);

#endif
