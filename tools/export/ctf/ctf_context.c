/* SPDX-License-Identifier: MIT */
/* Makes and fills the contexts of events: the process, keyword, opcode, ids. */
#include "ctf_context.h"

#include <string.h>

#include "common/cli/memory.h"
#include "ctf_graph.h"
#include "fields/ctf_type.h"

static void add_member(bt_field_class *class, bt_trace_class *trace, const char *name,
		       struct ctf_type type)
{
	bt_field_class *member = ctf_type_class(trace, type);

	if (bt_field_class_structure_append_member(class, name, member))
		memory_is_short();
	bt_field_class_put_ref(member);
}

static bt_field *member(bt_field *context, uint64_t index)
{
	return bt_field_structure_borrow_member_field_by_index(context, index);
}

/* The context of all events */

enum { VPID, VTID, PROCNAME, CPU_ID };

bt_field_class *ctf_common_context(bt_trace_class *trace)
{
	bt_field_class *class = ctf_made(bt_field_class_structure_create(trace));

	add_member(class, trace, "vpid", (struct ctf_type){ CTF_SIGNED, 4 });
	add_member(class, trace, "vtid", (struct ctf_type){ CTF_SIGNED, 4 });
	add_member(class, trace, "procname", (struct ctf_type){ CTF_TEXT, 0 });
	add_member(class, trace, "cpu_id", (struct ctf_type){ CTF_SIGNED, 4 });
	return class;
}

uint64_t ctf_set_common_context(bt_field *context, const struct exported_event *event,
				struct clean_texts *texts)
{
	const struct ue_sample *sample = &event->event->record->sample;
	const char *comm = sample->present & UE_META_COMM ? sample->comm : "";
	const struct clean_text name = clean_text(texts, comm, strlen(comm));

	bt_field_integer_signed_set_value(
		member(context, VPID),
		sample->present & UE_META_PID ? (int32_t)sample->pid : -1);
	bt_field_integer_signed_set_value(member(context, VTID),
					  event->has_tid ? (int32_t)event->tid : -1);
	bt_field_integer_signed_set_value(
		member(context, CPU_ID),
		sample->present & UE_META_CPU ? (int32_t)sample->cpu : -1);
	return 3 * sizeof(int32_t) +
	       ctf_set_words(member(context, PROCNAME), name.at, name.length);
}

/* The context of some */

enum own {
	KEYWORD,
	OPCODE,
	ID,
	VERSION,
	TAG,
	LEVEL, /* that CTF has none for */
	ACTIVITY,
	RELATED_ACTIVITY,
	CGROUP,
	RECORDED_TIME,
	OWN_COUNT,
};

static const struct {
	const char *name;
	struct ctf_type type;
} own[OWN_COUNT] = {
	[KEYWORD] = { "keyword", { CTF_HEX, 8 } },
	[OPCODE] = { "opcode", { CTF_UNSIGNED, 1 } },
	[ID] = { "id", { CTF_UNSIGNED, 2 } },
	[VERSION] = { "version", { CTF_UNSIGNED, 1 } },
	[TAG] = { "tag", { CTF_HEX, 2 } },
	[LEVEL] = { "level", { CTF_UNSIGNED, 1 } },
	[ACTIVITY] = { "activity", { CTF_TEXT, 0 } },
	[RELATED_ACTIVITY] = { "related_activity", { CTF_TEXT, 0 } },
	[CGROUP] = { "cgroup", { CTF_TEXT, 0 } },
	[RECORDED_TIME] = { "recorded_time", { CTF_SIGNED, 8 } },
};

uint32_t ctf_properties_of(const struct exported_event *event, int late)
{
	const struct ue_event_info *info = event->info;
	uint32_t properties = (uint32_t)late << RECORDED_TIME;

	properties |= (uint32_t)(*event->origin->cgroup != '\0') << CGROUP;
	if (!info)
		return properties;
	return properties | (uint32_t)(info->keyword != 0) << KEYWORD |
	       (uint32_t)(info->opcode != 0) << OPCODE | (uint32_t)(info->id != 0) << ID |
	       (uint32_t)(info->version != 0) << VERSION | (uint32_t)(info->tag != 0) << TAG |
	       (uint32_t)(info->level < 1 || info->level > 5) << LEVEL |
	       (uint32_t)(info->activity_id != NULL) << ACTIVITY |
	       (uint32_t)(info->related_id != NULL) << RELATED_ACTIVITY;
}

bt_field_class *ctf_own_context(bt_trace_class *trace, uint32_t properties)
{
	bt_field_class *class;

	if (!properties)
		return NULL;
	class = ctf_made(bt_field_class_structure_create(trace));
	for (uint32_t i = 0; i < OWN_COUNT; i++)
		if (properties >> i & 1)
			add_member(class, trace, own[i].name, own[i].type);
	return class;
}

static uint64_t set_id(bt_field *field, const uint8_t *id)
{
	const struct ue_value raw = {
		.bytes = id,
		.length = 16,
		.encoding = UE_ENCODING_VALUE128,
		.format = UE_FORMAT_UUID,
	};
	char text[40] = "";

	ue_value_to_text(&raw, 0, text, sizeof(text));
	return ctf_set_words(field, text, strlen(text));
}

static uint64_t number_of(const struct ue_event_info *info, uint32_t which)
{
	switch (which) {
	case KEYWORD:
		return info->keyword;
	case OPCODE:
		return info->opcode;
	case ID:
		return info->id;
	case VERSION:
		return info->version;
	case TAG:
		return info->tag;
	default:
		return info->level;
	}
}

static uint64_t set_own(bt_field *field, const struct exported_event *event, uint32_t which)
{
	const char *cgroup = event->origin->cgroup;

	switch (which) {
	case ACTIVITY:
		return set_id(field, event->info->activity_id);
	case RELATED_ACTIVITY:
		return set_id(field, event->info->related_id);
	case CGROUP:
		return ctf_set_words(field, cgroup, strlen(cgroup));
	case RECORDED_TIME:
		bt_field_integer_signed_set_value(field, event->event->record->sample.time);
		break;
	default:
		bt_field_integer_unsigned_set_value(field, number_of(event->info, which));
	}
	return own[which].type.size;
}

uint64_t ctf_set_own_context(bt_field *context, const struct exported_event *event,
			     uint32_t properties)
{
	uint64_t index = 0, size = 0;

	for (uint32_t left = properties; left; left &= left - 1)
		size += set_own(member(context, index++), event,
				(uint32_t)__builtin_ctz(left));
	return size;
}
