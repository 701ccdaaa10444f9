/* SPDX-License-Identifier: MIT */
/*
 * Describe a ring.
 */
#include <userevents/loss.h>
#include <userevents/ring.h>

#include "events.h"
#include "page.h"
#include "ring_lock.h"
#include "ring_memory.h"
#include "util/errno_guard.h"
#include "util/sized_struct.h"

_Static_assert(UE_LOSS_REASONS <= UE__RING_CUT_OFF, "each reason has its own count");

static uint64_t count_used_pages(const struct ue__ring_memory *memory, uint32_t end)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < end; i++)
		used += !!__atomic_load_n(&memory->states[i], __ATOMIC_RELAXED);
	return used;
}

/* A slot keeps its id when its process dies. */
static void count_processes(const struct ue__ring_memory *memory, int fd,
			    struct ue_ring_info *info)
{
	for (uint32_t i = 0; i < memory->slot_count; i++) {
		const uint32_t id = __atomic_load_n(&memory->slots[i].id, __ATOMIC_RELAXED);

		if (!id || ue__ring_has_ended(memory, i, id, fd))
			continue;
		info->processes++;
		info->unlocked += !!(id & UE__RING_UNLOCKED);
	}
}

/* The one that describes code is no program's. */
static void count_events(const struct ue__ring_memory *memory, struct ue_ring_info *info)
{
	const uint32_t events = ue__ring_events(memory);
	uint8_t bits;

	for (uint32_t i = 0; i < events; i++) {
		if (ue__ring_describes(memory, i))
			continue;
		info->events++;
		bits = __atomic_load_n(&memory->enabled[i / 8], __ATOMIC_RELAXED);
		info->enabled += bits >> i % 8 & 1;
	}
}

/* A page that its process took, and had no time to begin, has a hole, too. */
static struct ue__ring_count count_records(const struct ue__ring_memory *memory,
					   uint32_t index, uint64_t state,
					   int *is_complete)
{
	const struct ue__ring_page *page = ue__ring_page(memory, index);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	*is_complete = 0;
	if (ue__ring_number_of(word) != ue__ring_number_of(state))
		return (struct ue__ring_count){ .holes = 1 };
	*is_complete = ue__ring_is_complete(page, word);
	return ue__ring_count(page, ue__ring_size_of(memory, index), word, sizeof(*page));
}

static void add_held(const struct ue__ring_memory *memory, uint64_t state,
		     struct ue_ring_info *info)
{
	info->held++;
	info->holder = __atomic_load_n(&memory->slots[ue__ring_slot_of(state)].pid,
				       __ATOMIC_RELAXED);
}

/* Events that wait, and those that the dead cut off, in a page in use. */
static void add_records(const struct ue__ring_memory *memory, uint32_t index, int fd,
			struct ue_ring_info *info)
{
	const uint64_t *place = &memory->states[index];
	const uint64_t state = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	struct ue__ring_count count;
	int is_complete, is_dead;

	if (memory->mode == UE__RING_OVERWRITE)
		info->overwritten += ue__ring_gone(memory, index);
	if (!state || state == UE__RING_FREEING)
		return;
	count = count_records(memory, index, state, &is_complete);
	is_dead = !is_complete && ue__ring_is_dead(memory, state, fd);
	if (__atomic_load_n(place, __ATOMIC_RELAXED) != state)
		return;
	info->unread += count.done - count.taken;
	info->cut_off += is_dead ? count.holes : 0;
	if (!is_complete && !is_dead)
		add_held(memory, state, info);
}

static void add_losses(const struct ue__ring *ring, struct ue_ring_info *info)
{
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		info->lost[i] = __atomic_load_n(&ring->lost[i], __ATOMIC_RELAXED);
	info->cut_off = __atomic_load_n(&ring->lost[UE__RING_CUT_OFF], __ATOMIC_RELAXED);
}

static void describe(const struct ue__ring_memory *memory, int fd, struct ue_ring_info *info)
{
	*info = (struct ue_ring_info){
		.bytes = memory->size,
		.mode = memory->mode,
		.is_tsc = memory->clock == UE__RING_TSC,
		.created = memory->ring->created.real,
		.pages = memory->page_count,
		.pages_used = count_used_pages(memory, memory->page_count),
		.page_bytes = UE__RING_LARGE,
		.has_reader = (uint32_t)ue__ring_is_locked(fd, UE__RING_READER_LOCK),
		.events_max = memory->event_count,
		.small_pages = memory->small_count,
		.small_pages_used = count_used_pages(memory, memory->small_count),
		.small_page_bytes = UE__RING_SMALL,
		.looked = __atomic_load_n(&memory->ring->looked, __ATOMIC_RELAXED),
	};
	count_events(memory, info);
	count_processes(memory, fd, info);
	add_losses(memory->ring, info);
	for (uint32_t i = 0; i < memory->page_count; i++)
		add_records(memory, i, fd, info);
}

UE__PUBLIC int ue_ring_info_sized(int fd, struct ue_ring_info *info, size_t size)
{
	UE__UNDISTURBED;
	struct ue__ring_memory memory;
	struct ue_ring_info found;
	int result = ue__ring_map(&memory, fd);

	if (result)
		return result;
	describe(&memory, fd, &found);
	ue__ring_unmap(&memory);
	found.size = size < sizeof(found) ? size : sizeof(found);
	ue__hand_out(info, size, &found, sizeof(found));
	return 0;
}
