/* SPDX-License-Identifier: MIT */
/*
 * Register and unregister the events of a module.
 */
#include <errno.h>

#include <userevents/static_event.h>

/* Tell of a failure; the first of all. */
static int tell(const struct ue_event *event, int error, int first,
		ue_failure_fn *failed, void *context)
{
	if (failed)
		failed(event, error, context);
	return first ? first : error;
}

UE_API int ue_register_range(int fd, struct ue_event **begin, struct ue_event **end,
			     ue_failure_fn *failed, void *context)
{
	int first = fd < 0 ? -EBADF : 0;

	for (struct ue_event **at = begin; fd >= 0 && at != end; at++) {
		int error = ue_register(fd, *at);

		if (error && error != -EALREADY)
			first = tell(*at, error, first, failed, context);
	}
	return first;
}

UE_API int ue_unregister_range(struct ue_event **begin, struct ue_event **end,
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
