/* SPDX-License-Identifier: MIT */
/*
 * Register and unregister the events of a module.
 */
#include <errno.h>

#include <userevents/classic_event.h>

#include "util/errno_guard.h"
#include "event.h"

/* Tell of a failure; the first of all. */
static int tell(const struct ue_event *event, int error, int first,
		ue_failure_fn *failed, void *context)
{
	if (failed)
		failed(event, error, context);
	return first ? first : error;
}

UE__PUBLIC int ue_register_range(int fd, struct ue_event **begin, struct ue_event **end,
			     ue_failure_fn *failed, void *context)
{
	UE__UNDISTURBED;
	int first = fd < 0 ? -EBADF : 0;
	unsigned patience = UE__PATIENCE; /* for all of them */

	for (struct ue_event **at = begin; fd >= 0 && at != end; at++) {
		int error = ue__register(fd, *at, &patience);

		if (error && error != -EALREADY)
			first = tell(*at, error, first, failed, context);
	}
	return first;
}

UE__PUBLIC int ue_unregister_range(struct ue_event **begin, struct ue_event **end,
			       ue_failure_fn *failed, void *context)
{
	int first = 0;

	for (struct ue_event **at = begin; at != end; at++) {
		int error = ue_unregister(*at);

		if (error && error != -ENOENT)
			first = tell(*at, error, first, failed, context);
	}
	return first;
}
