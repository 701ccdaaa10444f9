/* SPDX-License-Identifier: MIT */
/* Checks the processes that a person gives, before anything is touched. */
#include "pid_lists.h"

#include <stdlib.h>

#include "common/cli/message.h"
#include "threads.h"

static int check(const struct words *words, const char *option, const char *verb, int adds)
{
	for (size_t i = 0; i < words->count; i++) {
		struct pid_list threads = { 0 };
		int pid = pid_of_word(words->items[i]);

		if (!pid) {
			message("cannot %s: \"%s\" of %s is not the number of a process", verb,
				words->items[i], option);
			return EXIT_WRONG_USAGE;
		}
		if (adds && !threads_add(&threads, pid)) {
			message("cannot %s: there is no process %d, which %s gives", verb, pid,
				option);
			return EXIT_FAILED;
		}
		free(threads.pids);
	}
	return 0;
}

/* Whether words and a list have a thread in common: its number. */
static int common(const struct words *words, const struct pid_list *list)
{
	struct pid_list threads = { 0 };
	int pid = 0;

	for (size_t i = 0; i < words->count; i++)
		threads_add(&threads, pid_of_word(words->items[i]));
	for (size_t i = 0; i < threads.count && !pid; i++)
		if (pid_is_in(list, threads.pids[i]))
			pid = threads.pids[i];
	free(threads.pids);
	return pid;
}

static int check_both(const struct pid_wishes *wishes, const char *verb)
{
	struct pid_list except = { 0 };
	int pid;

	for (size_t i = 0; i < wishes->except.count; i++)
		threads_add(&except, pid_of_word(wishes->except.items[i]));
	pid = common(&wishes->only, &except);
	free(except.pids);
	if (!pid)
		return 0;
	message("cannot %s: --pid and --not-pid both name %d", verb, pid);
	return EXIT_WRONG_USAGE;
}

int pid_wishes_check(const struct pid_wishes *wishes, const char *verb, int adds)
{
	int status = check(&wishes->only, "--pid", verb, adds);

	if (!status)
		status = check(&wishes->except, "--not-pid", verb, adds);
	if (!status && adds)
		status = check_both(wishes, verb);
	if (status || (!wishes->only.count && !wishes->except.count) || pids_are_real())
		return status;
	message("cannot %s: processes have other numbers in this container than in the kernel; "
		"give those of the host, there", verb);
	return EXIT_FAILED;
}

int pid_lists_check(const struct pid_lists *lists, const struct pid_wishes *wishes)
{
	int pid = common(&wishes->only, &lists->except);

	if (pid) {
		message("cannot enable: %d is in set_event_notrace_pid, which prevails over "
			"--pid; take it out with: userevents disable --not-pid %d", pid, pid);
		return EXIT_FAILED;
	}
	if (!wishes->follows || wishes->only.count || wishes->except.count ||
	    lists->only.count || lists->except.count)
		return 0;
	message("cannot enable: --follow is for children of the processes that --pid or "
		"--not-pid gives, and there are none");
	return EXIT_WRONG_USAGE;
}
