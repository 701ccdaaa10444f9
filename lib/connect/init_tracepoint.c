/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints of EventHeader events: from provider, level and keyword to a definition.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <userevents/event.h>
#include <userevents/eventheader_name.h>

#include "init_tracepoint.h"
#include "state/binding.h"
#include "util/sized_struct.h"

/* The definition, in text of UE__TRACEPOINT_TEXT bytes unless that is NULL. */
static int format(const struct ue_tracepoint_parts *parts, char *text,
		  struct ue_eventheader_error *error)
{
	const char *provider = parts->provider ? parts->provider : "";
	const char *group = parts->group ? parts->group : "";
	struct ue_eventheader_name name = {
		.provider = provider,
		.provider_length = strlen(provider),
		.group = group,
		.group_length = strlen(group),
		.keyword = parts->keyword,
		.level = parts->level <= UINT8_MAX ? (uint8_t)parts->level : 0,
	};
	int length = ue_eventheader_name_make(&name, text,
						text ? UE_EVENTHEADER_NAME_MAX + 1 : 0,
						error);

	if (length < 0 || !text)
		return length < 0 ? length : 0;
	text[length] = ' ';
	memcpy(text + length + 1, UE_EVENTHEADER_FIELDS, sizeof(UE_EVENTHEADER_FIELDS));
	return 0;
}

UE__PUBLIC int ue_tracepoint_check(const struct ue_tracepoint *tracepoint,
				   struct ue_eventheader_error *error)
{
	return format(tracepoint->event.ue__parts, NULL, error);
}

UE__PUBLIC int ue__tracepoint_init(struct ue_event *event, size_t size,
				   const struct ue_tracepoint_parts *parts, char *text,
				   uint32_t flags, struct ue_eventheader_error *error)
{
	int result = format(parts, text, error), event_result;

	if (result)
		text[0] = '\0';
	/* This happens in any case, so that ue_enabled() can be asked. */
	event_result = ue__event_init(event, size, text, flags);
	if (size >= UE__SIZE_UP_TO(struct ue_event, ue__parts))
		event->ue__parts = parts;
	return result ? result : event_result;
}

/* Make a text for messages, of those parts of the name that exist. */
static void name_malformed(const struct ue_tracepoint_parts *parts, char *text)
{
	const char *provider = parts->provider ? parts->provider : "";
	const char *group = parts->group ? parts->group : "";

	snprintf(text, UE__TRACEPOINT_TEXT, "%s_L%" PRIx32 "K%" PRIx64 "%s%s", provider,
		 parts->level, parts->keyword, *group ? "G" : "", group);
}

int ue__tracepoint_define(struct ue_event *event)
{
	char made[UE__TRACEPOINT_TEXT];
	char *text;
	int result;

	if (event->size < UE__SIZE_UP_TO(struct ue_event, ue__parts))
		return -EINVAL;
	if (!event->ue__parts || ue__is_bound(ue__binding_of(event)))
		return 0;
	text = (char *)event->definition; /* UE__TRACEPOINT_TEXT bytes */
	result = format(event->ue__parts, made, NULL);
	if (result)
		name_malformed(event->ue__parts, made);
	/* A reader of a text that stays the same may be reading it now. */
	if (strcmp(text, made))
		strcpy(text, made);
	return result;
}
