/* SPDX-License-Identifier: MIT */
/*
 * Tell a capture which events a module has, so that "userevents run" can report those that
 * are never registered.
 *
 * This happens when the module is loaded and not when it ends, as most programs under
 * observation are ended by a signal. It costs one packet an event, and none if the reader
 * does not want them: they would take up the room of events. A reader that is behind
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

static int make_definition(struct ue_event *event)
{
	int result = 0;

	if (event->ue__parts) {
		ue__lock();
		result = ue__tracepoint_define(event);
		ue__unlock();
	}
	return result;
}

/*
 * An event is listed as it will be registered; by its name alone if its fields are malformed,
 * and not at all without a name: it cannot be registered anyway.
 */
static int list(int fd, struct ue_event *event)
{
	struct ue__definition definition;
	int length;

	if (make_definition(event))
		return 0;
	if (!ue__definition_parse(event->definition, event->flags, &definition, NULL))
		return ue__capture_list(fd, definition.text, definition.length);
	length = ue__definition_name(event->definition, NULL);
	return length > 0 ? ue__capture_list(fd, event->definition, (uint32_t)length) : 0;
}

static void list_to(int fd, struct ue_event **begin, struct ue_event **end)
{
	int result = 0;

	for (; !result && begin != end; begin++)
		result = list(fd, *begin);
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
