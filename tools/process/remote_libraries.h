/* SPDX-License-Identifier: MIT */
/* Copies of the library in a process: shared, or linked into its program or plugins. */
#ifndef UE__TOOLS_PROCESS_REMOTE_LIBRARIES_H
#define UE__TOOLS_PROCESS_REMOTE_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

#include "remote_memory.h"

struct copy {
	char *path; /* of the file it came from, perhaps " (deleted)" */
	uint64_t overview; /* address of its struct ue_overview */
	uint64_t first;	   /* address of the pointer to its first session */
	uint64_t header;   /* address of that of its file */
	uint64_t data;	   /* address of the segment that has the latter */
	uint64_t data_offset; /* and where it comes from in the file */
	uint32_t pointer_size;
	int is_writable, is_in_place; /* both: loaded, not merely a file that is looked at */
};

/* More than a process has that is not made to have them. */
#define COPIES_MAX 64

struct copies {
	struct copy items[COPIES_MAX];
	size_t count;
};

/* Those that are live. 0, or -errno when the process cannot be looked at. */
int copies_find(const struct memory *memory, struct copies *copies);
void copies_free(struct copies *copies);

#endif
