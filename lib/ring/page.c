/* SPDX-License-Identifier: MIT */
/*
 * Pages, as writers and readers look at them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "util/errno_guard.h"

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

int ue__ring_give_back(struct ue__ring_page *page, uint64_t word)
{
	return word & UE__RING_CLOSED ||
	       __atomic_compare_exchange_n(&page->word, &word, word | UE__RING_CLOSED, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

struct ue__ring_count ue__ring_count(const struct ue__ring_page *page, uint32_t size,
				     uint64_t word, uint32_t at)
{
	const uint32_t end = ue__ring_used(word, size);
	struct ue__ring_count count = { 0 };
	int is_zero = 0;

	while (at < end) {
		const uint32_t *place = (const uint32_t *)(const void *)((const char *)page + at);
		const uint32_t head = __atomic_load_n(place, __ATOMIC_ACQUIRE);

		if (!(head & UE__RING_DESCRIBES)) {
			count.done += !!(head & UE__RING_DONE);
			count.taken += head & UE__RING_DONE && head & UE__RING_TAKEN;
			count.holes += !(head & UE__RING_DONE) && !(is_zero && !head);
		}
		is_zero = !head;
		at += head ? ue__ring_record_size(head & UE__RING_SIZE) : 8;
	}
	return count;
}

/* Counting overwritten events */

#define WHOSE_BITS 24
#define WHOSE ((1u << WHOSE_BITS) - 1)

static int is_counted(uint64_t gone, uint32_t number)
{
	return !number || (gone & WHOSE) == (number & WHOSE);
}

/* A process that died amid a record is the one reason to look at the records. */
static struct ue__ring_count count_all(const struct ue__ring_page *page, uint32_t size,
				       uint64_t word)
{
	if (ue__ring_is_complete(page, word))
		return (struct ue__ring_count){
			.done = (uint32_t)(__atomic_load_n(&page->done,
							   __ATOMIC_RELAXED) >>
					   32),
		};
	return ue__ring_count(page, size, word, sizeof(*page));
}

uint32_t ue__ring_count_gone(const struct ue__ring_memory *memory, uint32_t index,
			     uint64_t word)
{
	struct ue__ring_page *page = ue__ring_page(memory, index);
	const uint32_t number = ue__ring_number_of(word);
	const uint64_t gone = __atomic_load_n(&page->gone, __ATOMIC_ACQUIRE);
	struct ue__ring_count count;
	uint64_t sum;

	if (is_counted(gone, number))
		return 0;
	count = count_all(page, ue__ring_size_of(memory, index), word);
	sum = (gone >> WHOSE_BITS) + count.done;
	__atomic_store_n(&page->gone, sum << WHOSE_BITS | (number & WHOSE),
			 __ATOMIC_RELEASE);
	return count.holes;
}

/*
 * The memory of a page that was never opened is left alone, as it may not be allocated.
 */
static int was_opened(const struct ue__ring_memory *memory, uint32_t index)
{
	const int is_large = ue__ring_is_large(memory, index);

	return index - ue__ring_first(memory, is_large) <=
	       __atomic_load_n(&memory->ring->opened[is_large], __ATOMIC_RELAXED);
}

