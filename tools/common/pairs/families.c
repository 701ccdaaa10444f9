/* SPDX-License-Identifier: MIT */
/* Keeps the parents of activities. */

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "pairs.h"

/* Members that had not ended are passed over so often. */
#define TRIES 64

static uint32_t find(const struct families *families, const uint8_t *id)
{
	const uint64_t key = hash_bytes(id, ACTIVITY_SIZE);
	uint32_t steps = 0, found;

	do {
		found = key_table_next(&families->by_id, key, &steps);
	} while (found != KEY_UNKNOWN && memcmp(families->members[found].id, id, ACTIVITY_SIZE) != 0);
	return found == KEY_UNKNOWN ? FAMILY_NONE : found;
}

/* Go on to the next place that may be taken. */
static void step(struct families *families)
{
	if (++families->hand == FAMILIES_MOST)
		families->hand = 0;
}

/* A place that is free, or of a member that leaves. */
static uint32_t make_room(struct families *families)
{
	struct family_member *leaving;
	uint32_t place;

	if (families->count < FAMILIES_MOST) {
		families->members = xgrow(families->members, families->count, sizeof(*leaving));
		families->members[families->count] = (struct family_member){ .generation = 0 };
		return families->count++;
	}
	for (int i = 0; i < TRIES && !families->members[families->hand].is_ended; i++)
		step(families);
	place = families->hand;
	step(families);
	leaving = &families->members[place];
	families->forgotten += !leaving->is_ended;
	key_table_remove(&families->by_id, hash_bytes(leaving->id, ACTIVITY_SIZE), place);
	return place;
}

static uint32_t find_or_add(struct families *families, const uint8_t *id)
{
	const uint32_t found = find(families, id);
	const uint32_t place = found == FAMILY_NONE ? make_room(families) : found;
	struct family_member *member = &families->members[place];

	if (found != FAMILY_NONE)
		return found;
	*member = (struct family_member){ .parent = FAMILY_NONE,
					  .generation = member->generation + 1 };
	memcpy(member->id, id, ACTIVITY_SIZE);
	key_table_add(&families->by_id, hash_bytes(id, ACTIVITY_SIZE), place);
	return place;
}

uint32_t family_parent(const struct families *families, uint32_t member)
{
	const struct family_member *child = &families->members[member];

	return child->parent == FAMILY_NONE ||
			       families->members[child->parent].generation != child->parent_generation ?
		       FAMILY_NONE : child->parent;
}

/* Whether it may be the parent: then the walk from it ends, and does not pass the child. */
static int may_be_parent(struct families *families, uint32_t parent, uint32_t child)
{
	uint32_t at = parent;

	for (uint32_t i = 0; i < FAMILY_DEPTH && at != FAMILY_NONE && at != child; i++)
		at = family_parent(families, at);
	families->circles += at == child;
	families->too_deep += at != child && at != FAMILY_NONE;
	return at == FAMILY_NONE;
}

static void link(struct families *families, const uint8_t *id, const uint8_t *related)
{
	uint32_t child = find(families, id), parent;

	if (child != FAMILY_NONE && family_parent(families, child) != FAMILY_NONE)
		return;
	parent = find_or_add(families, related);
	child = find_or_add(families, id);
	if (!may_be_parent(families, parent, child))
		return;
	families->members[child].parent = parent;
	families->members[child].parent_generation = families->members[parent].generation;
}

static int is_parent(const struct families *families, uint32_t parent, const uint8_t *id)
{
	return memcmp(families->members[parent].id, id, ACTIVITY_SIZE) == 0;
}

/*
 * A start after the end, or one that names another parent, is that of a new activity: the
 * former one's parent and children are not its own. related: NULL: it names none.
 */
static void start(struct families *families, const uint8_t *id, const uint8_t *related)
{
	const uint32_t at = find(families, id);
	struct family_member *member;
	uint32_t parent;

	if (at == FAMILY_NONE)
		return;
	member = &families->members[at];
	parent = family_parent(families, at);
	if (!member->is_ended &&
	    (parent == FAMILY_NONE || !related || is_parent(families, parent, related)))
		return;
	member->generation++;
	member->parent = FAMILY_NONE;
}

void families_see(struct families *families, const struct event *event)
{
	uint8_t id[ACTIVITY_SIZE], related[ACTIVITY_SIZE]; /* reading the event may end here */
	int role, is_related;
	uint32_t member;

	if (!event->info || !activity_is_set(event->info->activity_id))
		return;
	role = pair_role_of(event);
	memcpy(id, event->info->activity_id, ACTIVITY_SIZE);
	is_related = activity_is_set(event->info->related_id);
	if (is_related)
		memcpy(related, event->info->related_id, ACTIVITY_SIZE);
	if (families->count && role == PAIR_START)
		start(families, id, is_related ? related : NULL);
	if (is_related)
		link(families, id, related);
	if (!families->count || role == PAIR_NEITHER)
		return;
	member = find(families, id);
	if (member != FAMILY_NONE)
		families->members[member].is_ended = role == PAIR_END;
}

uint32_t family_of(const struct families *families, const struct event *event)
{
	const uint8_t *id = event->info ? event->info->activity_id : NULL;

	return families->count && activity_is_set(id) ? find(families, id) : FAMILY_NONE;
}

uint32_t family_generation(const struct families *families, uint32_t member)
{
	return member == FAMILY_NONE ? 0 : families->members[member].generation;
}

void families_report(const struct families *families)
{
	if (families->forgotten)
		message("cannot show all events of child activities: more than %u had not ended, and "
			"%llu were forgotten", FAMILIES_MOST,
			(unsigned long long)families->forgotten);
	if (families->circles)
		message("cannot follow the parent of an activity %llu time%s, which is itself or its "
			"child", (unsigned long long)families->circles, PLURAL(families->circles));
	if (families->too_deep)
		message("cannot follow the parent of an activity %llu time%s: more than %u are within "
			"each other", (unsigned long long)families->too_deep,
			PLURAL(families->too_deep), FAMILY_DEPTH);
}

void families_free(struct families *families)
{
	free(families->members);
	key_table_free(&families->by_id);
	*families = (struct families){ .count = 0 };
}
