/* SPDX-License-Identifier: MIT */
/*
 * A killed child is not waited for: while it waits for memory from a FUSE file system
 * whose server does not answer, the kernel may keep it. So it must hold nothing that other
 * programs wait for; it writes into files in memory, not into the tool's own output.
 */
#include "isolated_call.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void be_child(const int *files, int (*call)(const void *context),
			       const void *context)
{
	int result;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(files[0], STDOUT_FILENO);
	dup2(files[1], STDERR_FILENO);
	result = call(context);
	fflush(stdout);
	_exit(result);
}

static void pass_on(int file, FILE *to)
{
	char bytes[65536];
	ssize_t count;

	lseek(file, 0, SEEK_SET);
	while ((count = read(file, bytes, sizeof(bytes))) > 0) {
		if (to == stderr)
			fflush(stdout);
		fwrite(bytes, 1, (size_t)count, to);
	}
}

static int wait_for(pid_t child, int milliseconds)
{
	struct pollfd end = {
		.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN,
	};
	int status = -errno;

	if (end.fd < 0 || !poll(&end, 1, milliseconds)) {
		kill(child, SIGKILL);
		status = end.fd < 0 ? status : -ETIMEDOUT;
	} else if (waitpid(child, &status, 0) < 0) {
		status = -errno;
	}
	if (end.fd >= 0)
		close(end.fd);
	return status;
}

int isolated_call(int (*call)(const void *context), const void *context, int milliseconds)
{
	const int files[] = { memfd_create("output", MFD_CLOEXEC),
			      memfd_create("messages", MFD_CLOEXEC) };
	int status = -errno;
	pid_t child = -1;

	fflush(stdout);
	if (files[0] >= 0 && files[1] >= 0) {
		child = fork();
		status = -errno;
	}
	if (!child)
		be_child(files, call, context);
	if (child > 0)
		status = wait_for(child, milliseconds);
	if (status >= 0) {
		pass_on(files[0], stdout);
		pass_on(files[1], stderr);
	}
	close(files[0]);
	close(files[1]);
	return status;
}
