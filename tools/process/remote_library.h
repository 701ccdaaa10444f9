/* SPDX-License-Identifier: MIT */
/* Copies of the library in a process: shared, or linked into its program or plugins. */
#ifndef UE__TOOLS_PROCESS_REMOTE_LIBRARY_H
#define UE__TOOLS_PROCESS_REMOTE_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct library {
	char *path; /* of the file that it was loaded from, perhaps " (deleted)" */
	uint64_t overview; /* address of its struct ue_overview */
	uint64_t first;	   /* address of the pointer to its first session */
};

/* No honest process has more. */
#define LIBRARIES_MAX 64

struct libraries {
	struct library items[LIBRARIES_MAX];
	size_t count;
};

/*
 * Those that are loaded, and have the word size of this tool. 0, -EACCES or -EPERM
 * without the right to look, -ESRCH when the process has ended.
 */
int libraries_find(pid_t pid, struct libraries *libraries);

#endif
