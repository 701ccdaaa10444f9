/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the tool: the memory of process STALL does not arrive, as if its pages
 * came from a server that does not answer.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_stalled(int fd)
{
	char link[64], stalled[64], path[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(stalled, sizeof(stalled), "/proc/%s/mem", getenv("STALL"));
	return readlink(link, path, sizeof(path) - 1) > 0 && !strcmp(path, stalled);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t offset)
{
	while (is_stalled(fd))
		pause();
	return syscall(SYS_pread64, fd, to, size, offset);
}
