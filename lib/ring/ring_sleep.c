/* SPDX-License-Identifier: MIT */
/*
 * The reader sleeps for a moment. No write wakes it, but one that needs it: half of the pages
 * were opened since its last look, or there is none. A writer that misses the announcement
 * of its sleep, as they look and store at the same time, costs no more than that moment.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_reader.h"

/*
 * Milliseconds: events are read, and dead processes looked after, so often. An idle reader costs
 * as many looks at its ring.
 */
#define LOOK_MS 50

int ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how)
{
	if (reader->is_woken)
		__atomic_store_n(&reader->memory.ring->sleeping, how, __ATOMIC_SEQ_CST);
	if (!ue__ring_has_more(reader))
		return LOOK_MS;
	ue__ring_wake_up(reader);
	return 0;
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
