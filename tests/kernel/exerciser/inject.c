/* SPDX-License-Identifier: MIT */
/*
 * Lets the kernel fail inside a random operation, by its fault injection: an allocation
 * or a copy from the program's memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exerciser.h"

#define DEBUG "/sys/kernel/debug/"

static __thread int is_armed;

static void set(const char *name, const char *value)
{
	char path[100];

	snprintf(path, sizeof(path), DEBUG "%s", name);
	put(path, O_WRONLY, value);
}

/* Most allocations may wait, and the kernel excludes those by default. */
void prepare_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc",
					     "fail_usercopy" };
	char name[60];

	if (access(DEBUG "failslab", F_OK))
		mount("nodev", "/sys/kernel/debug", "debugfs", 0, NULL);
	with_faults = !access("/proc/thread-self/fail-nth", F_OK) &&
		      !access(DEBUG "failslab", F_OK);
	/*
	 * The first listener of any event registers a probe for the names of processes. The
	 * kernel (tracing_start_sched_switch(), 6.1 and 6.12) does not notice if that fails, and
	 * warns when it later removes the probe. So there is a first listener already, to
	 * events that only happen at boot.
	 */
	put(TRACING "events/initcall/enable", O_WRONLY, "1");
	set("failslab/ignore-gfp-wait", "N");
	set("fail_page_alloc/ignore-gfp-wait", "N");
	set("fail_page_alloc/min-order", "0");
	for (unsigned i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s/verbose", kinds[i]);
		set(name, "0");
	}
}

static long set_counter(const char *value)
{
	return put("/proc/thread-self/fail-nth", O_WRONLY, value);
}

/* Small numbers are likelier, as most operations allocate little. */
void arm(struct worker *worker)
{
	unsigned nth = 1 + below(worker, 1 + below(worker, 60)),
		 is_due = one_in(worker, 6);
	char value[16];

	if (!with_faults || !is_due)
		return;
	/* close() of the counter's file comes after it was set, and allocates nothing. */
	snprintf(value, sizeof(value), "%u", nth);
	is_armed = set_counter(value) > 0;
}

/* Opening the file to disarm may be what fails. */
void disarm(void)
{
	for (int i = 0; is_armed && i < 100; i++)
		if (set_counter("0") > 0)
			is_armed = 0;
	is_armed = 0;
}
