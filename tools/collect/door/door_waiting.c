/* SPDX-License-Identifier: MIT */
/* Keeps those that wait at a door. */
#include "door_waiting.h"

#include <stddef.h>

static unsigned count_of_user(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 2 * WAITING_MOST; i++)
		count += list->places[i].kind == kind && list->places[i].peer.uid == user;
	return count;
}

/* Of two of the same moment, that of the later place. */
static int is_later(const struct waiting *one, const struct waiting *other)
{
	return one->since == other->since ? one > other : one->since > other->since;
}

static const struct waiting *oldest(const struct waiting_list *list,
				    enum waiting_kind kind, const uid_t *user)
{
	const struct waiting *found = NULL;

	for (const struct waiting *at = list->places;
	     at < list->places + 2 * WAITING_MOST; at++)
		if (at->kind == kind && (!user || at->peer.uid == *user) &&
		    (!found || at->since < found->since))
			found = at;
	return found;
}

struct waiting *waiting_next(struct waiting_list *list, const struct waiting *after)
{
	struct waiting *found = NULL;

	for (struct waiting *at = list->places; at < list->places + 2 * WAITING_MOST; at++)
		if (at->kind == WAITING_OFFER && (!after || is_later(at, after)) &&
		    (!found || is_later(found, at)))
			found = at;
	return found;
}

struct waiting *waiting_place(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user)
{
	const int is_full = list->count[kind] >= WAITING_MOST;
	const struct waiting *found = list->places;

	if (is_full)
		found = oldest(list, kind,
			       count_of_user(list, kind, user) >= WAITING_MOST / 2 ?
				       &user :
				       NULL);
	else
		while (found->kind)
			found++;
	return (struct waiting *)(uintptr_t)found;
}

void waiting_set(struct waiting_list *list, struct waiting *place,
		 const struct waiting *one)
{
	*place = *one;
	list->count[one->kind]++;
}

void waiting_clear(struct waiting_list *list, struct waiting *place)
{
	list->count[place->kind]--;
	*place = (struct waiting){ .kind = WAITING_NONE };
}
