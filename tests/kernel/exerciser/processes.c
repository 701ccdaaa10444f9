/* SPDX-License-Identifier: MIT */
/*
 * Operations that make processes: children that inherit enable words, run some operations
 * of their own, and end in different ways.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exerciser.h"

/* With --idle this program ends at once. */
static void execute(void)
{
	execl("/proc/self/exe", "exerciser", "--idle", NULL);
}

/* The kernel drops the child's enable words at exec, at exit, and when it is killed. */
static void end(struct worker *worker)
{
	switch (below(worker, 4)) {
	case 0: /* stock kernels may lose a page if an event is enabled meanwhile */
		if (!is_tame)
			execute();
		break;
	case 1:
		kill(getpid(), SIGKILL);
		break;
	}
	_exit(0);
}

static long wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* The child does not fork again, so a seed cannot fill the system with processes. */
static long fork_child(struct worker *worker)
{
	unsigned count = below(worker, 60);
	struct worker child = *worker;
	pid_t pid;

	draw(worker);
	if (worker->is_forked) {
		errno = EPERM;
		return -1;
	}
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return -1;
	if (pid)
		return wait_for(pid);
	child.is_forked = 1;
	while (count--)
		do_one(&child);
	end(&child);
	return 0;
}

static long vfork_child(struct worker *worker)
{
	int is_exec = one_in(worker, 2);
	pid_t pid = vfork();

	if (!pid) {
		if (is_exec)
			execute();
		_exit(0);
	}
	return pid < 0 ? -1 : wait_for(pid);
}

static long yield(struct worker *worker)
{
	(void)worker;
	return sched_yield();
}

const struct kind process_kinds[] = {
	{ "fork", 8, fork_child },
	{ "vfork", 4, vfork_child },
	{ "yield", 4, yield },
	{ 0 },
};
