/* SPDX-License-Identifier: MIT */
/*
 * Allocate and free events and tracepoints, for other languages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/bindings.h>
#include <userevents/event.h>

#include "util/errno_guard.h"

UE__PUBLIC int ue_event_new(const char *definition, uint32_t flags,
			    struct ue_event **event)
{
	UE__KEEP_ERRNO;
	const size_t size = definition ? strlen(definition) + 1 : 0;
	struct ue_event *made;
	int result;

	if (!definition)
		return -EINVAL;
	made = malloc(sizeof(*made) + size);
	if (!made)
		return -ENOMEM;
	memcpy(made + 1, definition, size);
	result = ue_event_init(made, (const char *)(made + 1), flags);
	if (result)
		free(made);
	else
		*event = made;
	return result;
}

/* The event of a tracepoint is its first member. */
UE__PUBLIC int ue_event_free(struct ue_event *event)
{
	UE__KEEP_ERRNO;
	int result = event ? ue_unregister(event) : 0;

	if (result && result != -ENOENT)
		return result;
	free(event);
	return 0;
}

UE__PUBLIC int ue_tracepoint_new(const char *provider, const char *group, uint32_t level,
				 uint64_t keyword, uint32_t flags,
				 struct ue_tracepoint **tracepoint)
{
	UE__KEEP_ERRNO;
	const size_t size = provider ? strlen(provider) + 1 : 0;
	const size_t group_size = group ? strlen(group) + 1 : 0;
	struct ue_tracepoint *made = malloc(sizeof(*made) + size + group_size);
	char *text;
	int result;

	if (!made)
		return -ENOMEM;
	text = (char *)(made + 1);
	if (provider)
		memcpy(text, provider, size);
	if (group)
		memcpy(text + size, group, group_size);
	result = ue_tracepoint_init(made, provider ? text : NULL,
				    group ? text + size : NULL, level, keyword, flags,
				    NULL);
	if (result)
		free(made);
	else
		*tracepoint = made;
	return result;
}
