/* SPDX-License-Identifier: MIT */
/* The processes whose events are recorded: all, some by number, or a command. */
#ifndef UE__TOOLS_RECORD_RECORDED_PROCESSES_H
#define UE__TOOLS_RECORD_RECORDED_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include <userevents/abi/process_note.h>

#include "common/cli/options.h"
#include "common/cli/program.h"

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
