/* SPDX-License-Identifier: MIT */
/* Parses names of fields, and finds fields in events. */
#include "field.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* Reads the properties that events have beside their fields. */

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

static enum property property_find(const char *name, size_t length)
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

/* Parsing */

static int is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (is_name_character(text[length]))
		length++;
	return text[0] >= '0' && text[0] <= '9' ? 0 : length;
}

static struct field_step *add_step(struct field *field)
{
	return field->count < FIELD_STEPS_MAX ? &field->steps[field->count++] : NULL;
}

/* ":2" at the end of a name in backquotes: its number, or 0. */
static uint32_t ordinal_of(const char *name, size_t length, size_t *base)
{
	const char *colon = memrchr(name, ':', length);
	char *end;
	unsigned long number;

	*base = length;
	if (!colon || colon[1] < '1' || colon[1] > '9')
		return 0;
	number = strtoul(colon + 1, &end, 10);
	if (end != name + length || number > UINT16_MAX)
		return 0;
	*base = (size_t)(colon - name);
	return (uint32_t)number;
}

/* NAME, or `any bytes`. Returns where the text goes on, or NULL. */
static const char *parse_name(struct field *field, const char *text, const char **problem)
{
	const char *quote = *text == '`' ? strchr(text + 1, '`') : NULL;
	struct field_step *step;
	size_t length = quote ? (size_t)(quote - text) - 1 : name_length(text);

	*problem = *text == '`' && !quote ? "the name has no closing `" :
					     "the name of a field is expected";
	if (!length)
		return NULL;
	step = add_step(field);
	*problem = "a name has at most 16 parts";
	if (!step)
		return NULL;
	*step = (struct field_step){ .name = text + !!quote, .length = length, .base = length };
	if (quote)
		step->index = ordinal_of(step->name, length, &step->base);
	return text + length + 2 * !!quote;
}

/* "[12]" */
static const char *parse_index(struct field *field, const char *text, const char **problem)
{
	struct field_step *step = add_step(field);
	unsigned long long index;
	char *end;

	*problem = "a name has at most 16 parts";
	if (!step)
		return NULL;
	*problem = "an element is [0], [1], and so on up to [65535]";
	if (text[1] < '0' || text[1] > '9')
		return NULL;
	index = strtoull(text + 1, &end, 10);
	if (*end != ']' || index > UINT16_MAX)
		return NULL;
	step->index = (uint32_t)index;
	return end + 1;
}

static const char *parse_steps(struct field *field, const char *text, const char **problem)
{
	text = parse_name(field, text, problem);
	while (text && (*text == '.' || *text == '['))
		text = *text == '.' ? parse_name(field, text + 1, problem) :
				      parse_index(field, text, problem);
	return text;
}

/* The steps point into the text of the field itself. */
static void find_property(struct field *field)
{
	const struct field_step *step = field->steps;

	if (field->count == 1 && *field->text != '`')
		field->property = property_find(step->name, step->length);
	if (field->count != 2 || step->length != 4 || memcmp(step->name, "meta", 4) ||
	    !step[1].name)
		return;
	field->property = property_find(step[1].name, step[1].length);
	if (field->property)
		field->count = 0;
}

size_t field_parse(struct field *field, const char *text, const char **problem)
{
	struct field parsed = { .text = NULL };
	const char *end = parse_steps(&parsed, text, problem);

	if (!end)
		return 0;
	*field = (struct field){ .text = xstrndup(text, (size_t)(end - text)) };
	parse_steps(field, field->text, problem);
	find_property(field);
	return (size_t)(end - text);
}

int field_parse_word(struct field *field, const char *text)
{
	const char *problem;
	size_t length = field_parse(field, text, &problem);

	if (length && !text[length])
		return 0;
	if (length)
		field_free(field);
	message("cannot parse the field \"%s\": %s", text,
		length ? "a name with other characters than letters, digits and _ is written "
			 "in backquotes, `a-b`" : problem);
	return -1;
}

void field_free(struct field *field)
{
	free(field->text);
	bytes_free(&field->scratch);
	*field = (struct field){ .text = NULL };
}

/* Values of items */

/* An element of an array whose bytes are known as a whole. */
static int get_element(const struct ue_item *item, uint32_t index, struct field *field,
		       struct value *value)
{
	struct ue_value element = item->value;
	const uint32_t size = item->element_size;

	if (!size || index >= element.length / size)
		return 0;
	element.bytes += (size_t)index * size;
	element.length = size;
	value_of(&element, value, &field->scratch);
	return value->type != VALUE_NONE;
}

static int get_item(int kind, const struct ue_item *item, struct field *field,
		    struct value *value)
{
	if (kind == UE_ITEM_VALUE)
		value_of(&item->value, value, &field->scratch);
	else
		value->type = VALUE_COMPOUND;
	return value->type != VALUE_NONE;
}

/* A byte of an array of bytes, which is one value. */
static int get_byte(const struct ue_item *item, uint32_t index, struct value *value)
{
	if (ue_value_type(&item->value) != UE_TYPE_BYTES || index >= item->value.length)
		return 0;
	value->type = VALUE_UNSIGNED;
	value->whole = item->value.bytes[index];
	return 1;
}

