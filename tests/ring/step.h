/* SPDX-License-Identifier: MIT */
/* One instruction of another process after the other (ptrace(2)). */
#ifndef STEP_H
#define STEP_H

#include "load.h"

#include <sys/ptrace.h>

/* In the child: stops until the parent steps it. */
static inline void step_begin(void)
{
	must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
}

static inline void step_wait_for(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
}

/* 0 when it has ended. */
static inline int step(pid_t child)
{
	int status;

	must(!ptrace(PTRACE_SINGLESTEP, child, NULL, NULL));
	must(waitpid(child, &status, 0) == child);
	return WIFSTOPPED(status);
}

/* Lets it go on by itself until it ends, which it does with 0. */
static inline void step_let_end(pid_t child)
{
	int status;

	must(!ptrace(PTRACE_DETACH, child, NULL, NULL));
	must(waitpid(child, &status, 0) == child && !status);
}

static inline void step_kill(pid_t child)
{
	kill(child, SIGKILL);
	must(waitpid(child, NULL, 0) == child);
}

#endif
