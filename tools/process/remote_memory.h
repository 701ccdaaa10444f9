/* SPDX-License-Identifier: MIT */
/*
 * The memory of another process, which is read and never written, and is not stopped. It
 * may change at any time and may have been made to deceive: no address in it is trusted,
 * and reading any address is safe.
 */
#ifndef UE__TOOLS_PROCESS_REMOTE_MEMORY_H
#define UE__TOOLS_PROCESS_REMOTE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read all of it: 0, -EFAULT, -EPERM without the right, -ESRCH without the process. */
int memory_read(pid_t pid, uint64_t address, void *to, size_t size);
/* Read text up to its NUL, or as much of it as fits: its length or -errno. */
int memory_text(pid_t pid, uint64_t address, char *to, size_t size);

#endif
