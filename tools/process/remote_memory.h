/* SPDX-License-Identifier: MIT */
/*
 * The memory of another process: read, never written, and the process is not held. It may
 * change at any time, and have been made to deceive: no address in it is to be trusted,
 * and reading from any is safe.
 */
#ifndef UE__TOOLS_PROCESS_REMOTE_MEMORY_H
#define UE__TOOLS_PROCESS_REMOTE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct memory {
	int fd; /* /proc/PID/mem: of what the process is now, not of its successor */
	pid_t pid;
};

struct mapping {
	uint64_t begin, end;
	uint64_t offset; /* in its file */
	int is_readable, is_writable;
	int is_file;
	const char *path; /* as /proc/PID/maps has it */
};

/* 0 or -errno: -EACCES, -EPERM without the right, -ENOENT without the process. */
int memory_open(struct memory *memory, pid_t pid);
void memory_close(struct memory *memory);

/* Has the process ended, or become another program? Then there is nothing to read. */
int memory_is_over(const struct memory *memory);

/* All of it, or -EFAULT. */
int memory_read(const struct memory *memory, uint64_t address, void *to, size_t size);

/*
 * Text up to its NUL or size - 1 bytes; what lies behind it need not be readable. Its
 * length, or -EFAULT.
 */
int memory_text(const struct memory *memory, uint64_t address, char *to, size_t size);

/* Call for each mapping, until it returns other than 0. 0, that, or -errno. */
int memory_each(const struct memory *memory,
		int (*call)(const struct mapping *mapping, void *context), void *context);

#endif
