/* SPDX-License-Identifier: MIT */
/*
 * Enable and disable events of a ring.
 */
#include <errno.h>
#include <fcntl.h>

#include <userevents/ring.h>

#include "events.h"
#include "ring_memory.h"
#include "util/errno_guard.h"

static int change(int fd, char sign, const char *glob)
{
	struct ue__ring_memory memory;
	int result = ue__ring_map(&memory, fd);

	if (result)
		return result;
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR)
		result = ue__ring_change_rules(&memory, fd, sign, glob);
	else
		result = -EACCES;
	ue__ring_unmap(&memory);
	return result;
}

UE__PUBLIC int ue_ring_enable(int fd, const char *glob)
{
	UE__UNDISTURBED;

	return change(fd, '+', glob);
}

UE__PUBLIC int ue_ring_disable(int fd, const char *glob)
{
	UE__UNDISTURBED;

	return change(fd, '-', glob);
}
