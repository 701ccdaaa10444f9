/* SPDX-License-Identifier: MIT */
/*
 * Wait for writes that are in flight.
 *
 * A write loads the event's binding (which descriptor, which index) and then makes a
 * system call with it. Between the two, another thread may close the session, and a
 * third one open a file that gets the descriptor's number: the record would go there.
 * Checking afterwards cannot repair it, so the number must not be given back while a writer
 * may still use it.
 *
 * Therefore each write counts itself in a stripe, before it loads the binding, and out
 * when its system call has returned. To close is to take the binding away, and then to
 * see every stripe at zero, each at some moment of its own. That is enough: the
 * operations named here are sequentially consistent, so a writer counted in before the
 * zero was seen was counted out before it, too, and one counted in after it finds the
 * binding gone.
 *
 * On a busy machine a stripe may hardly ever be seen at zero. So there are two sets of
 * stripes, and writers are sent to the other one when all of that has been seen at zero:
 * a set that no writer enters empties. A writer that was on its way in meanwhile finds the
 * binding gone, as before: it does not matter which set a writer counts in.
 *
 * A thread that never counts itself out (blocked in the write of another session,
 * cancelled asynchronously, or it left a signal handler with longjmp()) holds up one
 * stripe. The wait is bounded, and what is done then is in connect/close.c.
 *
 * An unregistered event needs no such care: its index means the same event for as long
 * as the file is open.
 *
 * There is no per-thread memory in this, nothing to set up in a signal handler or to tear
 * down with a thread, and a write pays for it two locked additions to a cache line that
 * it mostly has for itself: six instructions on x86-64, these included.
 */
#include <string.h>

#include "in_flight.h"

static struct ue__writers *const it = &ue__process.writers;

static unsigned current(void)
{
	return it->entered == it->stripes[1];
}

static void send_writers_to(unsigned set)
{
	__atomic_store_n(&it->entered, it->stripes[set], __ATOMIC_RELEASE);
}

void ue__all_in_flight(struct ue__in_flight *set)
{
	memset(set->may, 0xff, sizeof(set->may));
}

static int is_any_left(unsigned char *may, const uint32_t *writers)
{
	int left = 0;

	for (unsigned i = 0; i < UE__STRIPES; i++)
		if (may[i / 8] & 1u << i % 8 &&
		    !__atomic_load_n(&writers[i], __ATOMIC_SEQ_CST))
			may[i / 8] &= (unsigned char)~(1u << i % 8);
	for (unsigned i = 0; i < UE__STRIPES / 8; i++)
		left |= may[i];
	return left;
}

static int is_current_left(struct ue__in_flight *set)
{
	return is_any_left(set->may[current()], it->stripes[current()]);
}

static int is_other_left(struct ue__in_flight *set)
{
	const unsigned other = !current();

	return !it->is_other_void && is_any_left(set->may[other], it->stripes[other]);
}

int ue__still_in_flight(struct ue__in_flight *set)
{
	int in_other = is_other_left(set);
	int in_current = is_current_left(set);

	if (in_current && !in_other && !it->is_other_void)
		send_writers_to(!current());
	return in_current || in_other;
}

static int is_any_in_flight(void)
{
	struct ue__in_flight all;

	ue__all_in_flight(&all);
	return is_current_left(&all) || is_other_left(&all);
}

/*
 * The writes of the parent's other threads never end here. A write of this thread does, if
 * the fork happened in a signal handler that interrupted it: it counts itself out of the
 * stripe that it counted itself into. So the child uses one set alone from now on, the one
 * that the parent had left, and never looks at the other.
 *
 * If such a child forks again in a handler that interrupts a write, the grandchild goes
 * back to the first set, where the write of its grandparent leaves a stripe below zero.
 * From then on each ue_close() there waits as long as it does for a stuck writer.
 */
void ue__forget_writers(void)
{
	if (!is_any_in_flight())
		return;
	memset(it->stripes[!current()], 0, sizeof(it->stripes[0]));
	send_writers_to(!current());
	it->is_other_void = 1;
}
