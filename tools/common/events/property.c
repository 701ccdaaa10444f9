/* SPDX-License-Identifier: MIT */
/* Reads the properties that events have beside their fields. */
#include <string.h>

#include "field.h"

static const char *const names[PROPERTIES] = {
	[PROPERTY_NONE] = "",
	[PROPERTY_PID] = "pid",
	[PROPERTY_TID] = "tid",
	[PROPERTY_COMM] = "comm",
	[PROPERTY_CPU] = "cpu",
	[PROPERTY_CGROUP] = "cgroup",
	[PROPERTY_TIME] = "time",
	[PROPERTY_PROVIDER] = "provider",
	[PROPERTY_EVENT] = "event",
	[PROPERTY_LEVEL] = "level",
	[PROPERTY_KEYWORD] = "keyword",
	[PROPERTY_OPCODE] = "opcode",
	[PROPERTY_ID] = "id",
	[PROPERTY_VERSION] = "version",
	[PROPERTY_ACTIVITY] = "activity",
	[PROPERTY_RELATED_ACTIVITY] = "relatedActivity",
};

const char *property_name(enum property property)
{
	return names[property];
}

enum property property_find(const char *name, size_t length)
{
	for (int i = PROPERTY_NONE + 1; i < PROPERTIES; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return (enum property)i;
	return PROPERTY_NONE;
}

static int set_unsigned(struct value *value, uint64_t number)
{
	value->type = VALUE_UNSIGNED;
	value->whole = (int64_t)number;
	return 1;
}

static int set_text(struct value *value, const char *text, size_t length)
{
	value->type = VALUE_TEXT;
	value->text = text;
	value->length = length;
	return 1;
}

static int set_activity(struct value *value, const uint8_t *id, struct bytes *scratch)
{
	const struct ue_value uuid = {
		.bytes = id,
		.length = 16,
		.encoding = UE_ENCODING_VALUE128,
		.format = UE_FORMAT_UUID,
	};

	if (!id)
		return 0;
	value_of(&uuid, value, scratch);
	return 1;
}

/* Properties of the record. */
static int get_of_sample(enum property property, const struct ue_sample *sample,
			 struct value *value)
{
	switch (property) {
	case PROPERTY_PID:
		return sample->present & UE_META_PID && set_unsigned(value, sample->pid);
	case PROPERTY_TID:
		return sample->present & UE_META_TID && set_unsigned(value, sample->tid);
	case PROPERTY_CPU:
		return sample->present & UE_META_CPU && set_unsigned(value, sample->cpu);
	case PROPERTY_COMM:
		return sample->present & UE_META_COMM &&
		       set_text(value, sample->comm, strlen(sample->comm));
	case PROPERTY_CGROUP:
		return sample->present & UE_META_CGROUP &&
		       set_text(value, sample->cgroup, strlen(sample->cgroup));
	case PROPERTY_TIME:
		if (!(sample->present & UE_META_TIME))
			return 0;
		value->type = VALUE_SIGNED;
		value->whole = sample->time;
		return 1;
	default:
		return 0;
	}
}

/* Properties of an EventHeader event. */
static int get_of_info(enum property property, const struct ue_event_info *info,
		       struct value *value, struct bytes *scratch)
{
	switch (property) {
	case PROPERTY_LEVEL:
		return set_unsigned(value, info->level);
	case PROPERTY_KEYWORD:
		return set_unsigned(value, info->keyword);
	case PROPERTY_OPCODE:
		return set_unsigned(value, info->opcode);
	case PROPERTY_ID:
		return set_unsigned(value, info->id);
	case PROPERTY_VERSION:
		return set_unsigned(value, info->version);
	case PROPERTY_ACTIVITY:
		return set_activity(value, info->activity_id, scratch);
	case PROPERTY_RELATED_ACTIVITY:
		return set_activity(value, info->related_id, scratch);
	default:
		return 0;
	}
}

int property_get(enum property property, const struct event *event, struct value *value,
		 struct bytes *scratch)
{
	const struct event_kind *kind = event->kind;

	*value = (struct value){ .type = VALUE_NONE };
	if (property == PROPERTY_PROVIDER)
		return set_text(value, kind->group, strlen(kind->group));
	if (property == PROPERTY_EVENT)
		return set_text(value, kind->name, strlen(kind->name));
	if (property >= PROPERTY_LEVEL)
		return event->info && get_of_info(property, event->info, value, scratch);
	return get_of_sample(property, &event->record->sample, value);
}
