/* SPDX-License-Identifier: MIT */
/* Keeps those that wait at a door. */
#include "door_waiting.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <userevents/ring.h>

static unsigned count_of_user(const struct waiting_list *list, enum waiting_kind kind,
			      uid_t user)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 2 * WAITING_MOST; i++)
		count += list->places[i].kind == kind && list->places[i].peer.uid == user;
	return count;
}

/* The later place wins if both came at the same moment. */
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

int peer_has_ended(pid_t pid)
{
	return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/*
 * It wrote all that it ever will. Who has no lock counts as long as the one that
 * connected lives.
 */
static int is_over(const struct waiting *one, const struct ue_ring_info *info)
{
	return info->processes <= (peer_has_ended(one->peer.pid) ? info->unlocked : 0);
}

/*
 * Its program may have stored any count of events that were cut off, so it is believed no
 * more than its ring has room for: an event takes 8 bytes at least.
 */
static uint64_t left_in(const struct waiting *one, const struct ue_ring_info *info)
{
	const uint64_t most = (uint64_t)one->offer.file.st_size / 8;

	if (info->unread > most || info->cut_off > most - info->unread)
		return most;
	return info->unread + info->cut_off;
}

/*
 * Like an open ring, it is believed less than 2^32 losses (found_rings.c). If a collector
 * has read the ring, it has counted them, but for those since then.
 */
static uint64_t lost_in(const struct ue_ring_info *info)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS && !info->looked; i++)
		if (__builtin_add_overflow(sum, info->lost[i], &sum))
			return 0;
	return sum <= UINT32_MAX ? sum : 0;
}

uint64_t waiting_left(const struct waiting *one)
{
	struct ue_ring_info info;

	if (ue_ring_info(one->offer.ring, &info) || !is_over(one, &info))
		return 0;
	return left_in(one, &info) + lost_in(&info);
}
