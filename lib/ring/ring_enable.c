/* SPDX-License-Identifier: MIT */
/*
 * Enable and disable events of a ring.
 */
#include <errno.h>
#include <string.h>

#include <userevents/ring.h>

#include "events.h"
#include "ring_memory.h"
#include "rules.h"
#include "util/errno_guard.h"

static int map(int fd, struct ue__ring_memory *memory)
{
	const int result = ue__ring_map(memory, fd);

	if (result || memory->is_writable)
		return result;
	ue__ring_unmap(memory);
	return -EACCES;
}

static int change(int fd, char sign, const char *glob, uint32_t frames)
{
	struct ue__ring_memory memory;
	int result = map(fd, &memory);

	if (result)
		return result;
	result = ue__ring_change_rules(&memory, fd, sign, glob, frames);
	ue__ring_unmap(&memory);
	return result;
}

UE__PUBLIC int ue__ring_rule(int fd, char sign, const char *glob, uint32_t frames)
{
	UE__UNDISTURBED;

	return frames > UE__RING_FRAMES_ASKED ? -EINVAL : change(fd, sign, glob, frames);
}

UE__PUBLIC int ue_ring_rules(int fd, char *text, size_t room)
{
	UE__UNDISTURBED;
	struct ue__ring_memory memory;
	char rules[UE__RING_RULES];
	int result = ue__ring_map(&memory, fd);
	uint32_t length;

	if (result)
		return result;
	length = ue__ring_rules(&memory, rules);
	ue__ring_unmap(&memory);
	if (length >= room)
		return -ENOSPC;
	memcpy(text, rules, length);
	text[length] = '\0';
	return (int)length;
}

UE__PUBLIC int ue_ring_end(int fd)
{
	UE__UNDISTURBED;
	struct ue__ring_memory memory;
	int result = map(fd, &memory);

	if (result)
		return result;
	result = ue__ring_add_rule(&memory, UE__RULE_DISABLES, "*");
	ue__ring_unmap(&memory);
	return result;
}
