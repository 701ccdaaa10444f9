/* SPDX-License-Identifier: MIT */
/* Prints what a thread did. */
#include "sched.h"

#include "common/text/amount.h"

const char *const thread_state_names[THREAD_STATES] = {
	[THREAD_RUNNING] = "ran",
	[THREAD_RUNNABLE] = "runnable",
	[THREAD_BLOCKED] = "blocked",
	[THREAD_UNINTERRUPTIBLE] = "uninterruptible",
	[THREAD_UNKNOWN] = "unknown",
};

uint64_t thread_times_part(const struct thread_times *times, enum thread_state state)
{
	return times->of[state] +
	       (state == THREAD_BLOCKED ? times->of[THREAD_UNINTERRUPTIBLE] : 0);
}

double thread_times_percent(const struct thread_times *times, enum thread_state state)
{
	uint64_t whole = 0;

	for (int i = 0; i < THREAD_STATES; i++)
		whole += times->of[i];
	return whole ? 100.0 * (double)thread_times_part(times, state) / (double)whole :
		       0;
}

static void put_state(const struct thread_times *times, enum thread_state state,
		      int is_first, struct bytes *to)
{
	char duration[QUANTITY_TEXT_MAX];

	quantity_text(duration, (double)thread_times_part(times, state), UNIT_NS);
	if (state == THREAD_UNINTERRUPTIBLE)
		bytes_addf(to, " (%s %s)", thread_state_names[state], duration);
	else
		bytes_addf(to, "%s%s %s %.0f%%", is_first ? "" : ", ",
			   thread_state_names[state], duration,
			   thread_times_percent(times, state));
}

void thread_times_put(const struct thread_times *times, struct bytes *to)
{
	const size_t begun = to->length;

	for (int i = 0; i < THREAD_STATES; i++)
		if (thread_times_part(times, i))
			put_state(times, i, to->length == begun, to);
}
