/* SPDX-License-Identifier: MIT */
/*
 * Test up to 64 events of a status page kernel with one load.
 */
#include <errno.h>
#include <stddef.h>

#include <userevents/status_set.h>

#include "binding.h"
#include "lock.h"
#include "process.h"
#include "util/errno_guard.h"

/* The place of an event's byte in the kernel's bits, or -errno. Under the lock. */
static ptrdiff_t place_of(const struct ue_event *event)
{
	const struct ue__status_bits *bits = &ue__process.kernel.status;
	uintptr_t place;

	if (!ue__is_bound(ue__binding_of(event)))
		return -ENOENT;
	if (!(*event->word & UE__WORD_ASK))
		return -EOPNOTSUPP;
	/* the byte of a ring, or the one that is always set, is elsewhere */
	place = (uintptr_t)event->ue__status_byte - (uintptr_t)bits->at;
	return bits->at && place < bits->count / 8 ? (ptrdiff_t)place : -EOPNOTSUPP;
}

static int add(struct ue_status_set *set, const struct ue_event *event)
{
	const ptrdiff_t place = place_of(event);
	const uint64_t *word;

	if (place < 0)
		return (int)place;
	word = (const uint64_t *)(const void *)(ue__process.kernel.status.at +
						place / 8 * 8);
	if (set->ue__word && set->ue__word != word)
		return -ERANGE;
	set->ue__word = word;
	/* by bytes, so that the mask is right on every byte order */
	((uint8_t *)&set->ue__mask)[place % 8] |= (uint8_t)*event->word;
	return 0;
}

UE__PUBLIC int ue_status_set_add(struct ue_status_set *set, const struct ue_event *event)
{
	UE__UNDISTURBED;
	int result;

	ue__lock();
	result = add(set, event);
	ue__unlock();
	return result;
}

UE__PUBLIC int ue_status_set_any(const struct ue_status_set *set)
{
	if (!set->ue__word)
		return -EOPNOTSUPP;
	return (__atomic_load_n(set->ue__word, __ATOMIC_RELAXED) & set->ue__mask) != 0;
}
