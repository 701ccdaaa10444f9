/* SPDX-License-Identifier: MIT */
/*
 * Wait for writes that are in flight.
 *
 * A write loads the event's binding (which descriptor, which index) and then makes a
 * system call with it. Between the two, another thread may close the session, and a
 * third one open a file that gets the descriptor's number: the record would go there.
 * No look afterwards mends that, so the number must not be given back while anybody may
 * still use it.
 *
 * Therefore each write counts itself in a stripe, before it loads the binding, and out
 * when its system call has returned. To close is to take the binding away, and then to
 * see every stripe at zero, each at some moment of its own. That is enough: the
 * operations named here are sequentially consistent, so a writer counted in before the
 * zero was seen was counted out before it, too, and one counted in after it finds the
 * binding gone. New writers do not prolong the wait for a stripe for ever, as each
 * moment without any will do; nor does it need all stripes at once.
 *
 * A thread that never counts itself out (blocked in the write of another session,
 * cancelled asynchronously, or it left a signal handler with longjmp()) holds up one
 * stripe. The wait is bounded, and what is done then is in close.c.
 *
 * An unregistered event needs no such care: its index means the same event for as long
 * as the file is open.
 *
 * There is no per-thread memory in this, nothing to set up in a signal handler or to tear
 * down with a thread, and a write pays for it two locked additions to a cache line that it
 * mostly has for itself: six instructions on x86-64, these included.
 */
#include <string.h>

#include "in_flight.h"

/* The second is for children: see ue__none_in_flight(). */
static uint32_t stripes[2][UE__STRIPES] __attribute__((aligned(64)));

uint32_t *ue__stripes = stripes[0];

void ue__all_in_flight(struct ue__in_flight *set)
{
	/* After the bindings, which the caller has taken away. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memset(set->may, 0xff, sizeof(set->may));
}

int ue__still_in_flight(struct ue__in_flight *set)
{
	int still = 0;

	for (unsigned i = 0; i < UE__STRIPES; i++)
		if (!__atomic_load_n(&ue__stripes[i], __ATOMIC_SEQ_CST))
			set->may[i / 8] &= (unsigned char)~(1u << i % 8);
	for (unsigned i = 0; i < sizeof(set->may); i++)
		still |= set->may[i];
	return still;
}

/*
 * The writes of the parent's other threads never end here. Those of this thread do, when
 * it forked in a signal handler that interrupted one: it counts itself out where it
 * counted itself in, in the stripes that no longer count.
 */
void ue__none_in_flight(void)
{
	uint32_t *other = stripes[ue__stripes == stripes[0]];

	memset(other, 0, sizeof(stripes[0]));
	__atomic_store_n(&ue__stripes, other, __ATOMIC_RELEASE);
}
