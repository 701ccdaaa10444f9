/* SPDX-License-Identifier: MIT */
/*
 * The reader sleeps until a write. It announces that, fences the writers (membarrier(2)) and
 * looks once more: so either it sees the record, or the writer sees the announcement.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_reader.h"

/* Without a fence in each write, a writer may miss that the reader sleeps: so not long. */
#define UNFENCED_MS 10
/* To look after dead processes; and another reader may have changed the word. */
#define BURIAL_MS 100

int ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how)
{
	struct ue__ring *ring = reader->memory.ring;
	int is_fenced;

	if (!reader->is_woken)
		return ue__ring_has_more(reader) ? 0 : UNFENCED_MS;
	__atomic_store_n(&ring->sleeping, how, __ATOMIC_SEQ_CST);
	is_fenced = !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) &&
		    !__atomic_load_n(&ring->is_unfenced, __ATOMIC_SEQ_CST);
	if (ue__ring_has_more(reader)) {
		ue__ring_wake_up(reader);
		return 0;
	}
	return is_fenced ? BURIAL_MS : UNFENCED_MS;
}

void ue__ring_wake_up(struct ue__ring_reader *reader)
{
	if (reader->is_woken)
		__atomic_store_n(&reader->memory.ring->sleeping, UE__RING_AWAKE,
				 __ATOMIC_RELAXED);
}

void ue__ring_sleep(struct ue__ring_reader *reader, int milliseconds)
{
	const int most = ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX);
	struct timespec time;

	if (!most)
		return;
	if (milliseconds < 0 || most < milliseconds)
		milliseconds = most;
	if (!reader->is_woken) {
		poll(NULL, 0, milliseconds);
		return;
	}
	time = (struct timespec){ milliseconds / 1000, milliseconds % 1000 * 1000000l };
	syscall(SYS_futex, &reader->memory.ring->sleeping, FUTEX_WAIT, UE__RING_IN_FUTEX, &time,
		NULL, 0);
	ue__ring_wake_up(reader);
}
