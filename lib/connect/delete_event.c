/* SPDX-License-Identifier: MIT */
/*
 * Delete an event from the system.
 */
#include <errno.h>
#include <string.h>

#include <userevents/event.h>

#include "describe/definition.h"
#include "util/errno_guard.h"
#include "event.h"
#include "kernel/kernel.h"
#include "state/registration.h"
#include "state/session.h"

static int check_name(const char *name)
{
	int length = ue__definition_name(name, NULL);

	return length < 0 || name[length] ? -EINVAL : 0;
}

static int is_used_here(const char *name)
{
	int result;

	ue__lock();
	result = ue__name_is_used(name);
	ue__unlock();
	return result;
}

/* From Linux 6.4 on the kernel counts the last user for some time after it has gone. */
static int delete_patiently(int fd, const char *name)
{
	unsigned patience = ue_abi(fd) == UE_ABI_ENABLE_ADDRESS ? UE__PATIENCE : 0;
	unsigned wait = 1;
	int result;

	while ((result = ue__kernel_delete(fd, name)) == -EBUSY && patience &&
	       !is_used_here(name))
		ue__wait_patiently(&wait, &patience);
	return result;
}

/*
 * On a session of its own: one that had the event registered would itself be a
 * user of it.
 */
UE__PUBLIC int ue_delete(const char *name, const struct ue_open_opts *opts)
{
	UE__UNDISTURBED;
	int result = check_name(name), fd;

	if (result)
		return result;
	fd = ue_open(opts);
	if (fd < 0)
		return fd;
	/* a capture keeps no event */
	result = ue_abi(fd) == UE_ABI_CAPTURE ? -ENOENT : delete_patiently(fd, name);
	ue_close(fd);
	return result;
}
