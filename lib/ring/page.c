/* SPDX-License-Identifier: MIT */
/*
 * Pages, as writers and readers look at them.
 */
#include "ring_lock.h"
#include "page.h"

uint64_t ue__ring_close_page(struct ue__ring_page *page, uint64_t word)
{
	const uint32_t number = ue__ring_number_of(word);

	while (ue__ring_number_of(word) == number && !(word & UE__RING_CLOSED))
		if (__atomic_compare_exchange_n(&page->word, &word, word | UE__RING_CLOSED, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return word | UE__RING_CLOSED;
	return word;
}

struct ue__ring_count ue__ring_count(const struct ue__ring_page *page, uint64_t word,
				     uint32_t at)
{
	const uint32_t end = ue__ring_used(word);
	struct ue__ring_count count = { 0 };
	int is_zero = 0;

	while (at < end) {
		const uint32_t *place = (const uint32_t *)(const void *)((const char *)page + at);
		const uint32_t head = __atomic_load_n(place, __ATOMIC_ACQUIRE);

		count.done += !!(head & UE__RING_DONE);
		count.holes += !(head & UE__RING_DONE) && !(is_zero && !head);
		is_zero = !head;
		at += head ? ue__ring_record_size(head & UE__RING_SIZE) : 8;
	}
	return count;
}

int ue__ring_is_dead(const struct ue__ring_memory *memory, uint64_t state, int lock_fd)
{
	const uint32_t slot = ue__ring_slot_of(state), id = ue__ring_id_of(state);

	if (slot >= memory->slot_count ||
	    __atomic_load_n(&memory->slots[slot].id, __ATOMIC_ACQUIRE) != id)
		return 1;
	return !(id & UE__RING_UNLOCKED) && !ue__ring_is_locked(lock_fd, UE__RING_SLOT_LOCK(slot));
}
