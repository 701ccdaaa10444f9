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

/* The definition, in text of UE_TRACEPOINT_TEXT bytes unless that is NULL. */
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
	return format(tracepoint->parts, NULL, error);
}

UE__PUBLIC int ue_tracepoint_init(struct ue_tracepoint *tracepoint, const char *provider,
			      const char *group, uint32_t level, uint64_t keyword,
			      uint32_t flags, struct ue_eventheader_error *error)
{
	int result, event_result;

	*tracepoint = (struct ue_tracepoint){
		.parts = &tracepoint->ue__own,
		.ue__own = { provider, group, keyword, level },
	};
	result = format(&tracepoint->ue__own, tracepoint->ue__text, error);
	if (result)
		tracepoint->ue__text[0] = '\0';
	/* In any case, so that ue_enabled() can be asked. */
	event_result = ue_event_init(&tracepoint->event, tracepoint->ue__text, flags);
	tracepoint->event.ue__is_tracepoint = 1;
	return result ? result : event_result;
}

/*
 * A text for messages, of what there is of the name. It stands where a definition does
 * not begin, so that the next attempt does not take it for one.
 */
static void name_malformed(struct ue_tracepoint *tracepoint)
{
	const struct ue_tracepoint_parts *parts = tracepoint->parts;
	const char *provider = parts->provider ? parts->provider : "";
	const char *group = parts->group ? parts->group : "";

	snprintf(tracepoint->ue__text + 1, sizeof(tracepoint->ue__text) - 1,
		 "%s_L%" PRIx32 "K%" PRIx64 "%s%s", provider, parts->level,
		 parts->keyword, *group ? "G" : "", group);
	tracepoint->ue__text[0] = '\0';
	tracepoint->event.definition = tracepoint->ue__text + 1;
}

int ue__tracepoint_define(struct ue_event *event)
{
	int result;
	struct ue_tracepoint *tracepoint =
		(void *)((char *)event - offsetof(struct ue_tracepoint, event));

	if (!event->ue__is_tracepoint || tracepoint->ue__text[0])
		return 0;
	result = format(tracepoint->parts, tracepoint->ue__text, NULL);
	if (result)
		name_malformed(tracepoint);
	else
		event->definition = tracepoint->ue__text;
	return result;
}
