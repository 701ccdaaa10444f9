/* SPDX-License-Identifier: MIT */
/*
 * Tell a capture which events a module has, so that "userevents run" can report those that
 * are never registered.
 *
 * This happens when the module is loaded and not when it ends, as most programs under
 * observation are ended by a signal. It costs one packet an event, and none if the reader
 * does not want the names: they would take up the room of events. A reader that is behind
 * makes the program wait, as it does for writes.
 */
#include <userevents/classic_event.h>

#include "describe/definition.h"
#include "kernel/capture_page.h"
#include "event.h"
#include "init_tracepoint.h"
#include "state/session.h"
#include "util/errno_guard.h"

/* The length of the name, or -errno: such an event cannot be registered anyway. */
static int make_name(struct ue_event *event)
{
	int result = 0;

	if (event->ue__parts) {
		ue__lock();
		result = ue__tracepoint_define(event);
		ue__unlock();
	}
	return result ? result : ue__definition_name(event->definition, NULL);
}

/* The back end of a capture that wants names, or NULL. */
static const struct ue__back_end *lister_of(int fd)
{
	const struct ue__session *session;
	const struct ue__back_end *lister = NULL;

	ue__lock();
	session = ue__session_find(fd);
	if (session && session->channel.page && session->channel.page->wants_names)
		lister = session->back_end;
	ue__unlock();
	return lister;
}

void ue__list_events(struct ue_event **begin, struct ue_event **end)
{
	UE__UNDISTURBED;
	const struct ue__back_end *lister;
	int fd, result = 0;

	if (begin == end)
		return;
	fd = ue__open_inherited_capture();
	if (fd < 0)
		return;
	lister = lister_of(fd);
	for (; !result && lister && begin != end; begin++) {
		int length = make_name(*begin);

		if (length > 0)
			result = lister->list(fd, (*begin)->definition, (uint32_t)length);
	}
	ue_close(fd);
}
