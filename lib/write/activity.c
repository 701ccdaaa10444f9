/* SPDX-License-Identifier: MIT */
/*
 * Make activity ids.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <userevents/activity.h>

#include "util/errno_guard.h"

/* Do not wait for the first randomness after boot (Linux 5.6; older headers lack it). */
#define WITHOUT_WAITING 4u

UE__PUBLIC int ue_activity_create(struct ue_activity *activity)
{
	UE__KEEP_ERRNO;
	long got;

	do {
		got = syscall(SYS_getrandom, activity->id, sizeof(activity->id),
			      WITHOUT_WAITING);
	} while (got < 0 && errno == EINTR);
	if (got != (long)sizeof(activity->id)) {
		memset(activity, 0, sizeof(*activity));
		return got < 0 ? -errno : -EIO;
	}
	activity->id[6] = (activity->id[6] & 0x0f) | 0x40;
	activity->id[8] = (activity->id[8] & 0x3f) | 0x80;
	return 0;
}
