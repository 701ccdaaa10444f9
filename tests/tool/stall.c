/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the tool: the memory of process STALL does not come, as if its pages came
 * from a file system that does not answer. The kernel may not end who waits for that, so a
 * child that outlives it keeps what it has open, as long as that process lives.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pread64(int fd, void *to, size_t size, off64_t offset);

static int is_stalled(int fd)
{
	char link[64], path[64] = "", stalled[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(stalled, sizeof(stalled), "/proc/%s/mem", getenv("STALL"));
	length = readlink(link, path, sizeof(path) - 1);
	return length > 0 && !strcmp(path, stalled);
}

static void outlive(void)
{
	while (!kill((pid_t)atoi(getenv("STALL")), 0))
		usleep(10000);
	_exit(0);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t offset)
{
	if (is_stalled(fd) && !fork())
		outlive();
	while (is_stalled(fd))
		pause();
	return syscall(SYS_pread64, fd, to, size, offset);
}
