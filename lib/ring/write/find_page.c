/* SPDX-License-Identifier: MIT */
/*
 * Find a page that can be used, and clear it.
 */
#include <string.h>

#include "find_page.h"
#include "ring/page.h"

/*
 * Zeros; no call, as a signal handler's stack may be small and a call's code large. "rep
 * stos" takes longer to begin than this for a piece.
 */
#define BLOCK 256u

static inline __attribute__((always_inline)) void wipe_block(char *at, unsigned size,
							     unsigned unit)
{
	static const char zeros[16];

#pragma GCC unroll 16
	for (unsigned i = 0; i < size; i += unit)
		memcpy(at + i, zeros, unit);
	__asm__("" : "+r"(at));
}

/*
 * The copy takes as few instructions as possible. The last block may overlap the one
 * before.
 */
static void wipe(struct ue__ring_page *page, uint32_t begin, uint32_t end)
{
	char *at = (char *)page + begin, *stop = (char *)page + end;

	if (end - begin < BLOCK) {
		for (; at < stop; at += 8)
			wipe_block(at, 8, 8);
		return;
	}
	for (; at < stop - BLOCK; at += BLOCK)
		wipe_block(at, BLOCK, 16);
	wipe_block(stop - BLOCK, BLOCK, 16);
}

/*
 * Clear a page from one place to some way behind another, to where it has room now. A
 * reader that sees a zero, or a byte of a new record, sees the new state, too.
 */
uint32_t ue__ring_clear_piece(struct ue__ring_page *page, uint32_t begin, uint32_t end,
			      uint32_t size, uint32_t piece)
{
	const uint32_t room = (end + piece) & ~(UE__RING_UNIT - 1);
	const uint32_t stop = room + UE__RING_FIRST_PIECE < size ? room : size;

	__atomic_thread_fence(__ATOMIC_RELEASE);
	wipe(page, begin, stop);
	return stop;
}

/* The kernel reports no lock to its own holder, so this process cannot ask it about itself. */
static int is_own(const struct ue__ring_writer *writer, uint64_t state)
{
	return (uint32_t)state == writer->owner;
}

/*
 * Has the process of a page died? A system call, and so only for pages that were opened a
 * whole round ago; for all pages after a search has found none.
 */
static int is_left_behind(const struct ue__ring_writer *writer, uint32_t index,
			  uint32_t number, uint64_t state)
{
	const int is_large = ue__ring_is_large(&writer->memory, index);

	return (number - ue__ring_number_of(state) >=
			ue__ring_count_of(&writer->memory, is_large) ||
		__atomic_load_n(&writer->full_at, __ATOMIC_RELAXED)) &&
	       !is_own(writer, state) && ue__ring_can_ask(writer) &&
	       ue__ring_is_dead(&writer->memory, state, writer->lock_fd);
}

/*
 * May the records of a page be overwritten? Closes it if it is complete. The word of a
 * dead process is final; if it has another number, the process had not begun the page.
 */
static int is_expendable(const struct ue__ring_writer *writer, uint32_t index,
			 uint32_t number, uint64_t state)
{
	struct ue__ring_page *page = ue__ring_page(&writer->memory, index);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	if (ue__ring_number_of(word) == ue__ring_number_of(state) &&
	    ue__ring_is_complete(page, word))
		return ue__ring_give_back(page, word);
	return is_left_behind(writer, index, number, state);
}

/* A process that died before it began its page lost the record that it took it for. */
static void count_overwritten(struct ue__ring_writer *writer, uint32_t index,
			      uint64_t word, uint64_t state)
{
	const uint32_t cut_off = ue__ring_count_gone(&writer->memory, index, word) +
				 (ue__ring_number_of(word) != ue__ring_number_of(state));

	if (cut_off)
		__atomic_fetch_add(&writer->memory.ring->lost[UE__RING_CUT_OFF], cut_off,
				   __ATOMIC_RELAXED);
}

/*
 * The room of the page for a first record of this size; 0 if it cannot be had. Old bytes
 * are cleared piece by piece, as the page is filled.
 */