uint64_t ue__ring_gone(const struct ue__ring_memory *memory, uint32_t index)
{
	const struct ue__ring_page *page = ue__ring_page(memory, index);
	uint64_t gone, state, word;
	uint32_t more = 0;

	if (!was_opened(memory, index))
		return 0;
	gone = __atomic_load_n(&page->gone, __ATOMIC_ACQUIRE);
	state = __atomic_load_n(&memory->states[index], __ATOMIC_ACQUIRE);
	word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
	if (ue__ring_number_of(state) != ue__ring_number_of(word) &&
	    !is_counted(gone, ue__ring_number_of(word)))
		more = count_all(page, ue__ring_size_of(memory, index), word).done;
	/* Until they are counted, they are not wiped. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&page->gone, __ATOMIC_RELAXED) != gone)
		return __atomic_load_n(&page->gone, __ATOMIC_ACQUIRE) >> WHOSE_BITS;
	return ((gone >> WHOSE_BITS) + more) & UE__RING_GONE_MASK;
}

/* Free pages */

/*
 * Pages are in groups of 16. A group in which no page is free has a mark, a bit of a word for
 * 64 groups. Who takes a page looks whether another one of the group is free, which is
 * usually the next, and sets the mark if not; who frees one removes the mark. So a search
 * passes 1,024 pages in use with one look at a word.
 *
 * Who sets a mark looks at the pages once more and removes it if one is free by now; a page
 * that was freed before he set the mark is seen, and who frees one later removes the mark.
 * Meanwhile another writer may have found nothing and remembered that, so he announces
 * the page as freed. If he is killed in between, the reader removes the mark as it comes
 * by.
 */
#define OF_WORD 64u
#define GROUP UE__RING_GROUP

static uint64_t *word_of(const struct ue__ring_memory *memory, uint32_t group)
{
	return &memory->full_groups[group / OF_WORD];
}

static uint64_t bit_of(uint32_t group)
{
	return UINT64_C(1) << group % OF_WORD;
}

/* The first group from one on without a mark; one behind the last if there is none. */
static uint32_t next_group(const struct ue__ring_memory *memory, uint32_t group,
			   uint32_t last)
{
	const uint64_t *word = word_of(memory, group), *end = word_of(memory, last);
	uint64_t open = ~__atomic_load_n(word, __ATOMIC_ACQUIRE) >> group % OF_WORD
			<< group % OF_WORD;

	while (!open && word < end)
		open = ~__atomic_load_n(++word, __ATOMIC_ACQUIRE);
	return open ? (uint32_t)(word - memory->full_groups) * OF_WORD +
			       (uint32_t)__builtin_ctzll(open) :
		      last + 1;
}

uint32_t ue__ring_find_group(const struct ue__ring_memory *memory, uint32_t at,
			     uint32_t end)
{
	uint32_t group;

	if (at >= end)
		return end;
	group = next_group(memory, at / GROUP, (end - 1) / GROUP);
	if (group == at / GROUP)
		return at;
	return group > (end - 1) / GROUP ? end : group * GROUP;
}

uint32_t ue__ring_end_of_group(uint32_t at, uint32_t end)
{
	const uint32_t left = GROUP - at % GROUP;

	return left < end - at ? at + left : end;
}

uint32_t ue__ring_find_free(const struct ue__ring_memory *memory, uint32_t at, uint32_t end)
{
	const uint64_t *states = memory->states;

	while (at < end && __atomic_load_n(&states[at], __ATOMIC_ACQUIRE))
		at++;
	return at;
}

static int has_free(const struct ue__ring_memory *memory, uint32_t group)
{
	const uint32_t end = ue__ring_end_of_group(group * GROUP, memory->page_count);

	return ue__ring_find_free(memory, group * GROUP, end) < end;
}

void ue__ring_note_taken(const struct ue__ring_memory *memory, uint32_t index)
{
	const uint32_t group = index / GROUP;

	/* Pages are taken one after the other. */
	if ((index + 1 < memory->page_count && index % GROUP != GROUP - 1 &&
	     !__atomic_load_n(&memory->states[index + 1], __ATOMIC_RELAXED)) ||
	    has_free(memory, group))
		return;
	__atomic_fetch_or(word_of(memory, group), bit_of(group), __ATOMIC_ACQ_REL);
	if (!has_free(memory, group))
		return;
	ue__ring_note_freed(memory, index);
	__atomic_fetch_add(&memory->ring->freed, 1, __ATOMIC_RELEASE);
}

int ue__ring_is_passed(const struct ue__ring_memory *memory, uint32_t index)
{
	const uint32_t group = index / GROUP;
	const uint64_t word = __atomic_load_n(word_of(memory, group), __ATOMIC_RELAXED);

	return (word & bit_of(group)) != 0;
}

void ue__ring_note_freed(const struct ue__ring_memory *memory, uint32_t index)
{
	const uint32_t group = index / GROUP;

	__atomic_fetch_and(word_of(memory, group), ~bit_of(group), __ATOMIC_ACQ_REL);
}

/* Life */

static int is_nobodys(pid_t pid)
{
	return getpgid(pid) < 0 && errno == ESRCH;
}

/*
 * Has the process of a slot ended that could not take its lock? If its pid belongs to another
 * process now, it counts as alive. If the slot does, the id has changed in the end.
 */
static int is_gone(const struct ue__ring_memory *memory, const struct ue__ring_slot *slot,
		   uint32_t id)
{
	const uint64_t lives_in = __atomic_load_n(&slot->lives_in, __ATOMIC_ACQUIRE);
	const uint32_t pid = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);

	return memory->pid_namespace &&
	       lives_in == ((uint64_t)id << 32 | memory->pid_namespace) &&
	       is_nobodys((pid_t)pid) && __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE) == id;
}

int ue__ring_has_ended(const struct ue__ring_memory *memory, uint32_t slot, uint32_t id,
		       int lock_fd)
{
	UE__KEEP_ERRNO;

	if (id & UE__RING_UNLOCKED)
		return is_gone(memory, &memory->slots[slot], id);
	return !ue__ring_is_locked(lock_fd, UE__RING_SLOT_LOCK(slot));
}

int ue__ring_is_dead(const struct ue__ring_memory *memory, uint64_t state, int lock_fd)
{
	const uint32_t slot = ue__ring_slot_of(state), id = ue__ring_id_of(state);

	return slot >= memory->slot_count ||
	       __atomic_load_n(&memory->slots[slot].id, __ATOMIC_ACQUIRE) != id ||
	       ue__ring_has_ended(memory, slot, id, lock_fd);
}
