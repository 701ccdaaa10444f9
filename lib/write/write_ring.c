/* SPDX-License-Identifier: MIT */
/*
 * Put a packed record into a ring. The check that every write makes for the kernel has failed,
 * as the binding of a ring's event has a bit more than the descriptor: so writes to the
 * kernel pay nothing for rings, and writes to a ring one jump.
 */
#include <errno.h>

#include "ring/write/ring_writer.h"
#include "send_packed.h"
#include "state/session.h"
#include "write.h"

/* NULL also if stacks are wanted. The writer has entered, so the session is not freed meanwhile. */
static inline struct ue__ring_writer *ring_of(uint64_t binding, int fd)
{
	const struct ue__session *session;

	if (!ue__is_in_ring_of(binding, fd))
		return NULL;
	session = ue__session_of_writer(fd);
	return session ? __atomic_load_n(&session->channel.quick_ring, __ATOMIC_RELAXED) : NULL;
}

int ue__end_elsewhere(int fd, char *record, size_t size, uint64_t binding,
		      struct ue_event *event, uint32_t *writers)
{
	struct ue__ring_writer *ring = ring_of(binding, fd);
	int result;

	if (__builtin_expect(!ring, 0))
		return ue__end_with_stack(fd, record, size, binding, event, writers);
	if (__builtin_expect(size - INDEX_SIZE > ue__payload_max_of(event), 0))
		return ue__end_failed(fd, event, -EMSGSIZE, writers);
	ue__set_index(record, binding);
	result = ue__ring_put(ring, record, (uint32_t)size);
	if (__builtin_expect(result, 0)) {
		if (result == UE__RING_STACKS_WANTED) /* not kept: no register is free for it */
			return ue__end_with_stack(fd, record, size, ue__binding_of(event), event,
						  writers);
		return ue__end_failed(fd, event, result, writers);
	}
	ue__leave(writers);
	return 0;
}
