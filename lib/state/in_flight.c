/* SPDX-License-Identifier: MIT */
/*
 * Wait for writes that are in flight.
 *
 * A write loads the event's binding (which descriptor, which index) and then makes a
 * system call with it. Between the two, another thread may close the session, and a
 * third one open a file that gets the descriptor's number: the record would go there.
 * Checking afterwards cannot repair it, so the number must not be released while a
 * writer may still use it.
 *
 * Therefore each write counts itself in, in a stripe, before it loads the binding, and
 * out when its system call has returned. ue_close() removes the binding and then waits
 * until it has seen every stripe at zero, each at some moment of its own. That is enough: the
 * operations named here are sequentially consistent, so a writer that was counted in
 * before the zero was seen was counted out before it, too, and one that was counted in
 * after it finds the binding gone.
 *
 * On a busy machine a stripe may hardly ever be seen at zero. So there are two sets of
 * counters, and writers are sent to the other set once all of that has been seen at zero:
 * a set that no writer enters empties. A writer that was on its way in meanwhile finds the
 * binding gone, as before: it does not matter which set a writer counts in.
 *
 * A thread that never counts itself out (blocked in the write of another session,
 * cancelled asynchronously, or it left a signal handler with longjmp()) holds up one
 * stripe. The wait is bounded; connect/close.c explains the consequence.
 *
 * An unregistered event needs no such care: its index means the same event for as long
 * as the file is open.
 *
 * Each stripe has a cache line for itself, with one counter for each set, as a thread
 * that writes uses one set at a time. More sets than two serve forks, below.
 *
 * This needs no memory per thread, no preparation in a signal handler, and no clean-up
 * when a thread ends. A write pays two locked additions to a cache line that it
 * usually has for itself: seven instructions on x86-64, including these.
 */
#include <string.h>

#include "in_flight.h"

struct ue__stripe ue__stripes[UE__STRIPES];

static struct ue__writers *const it = &ue__process.writers;

/* The one of the two sets that writers enter: 0 or 1. */
static unsigned current(void)
{
	return it->entered == &ue__stripes[0].writers[it->sets[1]];
}

static void send_writers_to(unsigned which)
{
	__atomic_store_n(&it->entered, &ue__stripes[0].writers[it->sets[which]],
			 __ATOMIC_RELEASE);
}

void ue__all_in_flight(struct ue__in_flight *set)
{
	memset(set->may, 0xff, sizeof(set->may));
}

/*
 * The stripes, of eight, that have writers: a bit for each. Mostly none has. first: the
 * counter of the first one.
 */
#define STRIDE (sizeof(struct ue__stripe) / sizeof(*first))
#define WRITERS(i) __atomic_load_n(first + (i) * STRIDE, __ATOMIC_SEQ_CST)
static unsigned entered(const uint32_t *first)
{
	unsigned result = 0;

	if (!(WRITERS(0) | WRITERS(1) | WRITERS(2) | WRITERS(3) | WRITERS(4) |
	      WRITERS(5) | WRITERS(6) | WRITERS(7)))
		return 0;
	for (unsigned i = 0; i < 8; i++)
		if (WRITERS(i))
			result |= 1u << i;
	return result;
}
#undef WRITERS
#undef STRIDE

static int is_any_left(struct ue__in_flight *in_flight, unsigned which)
{
	const unsigned set = it->sets[which];
	unsigned char *may = in_flight->may[which], left = 0;

	for (unsigned i = 0; i < UE__STRIPES / 8; i++) {
		const uint32_t *first = &ue__stripes[8 * i].writers[set];

		if (may[i])
			may[i] &= (unsigned char)entered(first);
		left |= may[i];
	}
	return left;
}

int ue__still_in_flight(struct ue__in_flight *set)
{
	const unsigned at = current();
	const int in_other = is_any_left(set, !at), in_current = is_any_left(set, at);

	if (in_current && !in_other)
		send_writers_to(!at);
	return in_current || in_other;
}

/* Replaces a set that has writers, while there are sets that were never used. */
static int replace_if_entered(unsigned which)
{
	struct ue__in_flight all;

	ue__all_in_flight(&all);
	if (!is_any_left(&all, which))
		return 0;
	if (it->used < UE__SETS)
		it->sets[which] = it->used++;
	return 1;
}

/*
 * The writes of the parent's other threads never end here. A write of this thread does, if
 * the fork happened in a signal handler that interrupted it: it counts itself out of the
 * stripe that it counted itself into. So the child replaces the sets that have writers
 * and never looks at those again.
 *
 * No unused set is left after 7 to 14 such forks, each in a child of the one before. If another
 * thread was writing at the next one, each ue_close() in its child waits as long as it does
 * for a stuck writer.
 */
int ue__forget_writers(void)
{
	const unsigned at = current();
	const int is_other_free = !replace_if_entered(!at);
	const int is_entered = replace_if_entered(at);

	if (is_entered)
		send_writers_to(is_other_free ? !at : at);
	return is_entered || !is_other_free;
}
