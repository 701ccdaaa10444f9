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
#include <unistd.h>

#include <userevents/classic_event.h>

#include "describe/definition.h"
#include "event.h"
#include "init_tracepoint.h"
#include "kernel/back_end.h"
#include "state/lock.h"
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

static void list_to(int fd, struct ue_event **begin, struct ue_event **end)
{
	int result = 0;

	for (; !result && begin != end; begin++) {
		int length = make_name(*begin);

		if (length > 0)
			result = ue__capture_list(fd, (*begin)->definition,
						  (uint32_t)length);
	}
}

void ue__list_events(struct ue_event **begin, struct ue_event **end)
{
	UE__UNDISTURBED;
	int fd = begin == end ? -1 : ue__inherited_descriptor();

	if (fd < 0)
		return;
	if (ue__capture_wants_names(fd))
		list_to(fd, begin, end);
	close(fd);
}