static uint32_t overwrite(struct ue__ring_writer *writer, uint32_t index, uint32_t number,
			  uint64_t state, uint32_t total)
{
	struct ue__ring_page *page = ue__ring_page(&writer->memory, index);

	if (!is_expendable(writer, index, number, state) ||
	    !__atomic_compare_exchange_n(&writer->memory.states[index], &state,
					 ue__ring_state(number, writer->owner), 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	count_overwritten(writer, index, __atomic_load_n(&page->word, __ATOMIC_RELAXED),
			  state);
	return ue__ring_clear_piece(page, sizeof(*page), sizeof(*page) + total,
				    ue__ring_size_of(&writer->memory, index),
				    UE__RING_FIRST_PIECE);
}

/* The room of the page, if it was free: it consists of zeros. */
static uint32_t take_free(struct ue__ring_writer *writer, uint32_t index, uint32_t number)
{
	uint64_t *at = &writer->memory.states[index];
	uint64_t state = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	return !state && __atomic_compare_exchange_n(at, &state,
						     ue__ring_state(number, writer->owner),
						     0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ?
		       ue__ring_size_of(&writer->memory, index) : 0;
}

/* The room of the page, which is this writer's now, and has zeros there; else 0. */
static uint32_t take_page(struct ue__ring_writer *writer, uint32_t index, uint32_t number,
			  uint32_t total)
{
	const uint64_t state =
		__atomic_load_n(&writer->memory.states[index], __ATOMIC_ACQUIRE);

	return state ? overwrite(writer, index, number, state, total) :
		       take_free(writer, index, number);
}

/* The lower bits tell whose events were counted (page.c), and 0 means nobody's. */
static uint32_t next_number(struct ue__ring_writer *writer, int is_large)
{
	uint32_t *opened = &writer->memory.ring->opened[is_large], number;

	do
		number = __atomic_add_fetch(opened, 1, __ATOMIC_RELAXED);
	while (number << 8 == 0 || number == UINT32_MAX);
	return number;
}

/*
 * An idle process may write into its page just before that is overwritten, and would lose
 * young events. So a page is closed half a round before its turn comes.
 */
static void close_half_a_round_ahead(struct ue__ring_writer *writer, int is_large,
				     uint32_t number, uint32_t at)
{
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);
	struct ue__ring_page *page = ue__ring_half_a_round_ahead(writer, is_large, at);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	if (word && number - ue__ring_number_of(word) >= count / 2 &&
	    ue__ring_is_complete(page, word))
		ue__ring_give_back(page, word);
}

static uint64_t know(const struct ue__ring_writer *writer, uint32_t index,
		     uint32_t number, uint32_t room)
{
	const size_t place = ue__ring_place_of(&writer->memory, index);

	return ue__ring_with_room((uint64_t)number << 32 | place >> UE__RING_UNIT_SHIFT, room);
}

/* The search begins at this page, so that the first that can be overwritten is the oldest. */
static uint64_t find_oldest(struct ue__ring_writer *writer, int is_large, uint32_t number,
			    uint32_t total, uint32_t *passed)
{
	const uint32_t first = ue__ring_first(&writer->memory, is_large);
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);
	uint32_t at = number % count;

	for (uint32_t i = 0; i < count; i++, at = at + 1 < count ? at + 1 : 0) {
		const uint32_t room = take_page(writer, first + at, number, total);

		if (!room)
			continue;
		close_half_a_round_ahead(writer, is_large, number + i, at);
		*passed = i;
		return know(writer, first + at, number, room);
	}
	return UE__RING_NO_PAGE;
}

/* A free page between two places. */
static uint64_t find_free_between(struct ue__ring_writer *writer, uint32_t number,
				  uint32_t at, uint32_t end)
{
	const struct ue__ring_memory *memory = &writer->memory;

	while ((at = ue__ring_find_group(memory, at, end)) < end) {
		const uint32_t begin = at, stop = ue__ring_end_of_group(at, end);

		for (; (at = ue__ring_find_free(memory, at, stop)) < stop; at++) {
			const uint32_t room = take_free(writer, at, number);

			if (!room)
				continue;
			ue__ring_note_taken(memory, at);
			return know(writer, at, number, room);
		}
		if (stop - begin == UE__RING_GROUP)
			ue__ring_note_taken(memory, begin);
	}
	return UE__RING_NO_PAGE;
}

static uint64_t find_free(struct ue__ring_writer *writer, int is_large, uint32_t number,
			  uint32_t *passed)
{
	const uint32_t first = ue__ring_first(&writer->memory, is_large);
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);
	const uint32_t at = first + number % count;
	uint64_t found = find_free_between(writer, number, at, first + count);

	if (found == UE__RING_NO_PAGE)
		found = find_free_between(writer, number, first, at);
	*passed = (ue__ring_index_of(writer, found) + count - at) % count;
	return found;
}

/*
 * A page of a size, for a first record; UE__RING_NO_PAGE if there is none. If pages were
 * passed, the numbers pass them too: the next search would else begin at the page that was
 * just taken.
 */
uint64_t ue__ring_find_page(struct ue__ring_writer *writer, int is_large, uint32_t total)
{
	const uint32_t number = next_number(writer, is_large);
	uint32_t passed = 0;
	const uint64_t found =
		writer->memory.mode == UE__RING_OVERWRITE ?
			find_oldest(writer, is_large, number, total, &passed) :
			find_free(writer, is_large, number, &passed);

	if (passed && found != UE__RING_NO_PAGE)
		__atomic_fetch_add(&writer->memory.ring->opened[is_large], passed,
				   __ATOMIC_RELAXED);
	return found;
}

/*
 * A small page would outlive later events of its process, as it is overwritten when
 * small pages are short, and large ones are overwritten when those are. So whoever
 * overwrites a large page frees the small one before, if that is older.
 */
void ue__ring_free_first(struct ue__ring_writer *writer, uint32_t cpu,
			 const struct ue__ring_page *overwritten)
{
	const uint64_t first = __atomic_load_n(&writer->on[cpu].first, __ATOMIC_ACQUIRE);
	const uint32_t index = (uint32_t)first & UE__RING_PLACE;
	struct ue__ring_page *page = ue__ring_page_of(writer, first);
	uint64_t state = ue__ring_state(ue__ring_number_of(first), writer->owner);
	uint64_t word;

	if (first == UE__RING_NO_PAGE)
		return;
	word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
	if (ue__ring_number_of(word) == ue__ring_number_of(first)) {
		if (page->counter > overwritten->counter ||
		    !ue__ring_is_complete(page, word) || !ue__ring_give_back(page, word))
			return;
		if (__atomic_compare_exchange_n(
			    &writer->memory.states[index], &state,
			    ue__ring_state(next_number(writer, 0), writer->owner), 0,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			ue__ring_count_gone(&writer->memory, index, word);
			__atomic_thread_fence(__ATOMIC_RELEASE);
			wipe(page, sizeof(*page), UE__RING_SMALL);
			__atomic_store_n(&writer->memory.states[index], 0,
					 __ATOMIC_RELEASE);
		}
	}
	__atomic_store_n(&writer->on[cpu].first, UE__RING_NO_PAGE, __ATOMIC_RELAXED);
}
