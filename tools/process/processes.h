/* SPDX-License-Identifier: MIT */
/* Processes as a person names them: by number, or by name (/proc/PID/comm). */
#ifndef UE__TOOLS_PROCESS_PROCESSES_H
#define UE__TOOLS_PROCESS_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include "cli/options.h"

#define PROCESS_NAME_SIZE 64

struct process {
	pid_t pid;
	char name[PROCESS_NAME_SIZE];
	int is_asked_for; /* it was named, by number or name */
};

struct processes {
	struct process *items;
	size_t count;
};

/*
 * Those that words name, or all but this one, in the order of their numbers. 0, or -1
 * after a message; then what was found is there all the same.
 */
int processes_find(const struct words *words, struct processes *processes);
void processes_free(struct processes *processes);

/* One sentence: why the memory of a process cannot be read, and what fixes it. */
void process_complain(const struct process *process, int error);

#endif
