/* SPDX-License-Identifier: MIT */
/*
 * Write into a ring from which some reader wants stacks, or which seeks its reader.
 *
 * The usual way into a ring (write_ring.c) looks for nothing of the kind. When stacks are
 * wanted, the session's quick ring is NULL, so that the check that this way makes anyway leads
 * here. A process learns of it when it opens a page (ring/layout.h). A ring that is offered to
 * collectors (socket/offer_ring.c) has no quick one at all.
 */
#include <errno.h>

#include "ring/events.h"
#include "ring/write/stack.h"
#include "send_packed.h"
#include "socket/offer_ring.h"
#include "state/binding.h"
#include "state/session.h"
#include "util/errno_guard.h"
#include "write.h"

#define NOINLINE __attribute__((noinline))

/*
 * Go the usual way, or no longer. The stored value is compared, as threads may meet here.
 */
static void learn(struct ue__session *session)
{
	struct ue__ring_writer *ring = session->channel.ring;
	const uint32_t *wants = &ring->memory.ring->wants_stacks;
	uint32_t is_wanted;

	do {
		is_wanted = __atomic_load_n(wants, __ATOMIC_SEQ_CST) != 0;
		if (!session->channel.offer)
			__atomic_store_n(&session->channel.quick_ring,
					 is_wanted ? NULL : ring, __ATOMIC_SEQ_CST);
		__atomic_store_n(&ring->looks_for_stacks, is_wanted, __ATOMIC_SEQ_CST);
	} while (is_wanted != (__atomic_load_n(wants, __ATOMIC_SEQ_CST) != 0));
}

static struct ue__session *session_of(uint64_t binding, int fd)
{
	struct ue__session *session;

	if (!ue__is_in_ring_of(binding, fd))
		return NULL;
	session = ue__session_of_writer(fd);
	return session && session->channel.ring ? session : NULL;
}

/* A program that closed the descriptor has nothing left to offer. */
static __attribute__((noinline, cold)) void offer(const struct ue__session *session)
{
	UE__UNDISTURBED;

	if (ue__session_is_open(session))
		ue__offer_ring(session->channel.offer, session->channel.fd);
}

static void look_for_reader(const struct ue__session *session)
{
	struct ue__offer *const own = session->channel.offer;

	if (__builtin_expect(!ue__ring_is_unseen(session->channel.ring), 1))
		ue__offer_was_taken(own);
	else if (ue__offer_is_due(own))
		offer(session);
}

/* Whether the stack of the event is wanted. */
static int looks(struct ue__session *session, uint64_t binding)
{
	struct ue__ring_writer *ring = session->channel.ring;
	const int wants = __atomic_load_n(&ring->memory.ring->wants_stacks, __ATOMIC_RELAXED) != 0;

	if (session->channel.offer)
		look_for_reader(session);
	else if (wants !=
		 (__atomic_load_n(&session->channel.quick_ring, __ATOMIC_RELAXED) == NULL))
		learn(session);
	return wants && ue__ring_wants_stack(&ring->memory, ue__binding_index(binding));
}

struct ue__ring_writer *ue__ring_of(uint64_t binding, int fd)
{
	struct ue__session *session = session_of(binding, fd);

	return session ? session->channel.ring : NULL;
}

/* The stack begins with this frame, which thus is no other function's. */
NOINLINE int ue__put_pieces(int fd, uint64_t binding, const struct iovec *iov, int count,
			    uint32_t length, const void *caller)
{
	struct ue__session *session = session_of(binding, fd);
	const uint32_t index = ue__binding_index(binding);

	if (!session)
		return -EBADF;
	if (looks(session, binding))
		return ue__ring_put_stack(session->channel.ring, index, iov, count, length,
					  __builtin_frame_address(0), caller);
	return ue__ring_putv(session->channel.ring, index, iov, count,
			     (uint32_t)INDEX_SIZE + length);
}

/* An event without a stack, in the usual way, which may learn that stacks are wanted now. */
static int put(struct ue__ring_writer *ring, char *record, size_t size, uint64_t binding)
{
	const struct iovec piece = { record + INDEX_SIZE, size - INDEX_SIZE };
	int result;

	ue__set_index(record, binding);
	result = ue__ring_put(ring, record, (uint32_t)size);
	return result == UE__RING_STACKS_WANTED ?
		       ue__ring_putv(ring, ue__binding_index(binding), &piece, 1,
				     (uint32_t)size) :
		       result;
}

NOINLINE int ue__end_with_stack(int fd, char *record, size_t size, uint64_t binding,
				struct ue_event *event, uint32_t *writers)
{
	struct ue__session *session = session_of(binding, fd);
	const struct iovec piece = { record + INDEX_SIZE, size - INDEX_SIZE };
	const uint32_t index = ue__binding_index(binding);
	int result;

	if (!session)
		return ue__end_unbound(fd, event, binding, writers);
	if (size - INDEX_SIZE > ue__payload_max_of(event))
		return ue__end_failed(fd, event, -EMSGSIZE, writers);
	if (looks(session, binding))
		result = ue__ring_put_stack(session->channel.ring, index, &piece, 1,
					    (uint32_t)piece.iov_len, __builtin_frame_address(0),
					    __builtin_return_address(0));
	else
		result = put(session->channel.ring, record, size, binding);
	return ue__end(fd, event, result, writers);
}
