/* SPDX-License-Identifier: MIT */
/*
 * Delete an event from the system.
 */
#include <errno.h>
#include <string.h>

#include <userevents/event.h>

#include "definition.h"
#include "errno_guard.h"
#include "kernel.h"
#include "session.h"

static int check_name(const char *name)
{
	int length = ue__definition_name(name, NULL);

	return length < 0 || name[length] ? -EINVAL : 0;
}

/*
 * On a session of its own: one that had the event registered would itself be a
 * user of it.
 */
UE_API int ue_delete(const char *name, const struct ue_open_opts *opts)
{
	UE__UNDISTURBED;
	int result = check_name(name), fd;

	if (result)
		return result;
	fd = ue_open(opts);
	if (fd < 0)
		return fd;
	/* a capture keeps no event */
	result = ue_abi(fd) == UE_ABI_CAPTURE ? -ENOENT : ue__kernel_delete(fd, name);
	ue_close(fd);
	return result;
}
