/* SPDX-License-Identifier: MIT */
/*
 * The stack of a thread that writes, and records that have it.
 *
 * A reader that shows the stack needs to know which files the process had mapped where, also
 * after the process has crashed. So the process itself writes that into the ring, as events
 * with the definition UE__MAPPING_EVENT (ring/events.h), of which each is a mapping with code:
 * before its first stack, when a stack leads into code that is not described yet, when another
 * reader begins, and again now and then, as a ring that overwrites loses the oldest.
 */
#ifndef UE__RING_STACK_H
#define UE__RING_STACK_H

#include <stdint.h>
#include <sys/uio.h>

#include "ring_writer.h"

struct ue__walked {
	uint64_t frames[UE__RING_FRAMES_MOST];
	uint32_t count;
	int is_cut; /* memory could not be read */
};

/*
 * Walk up from a frame by frame pointers, whatever is in them: the first address is the one
 * that this frame's function returns to. most: from 1 to UE__RING_FRAMES_MOST. Any thread, in
 * signal handlers; no access to memory faults.
 */
void ue__walk_stack(const void *frame, uint32_t most, struct ue__walked *walked);

/*
 * Write an index, a payload of length bytes in pieces, and the stack from a frame on, in which
 * the caller, if it is not NULL, is the first address. As ue__ring_putv().
 */
int ue__ring_put_stack(struct ue__ring_writer *writer, uint32_t index, const struct iovec *iov,
		       int count, uint32_t length, const void *frame, const void *caller);

#endif
