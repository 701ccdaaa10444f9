/* SPDX-License-Identifier: MIT */
/*
 * Gathers the values of fields: a histogram of numbers, the most frequent of texts. Elements
 * of an array are values of one field, NAME[], and members of a struct are STRUCT.MEMBER.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

/*
 * Breaks durations of activities down by the fields of their starts, and by thread: so that a
 * page shows which client is slow, and whose requests fail. Fields with many values, as ids
 * have, have no breakdown.
 */

void keys_add(struct facts *facts, const char *name, size_t name_length, const char *text,
	      size_t length)
{
	struct bytes *keys = &facts->keys;

	if (keys->length + name_length + length + 2 > KEYS_MAX ||
	    memchr(name, '\0', name_length) || memchr(text, '\0', length))
		return;
	bytes_add(keys, name, name_length);
	bytes_add(keys, "", 1);
	bytes_add(keys, text, length);
	bytes_add(keys, "", 1);
}

static struct breakdown *find_breakdown(struct facts *facts, struct activity_group *group,
			      const char *name)
{
	struct breakdown *breakdown;

	for (uint32_t i = 0; i < group->breakdown_count; i++)
		if (!strcmp(group->breakdowns[i]->name, name))
			return group->breakdowns[i];
	if (group->breakdown_count == BREAKDOWNS_OF_GROUP ||
	    facts->breakdown_count == BREAKDOWNS_GATHERED)
		return NULL;
	facts->breakdown_count++;
	breakdown = xcalloc(1, sizeof(*breakdown));
	breakdown->name = xstrdup(name);
	group->breakdowns[group->breakdown_count++] = breakdown;
	return breakdown;
}

static void values_free(struct breakdown *breakdown)
{
	for (uint32_t i = 0; i < breakdown->count; i++) {
		free(breakdown->values[i].text);
		histogram_free(&breakdown->values[i].durations);
	}
	breakdown->count = 0;
}

static struct breakdown_value *find_value(struct breakdown *breakdown, const char *text)
{
	for (uint32_t i = 0; i < breakdown->count; i++)
		if (!strcmp(breakdown->values[i].text, text))
			return &breakdown->values[i];
	if (breakdown->count == VALUES_OF_BREAKDOWN) {
		breakdown->has_too_many = 1;
		values_free(breakdown);
		return NULL;
	}
	breakdown->values[breakdown->count] =
		(struct breakdown_value){ .text = xstrdup(text) };
	return &breakdown->values[breakdown->count++];
}

static void take_breakdown(struct breakdown *breakdown, const struct activity *activity,
		 const char *text)
{
	struct breakdown_value *value;

	if (!breakdown || breakdown->has_too_many)
		return;
	value = find_value(breakdown, text);
	if (!value)
		return;
	histogram_add_whole(&value->durations, activity->stop - activity->start);
	value->failed += activity->worst == SEVERITY_ERROR;
}

void breakdowns_take(struct facts *facts, struct activity_group *group,
		     const struct activity *activity)
{
	const char *at = activity->keys, *end = at + activity->keys_length, *text;

	while (at < end) {
		text = at + strlen(at) + 1;
		take_breakdown(find_breakdown(facts, group, at), activity, text);
		at = text + strlen(text) + 1;
	}
}

void breakdowns_free(struct activity_group *group)
{
	for (uint32_t i = 0; i < group->breakdown_count; i++) {
		values_free(group->breakdowns[i]);
		free(group->breakdowns[i]->name);
		free(group->breakdowns[i]);
	}
}

/*
 * A histogram has a part for each quarter of a power of 2 that has numbers: integers need 512,
 * while floating-point numbers of all exponents could fill 16,384.
 */
#define HISTOGRAM_PARTS 640

#define NESTED_MAX 80 /* more than the library's UE_READER_DEPTH_MAX structs with arrays */

/* The place of a walk through an event. */
struct walk {
	struct facts *facts;
	struct kind_facts *kind;
	uint32_t expected; /* fields come in the same order each time */
	uint32_t depth;
	size_t lengths[NESTED_MAX]; /* of the path, outside of each array and struct */
};

/* Fields */

static struct field_facts *add(struct walk *walk, const char *name, size_t length)
{
	struct kind_facts *kind = walk->kind;
	struct field_facts *field;

	if (kind->field_count == FIELDS_OF_KIND ||
	    walk->facts->field_count == FIELDS_GATHERED) {
		kind->fields_omitted++;
		return NULL;
	}
	walk->facts->field_count++;
	field = xcalloc(1, sizeof(*field));
	memcpy(field->name, name, length);
	field->name_length = (uint32_t)length;
	field->values = top_values_new();
	kind->fields[kind->field_count++] = field;
	return field;
}

static struct field_facts *find(struct walk *walk, const char *name, size_t length)
{
	struct kind_facts *kind = walk->kind;

	length = length < FIELD_NAME_MAX ? length : FIELD_NAME_MAX;
	for (uint32_t i = 0; i < kind->field_count; i++) {
		const uint32_t at = (walk->expected + i) % kind->field_count;
		struct field_facts *field = kind->fields[at];

		if (field->name_length == length && !memcmp(field->name, name, length)) {
			walk->expected = at + 1;
			return field;
		}
	}
	return add(walk, name, length);
}

