/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the tool: the memory of process STALL does not arrive, as if its pages
 * came from a file system that does not answer. The kernel may not be able to kill a
 * process that waits for that, so a child that outlives it keeps its files open, as long
 * as STALL lives.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void outlive(pid_t stalled)
{
	while (!kill(stalled, 0))
		usleep(10000);
	_exit(0);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
			 const struct iovec *remote, unsigned long remotes,
			 unsigned long flags)
{
	if (pid == atoi(getenv("STALL")) && !fork())
		outlive(pid);
	while (pid == atoi(getenv("STALL")))
		pause();
	return syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);
}
