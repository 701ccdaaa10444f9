/* SPDX-License-Identifier: MIT */
/*
 * Enable and disable events of a ring.
 */
#include <errno.h>

#include <userevents/ring.h>

#include "events.h"
#include "ring_memory.h"
#include "util/errno_guard.h"

static int map(int fd, struct ue__ring_memory *memory)
{
	const int result = ue__ring_map(memory, fd);

	if (result || memory->is_writable)
		return result;
	ue__ring_unmap(memory);
	return -EACCES;
}

static int change(int fd, char sign, const char *glob)
{
	struct ue__ring_memory memory;
	int result = map(fd, &memory);

	if (result)
		return result;
	result = ue__ring_change_rules(&memory, fd, sign, glob);
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

UE__PUBLIC int ue_ring_end(int fd)
{
	UE__UNDISTURBED;
	struct ue__ring_memory memory;
	int result = map(fd, &memory);

	if (result)
		return result;
	result = ue__ring_add_rule(&memory, '-', "*");
	ue__ring_unmap(&memory);
	return result;
}