/* Classic events */

/* Whether the step names it, or it is the one of the fields of this name that is counted. */
static int is_meant(const char *name, size_t length, const struct field_step *step,
		    uint32_t *seen)
{
	if (length == step->length && !memcmp(name, step->name, length))
		return 1;
	return step->index && length == step->base && !memcmp(name, step->name, length) &&
	       ++*seen == step->index;
}

static int find_index(const struct ue_record_layout *layout, const struct field_step *step)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < layout->field_count; i++)
		if (is_meant(layout->fields[i].name, layout->fields[i].name_length, step, &seen))
			return (int)i;
	return -1;
}

/* A text of an array of texts: it has a location of its own, of 4 bytes. */
static int get_text(const struct event *event, struct field *field, struct value *value)
{
	struct ue_record_layout layout = event->record->tracepoint->format;
	struct ue_record_field text = layout.fields[field->index];
	const uint32_t index = field->steps[1].index;
	struct ue_item item;

	if (index >= text.size / 4)
		return 0;
	text.offset += 4 * index;
	text.size = 4;
	text.is_array = 0;
	layout.fields = &text;
	layout.field_count = 1;
	return ue_record_item(&layout, 0, event->bytes, event->length, &item) ==
		       UE_ITEM_VALUE && get_item(UE_ITEM_VALUE, &item, field, value);
}

static int get_classic(struct field *field, const struct event *event, struct value *value)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;
	struct ue_item item;
	int kind;

	if (field->tracepoint != tracepoint->serial) {
		field->tracepoint = tracepoint->serial;
		field->index = find_index(&tracepoint->format, &field->steps[0]);
	}
	if (field->index < 0 || field->count > 2)
		return 0;
	kind = ue_record_item(&tracepoint->format, (uint32_t)field->index, event->bytes,
			      event->length, &item);
	if (kind < 0)
		return 0;
	if (field->count == 1)
		return get_item(kind, &item, field, value);
	if (field->steps[1].name)
		return 0;
	if (kind == UE_ITEM_ARRAY_BEGIN && !item.element_size)
		return get_text(event, field, value);
	return kind == UE_ITEM_VALUE ? get_byte(&item, field->steps[1].index, value) :
				       get_element(&item, field->steps[1].index, field, value);
}

/* EventHeader events */

/* Attributes follow a ';', and are not part of the name. */
static int has_name(const struct ue_item *item, const struct field_step *step, uint32_t *seen)
{
	const char *attributes = memchr(item->name, ';', item->name_length);

	return is_meant(item->name, attributes ? (size_t)(attributes - item->name) :
						 item->name_length, step, seen);
}

/* Go to the field of this name among the next ones of the same struct. */
static int find_name(struct ue_reader *reader, const struct field_step *step)
{
	int kind = ue_reader_next(reader);
	uint32_t seen = 0;

	while (kind > 0 && kind != UE_ITEM_STRUCT_END &&
	       !has_name(ue_reader_item(reader), step, &seen))
		kind = kind == UE_ITEM_VALUE ? ue_reader_next(reader) :
					       ue_reader_next_sibling(reader);
	return kind == UE_ITEM_STRUCT_END ? 0 : kind;
}

/* Go to an element of the array at whose beginning the reader is. */
static int find_element(struct ue_reader *reader, uint32_t index)
{
	int kind = ue_reader_next(reader);

	while (kind > 0 && kind != UE_ITEM_ARRAY_END && index--)
		kind = kind == UE_ITEM_VALUE ? ue_reader_next(reader) :
					       ue_reader_next_sibling(reader);
	return kind == UE_ITEM_ARRAY_END ? 0 : kind;
}

static int get_eventheader(struct field *field, struct event *event, struct value *value)
{
	struct ue_reader *reader = &event->reader;
	const struct ue_item *item = ue_reader_item(reader);
	int kind = UE_ITEM_STRUCT_BEGIN;

	ue_reader_rewind(reader);
	for (size_t i = 0; i < field->count; i++) {
		const struct field_step *step = &field->steps[i];
		const int is_last = i + 1 == field->count;

		if (step->name) {
			if (kind != UE_ITEM_STRUCT_BEGIN)
				return 0;
			kind = find_name(reader, step);
		} else if (kind == UE_ITEM_VALUE) {
			return is_last && get_byte(item, step->index, value);
		} else if (kind != UE_ITEM_ARRAY_BEGIN) {
			return 0;
		} else if (item->element_size && is_last) {
			return get_element(item, step->index, field, value);
		} else {
			kind = find_element(reader, step->index);
		}
		if (kind <= 0)
			return 0;
	}
	return get_item(kind, item, field, value);
}

int field_get(struct field *field, struct event *event, struct value *value)
{
	int found;

	*value = (struct value){ .type = VALUE_NONE };
	field->is_of_property = 0;
	if (!field->count)
		return property_get(field->property, event, value, &field->scratch);
	found = event->info ? get_eventheader(field, event, value) :
		event->record->tracepoint->is_bare ? 0 : get_classic(field, event, value);
	if (found || !field->property)
		return found;
	field->is_of_property = 1;
	return property_get(field->property, event, value, &field->scratch);
}
