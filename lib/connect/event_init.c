/* SPDX-License-Identifier: MIT */
/*
 * Initialise an event, and check one.
 */
#include <errno.h>
#include <string.h>

#include <userevents/event.h>

#include "describe/definition.h"
#include "event.h"
#include "state/binding.h"
#include "util/sized_struct.h"

#define EVENT_FLAGS (UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT)
/* That of 0.1: a struct of a program is never smaller. */
#define EVENT_SIZE_MIN UE__SIZE_UP_TO(struct ue_event, ue__write_call)

UE__PUBLIC int ue__event_init(struct ue_event *event, size_t size, const char *definition,
			      uint32_t flags)
{
	if (size < EVENT_SIZE_MIN)
		return -EINVAL;
	memset(event, 0, size);
	event->size = (uint32_t)size;
	event->flags = flags;
	event->definition = definition;
	event->word = &event->ue__own_word;
	event->ue__binding = UE__BINDING_NONE;
	if (flags & ~EVENT_FLAGS)
		return -EINVAL;
	return ue_definition_check(definition, flags, NULL);
}

static int check(const struct ue_event *event)
{
	if (event->size < EVENT_SIZE_MIN)
		return -EINVAL;
	if (ue__has_tail(event, sizeof(*event), event->size))
		return -E2BIG;
	if (event->flags & ~EVENT_FLAGS || !event->definition)
		return -EINVAL;
	if (!event->word || (uintptr_t)event->word % sizeof(*event->word))
		return -EINVAL;
	return 0;
}

/* Do the types that a payload is packed with agree with the text? */
static int is_packed_as(const struct ue_event *event,
			const struct ue__definition *definition)
{
	return !event->ue__fixed_size || event->ue__fixed_size == definition->fixed_size;
}

int ue__event_parse(const struct ue_event *event, struct ue__definition *definition)
{
	int result = check(event);

	if (!result)
		result = ue__definition_parse(event->definition, event->flags, definition,
					      NULL);
	if (result)
		return result;
	return is_packed_as(event, definition) ? 0 : -EINVAL;
}
