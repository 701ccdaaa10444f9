/* SPDX-License-Identifier: MIT */
/*
 * Breaks durations of activities down by the fields of their starts, and by thread: so that a
 * page shows which client is slow, and whose requests fail. Fields with many values, as ids
 * have, have no breakdown.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

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

static struct breakdown *find(struct facts *facts, struct activity_group *group,
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

static void take(struct breakdown *breakdown, const struct activity *activity,
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
		take(find(facts, group, at), activity, text);
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
