/* SPDX-License-Identifier: MIT */
/*
 * Tell a capture which events a module has, so that "userevents run" can report those that
 * are never registered.
 *
 * This happens when the module is loaded and not when it ends, as most programs under
 * observation are ended by a signal. It costs one packet an event, and nothing without
 * USEREVENTS_FD. A reader that is behind makes the program wait, as it does for writes.
 */
#include <userevents/classic_event.h>

#include "describe/definition.h"
#include "event.h"
#include "init_tracepoint.h"
#include "state/session.h"
#include "util/errno_guard.h"

/* The length of the name, or -errno: such an event cannot be registered anyway. */
static int make_name(struct ue_event *event)
{
	int result;

	ue__lock();
	result = ue__tracepoint_define(event);
	ue__unlock();
	return result ? result : ue__definition_name(event->definition, NULL);
}

static const struct ue__back_end *back_end_of(int fd)
{
	const struct ue__session *session;
	const struct ue__back_end *back_end;

	ue__lock();
	session = ue__session_find(fd);
	back_end = session ? session->back_end : NULL;
	ue__unlock();
	return back_end;
}

void ue__list_events(struct ue_event **begin, struct ue_event **end)
{
	UE__UNDISTURBED;
	const struct ue__back_end *back_end;
	int fd, result = 0;

	if (begin == end)
		return;
	fd = ue__open_inherited_capture();
	if (fd < 0)
		return;
	back_end = back_end_of(fd);
	for (; !result && back_end && back_end->list && begin != end; begin++) {
		int length = make_name(*begin);

		if (length > 0)
			result = back_end->list(fd, (*begin)->definition,
						(uint32_t)length);
	}
	ue_close(fd);
}
