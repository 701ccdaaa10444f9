/* SPDX-License-Identifier: MIT */
/* Makes instances for one run of a command, and removes them. */
#include "own_instance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "remove_histograms.h"

int own_instance_make(struct instance *instance, const char *tracefs, const char *purpose)
{
	char *name = own_name(purpose);
	int result = instance_open_or_make(instance, tracefs, name);

	free(name);
	return result;
}

/* The kernel frees triggers a moment later. */
#define TRIES 50
#define PAUSE { .tv_nsec = 20000000 }

static void complain(const struct instance *instance, size_t histograms)
{
	if (errno != EBUSY)
		message("cannot remove the instance %s: %s", instance->name, strerror(errno));
	else if (histograms)
		message("cannot remove the instance %s: the kernel keeps %zu of its histograms, "
			"which use each other; see the trigger files in %s/events",
			instance->name, histograms, instance->directory);
	else
		message("cannot remove the instance %s: a program has one of its files open, such "
			"as trace_pipe; end that first", instance->name);
}

int instance_remove(struct instance *instance)
{
	const struct timespec pause = PAUSE;
	size_t histograms;
	int result = -1;

	if (!instance->name)
		return -1;
	histograms = histograms_remove(instance);
	for (int i = 0; i < TRIES && result; i++) {
		result = rmdir(instance->directory);
		if (result && errno != EBUSY)
			break;
		if (result)
			nanosleep(&pause, NULL);
	}
	if (!result || errno == ENOENT)
		return 0;
	complain(instance, histograms);
	return -1;
}
