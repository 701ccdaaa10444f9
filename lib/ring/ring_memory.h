/* SPDX-License-Identifier: MIT */
/* The memory of a ring: make it, map it, and check another process's claims about it. */
#ifndef UE__RING_RING_MEMORY_H
#define UE__RING_RING_MEMORY_H

#include "layout.h"

/* A wish. Bytes are rounded to whole pages. */
struct ue__ring_plan {
	uint64_t size; /* of the file */
	uint32_t mode; /* enum ue__ring_mode */
	int wants_names;
};

/*
 * Make a ring in an empty file and allocate its space. 0, -EINVAL for a size out of bounds
 * or an unknown mode, or an error of ftruncate(2) and posix_fallocate(3): -ENOSPC.
 * is_lazy: of a memfd, whose memory is used as pages are written.
 */
int ue__ring_format(int fd, const struct ue__ring_plan *plan, int is_lazy);

/*
 * Map the ring of a file. Everything that is used later is checked here, and copied.
 *
 * 0, or -ENOTTY: this is no ring; -EPROTONOSUPPORT: another version or byte order; -EBADMSG:
 * its header is damaged, or the file was cut; and errors of fstat(2), mmap(2). Through a
 * descriptor that is open for reading alone the memory can only be read.
 */
int ue__ring_map(struct ue__ring_memory *memory, int fd);
/* It is also mapped there, and used there from now on. */
void ue__ring_move(struct ue__ring_memory *memory, char *map);
void ue__ring_unmap(struct ue__ring_memory *memory);

/* 1 if a file begins as a ring does, whatever its version. */
int ue__ring_is_one(int fd);

/* The kernel's name of this boot, in 40 bytes; zeros if it cannot be read. */
void ue__ring_read_boot(char *boot);

#endif
