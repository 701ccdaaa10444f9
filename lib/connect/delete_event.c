/* SPDX-License-Identifier: MIT */
/*
 * Delete an event from the system.
 */
#include <errno.h>
#include <string.h>

#include <userevents/event.h>

#include "describe/definition.h"
#include "event.h"
#include "state/session.h"
#include "util/errno_guard.h"

static int check_name(const char *name)
{
	int length = ue__definition_name(name, NULL);

	return length < 0 || name[length] ? -EINVAL : 0;
}

/* The kernel may be about to release a name that this process does not use. */
static int is_free_later(const struct ue__session *session, const char *name)
{
	return session->back_end->forgets_late &&
	       !ue__registration_named(name, (uint32_t)strlen(name));
}

static int delete_once(int fd, const char *name, unsigned *patience)
{
	const struct ue__session *session;
	int result = -EBADF;

	ue__lock();
	session = ue__session_find(fd);
	if (session)
		result = session->back_end->delete_event(&session->channel, name);
	if (result == -EBUSY && !is_free_later(session, name))
		*patience = 0;
	ue__unlock();
	return result;
}

static int delete_patiently(int fd, const char *name)
{
	unsigned patience = UE__PATIENCE, wait = 1;
	int result;

	while ((result = delete_once(fd, name, &patience)) == -EBUSY && patience)
		ue__wait_patiently(&wait, &patience);
	return result;
}

/*
 * The request has a session of its own, as a session that registered the event would be a
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
	result = delete_patiently(fd, name);
	ue_close(fd);
	return result;
}
