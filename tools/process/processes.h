/* SPDX-License-Identifier: MIT */
/* Processes as a person names them: by number, or by name (/proc/PID/comm). */
#ifndef UE__TOOLS_PROCESS_PROCESSES_H
#define UE__TOOLS_PROCESS_PROCESSES_H

#include <sys/types.h>

#include "cli/options.h"

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

#endif
