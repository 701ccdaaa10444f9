/* SPDX-License-Identifier: MIT */
/*
 * The child writes into pipes, and is not waited for when it is killed: the kernel may
 * not let it go, not even then, while it waits for memory from a FUSE file system whose
 * server has taken the request and does not answer. It must hold nothing that others
 * wait for.
 */
#include "isolated_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT, ERRORS, PIPES };

struct child {
	pid_t pid;
	struct pollfd pipes[PIPES];
	int64_t left; /* ms to wait for it */
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void close_pair(const int *ends)
{
	close(ends[0]);
	close(ends[1]);
}

static int open_pipes(int ends[PIPES][2])
{
	int error;

	if (pipe2(ends[OUTPUT], O_CLOEXEC))
		return -errno;
	if (!pipe2(ends[ERRORS], O_CLOEXEC))
		return 0;
	error = -errno;
	close_pair(ends[OUTPUT]);
	return error;
}

static _Noreturn void be_child(int ends[PIPES][2], int (*call)(const void *context),
			       const void *context)
{
	int result;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(ends[OUTPUT][1], STDOUT_FILENO);
	dup2(ends[ERRORS][1], STDERR_FILENO);
	close_pair(ends[OUTPUT]);
	close_pair(ends[ERRORS]);
	result = call(context);
	fflush(stdout);
	_exit(result);
}

static int start(struct child *child, int (*call)(const void *context),
		 const void *context)
{
	int ends[PIPES][2], error = open_pipes(ends);

	if (error)
		return error;
	fflush(stdout);
	child->pid = fork();
	if (!child->pid)
		be_child(ends, call, context);
	error = -errno;
	for (int i = 0; i < PIPES; i++) {
		close(ends[i][1]);
		child->pipes[i] = (struct pollfd){ ends[i][0], POLLIN, 0 };
	}
	return child->pid < 0 ? error : 0;
}

static void pass_on(struct pollfd *from, FILE *to)
{
	char bytes[65536];
	ssize_t count;

	if (!from->revents)
		return;
	count = read(from->fd, bytes, sizeof(bytes));
	if (count > 0) {
		if (to == stderr)
			fflush(stdout);
		fwrite(bytes, 1, (size_t)count, to);
	} else if (!count || errno != EINTR) {
		close(from->fd);
		from->fd = -1;
	}
}

/* All that it writes. */
static int listen_to(struct child *child)
{
	while (child->pipes[OUTPUT].fd >= 0 || child->pipes[ERRORS].fd >= 0) {
		const int64_t begin = now();
		int ready = poll(child->pipes, PIPES, (int)child->left);

		child->left -= now() - begin;
		if (child->left <= 0)
			return -ETIMEDOUT;
		if (ready <= 0)
			continue;
		pass_on(&child->pipes[OUTPUT], stdout);
		pass_on(&child->pipes[ERRORS], stderr);
		if (ferror(stdout))
			return -EPIPE;
	}
	return 0;
}

int apart_call(int (*call)(const void *context), const void *context, int seconds,
	       int *status)
{
	struct child child = {
		.pipes = { { .fd = -1 }, { .fd = -1 } },
		.left = (int64_t)seconds * 1000,
	};
	int result = start(&child, call, context);

	if (!result) {
		result = listen_to(&child);
		if (result)
			kill(child.pid, SIGKILL);
		while (!result && waitpid(child.pid, status, 0) < 0)
			if (errno != EINTR)
				result = -errno;
	}
	for (int i = 0; i < PIPES; i++)
		if (child.pipes[i].fd >= 0)
			close(child.pipes[i].fd);
	return result;
}