static int is_amount(int type)
{
	return type == UE_TYPE_UNSIGNED || type == UE_TYPE_SIGNED || type == UE_TYPE_FLOAT;
}

static void add_number(struct walk *walk, struct field_facts *field,
		       const struct ue_value *item)
{
	struct value value = { .type = VALUE_NONE };

	value_of(item, &value, &walk->facts->text);
	if (!value_is_number(&value) || field->is_too_wide)
		return;
	field->is_number = 1;
	histogram_add(&field->histogram, &value);
	if (field->histogram.part_count > HISTOGRAM_PARTS) {
		histogram_free(&field->histogram);
		field->is_too_wide = 1;
	}
}

/* Numbers with few values are rather categories: each is counted by itself, too. */
static void add_value(struct walk *walk, struct field_facts *field,
		      const struct ue_value *item)
{
	char text[TOP_VALUE_LENGTH + 1];
	ptrdiff_t length = ue_value_to_text(item, UE_RENDER_ESCAPE, text, sizeof(text));

	if (length < 0)
		return;
	top_values_add(field->values, text, strlen(text));
	keys_add(walk->facts, field->name, field->name_length, text, strlen(text));
	if (field->is_number && field->values->used > VALUES_OF_NUMBER) {
		free(field->values);
		field->values = NULL;
	}
}

static void take(struct walk *walk, const char *name, size_t length,
		 const struct ue_value *item)
{
	struct field_facts *field = find(walk, name, length);
	const int type = ue_value_type(item);

	if (!field)
		return;
	if (type == UE_TYPE_NULL) {
		field->absent++;
		return;
	}
	field->count++;
	if (is_amount(type))
		add_number(walk, field, item);
	if (field->values)
		add_value(walk, field, item);
}

/* EventHeader */

static size_t proper_length(const struct ue_item *item)
{
	const char *end = memchr(item->name, ';', item->name_length);

	return end ? (size_t)(end - item->name) : item->name_length;
}

static void enter(struct walk *walk, const struct ue_item *item)
{
	struct bytes *path = &walk->facts->path;
	size_t length = proper_length(item);

	if (item->is_element || path->length >= FIELD_NAME_MAX)
		return;
	if (path->length)
		bytes_add(path, ".", 1);
	bytes_add(path, item->name, length < FIELD_NAME_MAX ? length : FIELD_NAME_MAX);
	if (item->kind == UE_ITEM_ARRAY_BEGIN)
		bytes_add(path, "[]", 2);
}

static void take_item(struct walk *walk, const struct ue_item *item)
{
	struct bytes *path = &walk->facts->path;
	const size_t before = path->length;

	switch (item->kind) {
	case UE_ITEM_VALUE:
		enter(walk, item);
		take(walk, (const char *)path->at, path->length, &item->value);
		path->length = before;
		break;
	case UE_ITEM_ARRAY_BEGIN:
	case UE_ITEM_STRUCT_BEGIN:
		if (walk->depth < NESTED_MAX)
			walk->lengths[walk->depth] = before;
		walk->depth++;
		enter(walk, item);
		break;
	default:
		walk->depth--;
		if (walk->depth < NESTED_MAX)
			path->length = walk->lengths[walk->depth];
	}
}

static int take_eventheader(struct walk *walk, struct event *event)
{
	int kind;

	walk->facts->path.length = 0;
	bytes_room(&walk->facts->path, 1);
	ue_reader_rewind(&event->reader);
	while ((kind = ue_reader_next(&event->reader)) > 0)
		take_item(walk, ue_reader_item(&event->reader));
	return kind;
}

/* Classic */

static void take_elements(struct walk *walk, const char *name, size_t length,
			  const struct ue_item *item)
{
	struct bytes *path = &walk->facts->path;
	struct ue_value element = item->value;
	const uint32_t size = item->element_size;

	path->length = 0;
	bytes_add(path, name, length < FIELD_NAME_MAX ? length : FIELD_NAME_MAX);
	bytes_add(path, "[]", 2);
	for (uint32_t at = 0; size && item->value.length - at >= size; at += size) {
		element.bytes = item->value.bytes + at;
		element.length = size;
		take(walk, (const char *)path->at, path->length, &element);
	}
}

static int take_classic(struct walk *walk, const struct event *event)
{
	const struct ue_record_layout *layout = &event->record->tracepoint->format;
	int result = 0;

	for (uint32_t i = 0; i < layout->field_count; i++) {
		const struct ue_record_field *field = &layout->fields[i];
		struct ue_item item;
		int kind = ue_record_item(layout, i, event->bytes, event->length, &item);

		if (kind == UE_ITEM_VALUE)
			take(walk, field->name, field->name_length, &item.value);
		else if (kind > 0)
			take_elements(walk, field->name, field->name_length, &item);
		else
			result = -1;
	}
	return result;
}

void fields_take(struct facts *facts, struct kind_facts *kind, struct event *event)
{
	struct walk walk = { .facts = facts, .kind = kind };
	int result = event->info ? take_eventheader(&walk, event) :
				   take_classic(&walk, event);

	if (result < 0) {
		kind->malformed++;
		facts->malformed++;
	}
}

void fields_free(struct kind_facts *kind)
{
	for (uint32_t i = 0; i < kind->field_count; i++) {
		histogram_free(&kind->fields[i]->histogram);
		free(kind->fields[i]->values);
		free(kind->fields[i]);
	}
}
