/* SPDX-License-Identifier: MIT */
/*
 * Initialise an event, and check one.
 */
#include <errno.h>

#include <userevents/event.h>

#include "describe/definition.h"
#include "event.h"
#include "util/sized_struct.h"

#define EVENT_FLAGS (UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT)
#define EVENT_SIZE_0_1 sizeof(struct ue_event)

UE__PUBLIC int ue_event_init(struct ue_event *event, const char *definition,
			     uint32_t flags)
{
	*event = (struct ue_event){
		.size = sizeof(*event),
		.flags = flags,
		.definition = definition,
		.word = &event->own_word,
	};
	if (flags & ~EVENT_FLAGS)
		return -EINVAL;
	return ue_definition_check(definition, flags, NULL);
}

static int check(const struct ue_event *event)
{
	if (event->size < EVENT_SIZE_0_1)
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
