/* SPDX-License-Identifier: MIT */
/*
 * Pass over the pages of a ring, and free those that were read.
 *
 * A pass goes through all pages and collects references to the records that are done. They are
 * sorted by time and handed out one after the other; the next pass follows when all are. A
 * pass takes no record that is younger than its own beginning: such a record may have
 * an older one on a processor that the pass has visited already. So events come in the order
 * of their times, except for writes that were stamped before the pass, and done after it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring/page.h"
#include "ring/ring_clock.h"
#include "ring_pass.h"

/* Overwritten */

/*
 * Records that were overwritten since the last visit, less those of the page of that
 * visit that were handed out. If the page changes hands meanwhile, the next visit counts.
 */
static void count_missed(struct ue__ring_reader *reader, uint32_t index, uint64_t state)
{
	struct ue__ring_seen *seen = &reader->seen[index];
	const uint64_t gone = ue__ring_gone(&reader->memory, index);
	const uint64_t more = (gone - seen->gone) & UE__RING_GONE_MASK;
	const uint32_t events = seen->handed_out - seen->described;

	if (__atomic_load_n(&reader->memory.states[index], __ATOMIC_ACQUIRE) != state)
		return;
	reader->missed += more > events ? more - events : 0;
	seen->gone = gone;
	ue__ring_forget(seen, ue__ring_number_of(state));
}

/* Freeing */

static void tell_writers(struct ue__ring *ring)
{
	__atomic_fetch_add(&ring->freed, 1, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&ring->waiting, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ring->freed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/*
 * With overwrite a process frees a page itself, now and then. Otherwise writers must find
 * it: who marked its group as full may have been killed before he looked again.
 */
static void visit_free(struct ue__ring_reader *reader, uint32_t index)
{
	const struct ue__ring_memory *memory = &reader->memory;

	if (memory->mode == UE__RING_OVERWRITE) {
		if (ue__ring_gone(memory, index) != reader->seen[index].gone)
			count_missed(reader, index, 0);
	} else if (reader->is_consumer && ue__ring_is_passed(memory, index)) {
		ue__ring_note_freed(memory, index);
		tell_writers(memory->ring);
	}
}

/*
 * A reader that frees no pages may be copying a record of this one: it must see another
 * state if it sees any zero. A reader that dies in between leaves a page without an owner,
 * which the next one frees.
 */
static void free_page(struct ue__ring_reader *reader, uint32_t index, uint32_t used)
{
	const struct ue__ring_memory *memory = &reader->memory;
	struct ue__ring_page *page = ue__ring_page(memory, index);

	__atomic_store_n(&memory->states[index], UE__RING_FREEING, __ATOMIC_RELAXED);
	/* Another reader that sees a zero sees that the page was given up, too. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/* A late writer compares the word, so it must not find half of one. */
	__atomic_store_n(&page->word, 0, __ATOMIC_RELAXED);
	memset((char *)page + sizeof(page->word), 0, sizeof(*page) - sizeof(page->word));
	if (used > sizeof(*page))
		memset(page + 1, 0, used - sizeof(*page));
	ue__ring_forget(&reader->seen[index], 0);
	__atomic_store_n(&memory->states[index], 0, __ATOMIC_RELEASE);
	ue__ring_note_freed(memory, index);
	tell_writers(memory->ring);
}

static uint32_t used(const struct ue__ring_reader *reader, uint32_t index, uint64_t word)
{
	return ue__ring_used(word, ue__ring_size_of(&reader->memory, index));
}

/*
 * A page that has been read can be used again, when its writers have counted all records
 * as done, which is their last access, and it is closed, or can be.
 */
static int is_read(const struct ue__ring_reader *reader, uint32_t index, uint64_t word)
{
	const struct ue__ring_seen *seen = &reader->seen[index];
	struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	const int may_close = reader->is_short[ue__ring_is_large(&reader->memory, index)];

	return (word & UE__RING_CLOSED || may_close) &&
	       ue__ring_number_of(word) == seen->number && !seen->waiting &&
	       seen->at >= used(reader, index, word) &&
	       ue__ring_is_complete(page, word) && ue__ring_give_back(page, word);
}

/* Free the page if it has been read; 1 if so. */
static int give_back(struct ue__ring_reader *reader, uint32_t index, uint64_t word)
{
	if (!is_read(reader, index, word))
		return 0;
	free_page(reader, index, used(reader, index, word));
	return 1;
}

/* A page that its process left open, or with a hole. Its word is final once it is dead. */
static void bury(struct ue__ring_reader *reader, uint32_t index, uint64_t state)
{
	struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	struct ue__ring_seen *seen = &reader->seen[index];
	uint64_t word;

	if (!ue__ring_is_dead(&reader->memory, state, reader->fd))
		return;
	word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
	if (ue__ring_number_of(word) != ue__ring_number_of(state)) {
		/* It died before it began. */
		__atomic_fetch_add(&reader->memory.ring->lost[UE__RING_CUT_OFF], 1,
				   __ATOMIC_RELAXED);
		free_page(reader, index, ue__ring_size_of(&reader->memory, index));
		return;
	}
	word = ue__ring_close_page(page, word);
	if (ue__ring_collect_page(reader, index, used(reader, index, word)) || seen->waiting ||
	    seen->is_young)
		return;
	__atomic_fetch_add(&reader->memory.ring->lost[UE__RING_CUT_OFF],
			   ue__ring_count(page, ue__ring_size_of(&reader->memory, index),
					  word, seen->at)
				   .holes,
			   __ATOMIC_RELAXED);
	free_page(reader, index, used(reader, index, word));
}

/* Passes */

#define BURIAL_NS 50000000

/*
 * Processes are asked whether they are dead now and then, as each answer is a system call,
 * and always while pages are short.
 */
static int is_time_to_bury(struct ue__ring_reader *reader)
{
	if (!reader->is_consumer)
		return 0;
	if (reader->is_short[0] || reader->is_short[1])
		return 1;
	if (reader->now.monotonic < reader->next_burial)
		return 0;
	reader->next_burial = reader->now.monotonic + BURIAL_NS;
	return 1;
}

/*
 * Whoever could not read the name of the boot wrote in that in which the ring was
 * created.
 */
uint32_t ue__ring_boot_of_page(const struct ue__ring_reader *reader,
			       const struct ue__ring_page *page)
{
	return page->boot ? page->boot : reader->created_in;
}

static void note_boot(struct ue__ring_reader *reader, struct ue__ring_seen *seen,
		      const struct ue__ring_page *page)
{
	const struct ue__ring_moment opened = ue__ring_moment_of(page);

	seen->boot = ue__ring_boot_of_page(reader, page);
	if (seen->boot != reader->boots.current)
		ue__ring_note_moment(&reader->boots, seen->boot, &opened);
}

int ue__ring_look(struct ue__ring_reader *reader, uint32_t index, uint64_t *word)
{
	struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	struct ue__ring_seen *seen = &reader->seen[index];
	const uint64_t state = __atomic_load_n(&reader->memory.states[index], __ATOMIC_ACQUIRE);

	if (!state) {
		visit_free(reader, index);
		return 0;
	}
	reader->in_use[ue__ring_is_large(&reader->memory, index)]++;
	if (state == UE__RING_FREEING) {
		if (reader->is_consumer)
			free_page(reader, index,
				  ue__ring_size_of(&reader->memory, index));
		return 0;
	}
	if (seen->number != ue__ring_number_of(state) || !seen->at)
		count_missed(reader, index, state);
	if (seen->number != ue__ring_number_of(state) || !seen->at)
		return 0; /* it changes hands just now */
	*word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
	if (ue__ring_number_of(*word) == seen->number && !seen->boot)
		note_boot(reader, seen, page);
	return 1;
}

int ue__ring_collect(struct ue__ring_reader *reader, uint32_t index, uint64_t word,
		     int may_bury)
{
	const struct ue__ring_seen *seen = &reader->seen[index];
	const uint64_t state =
		__atomic_load_n(&reader->memory.states[index], __ATOMIC_ACQUIRE);
	int result = 0;

	if (ue__ring_number_of(word) == seen->number)
		result = ue__ring_collect_page(reader, index, used(reader, index, word));
	if (result || !reader->is_consumer)
		return result;
	if (!give_back(reader, index, word) && may_bury && !seen->waiting &&
	    ue__ring_number_of(state) == seen->number)
		bury(reader, index, state);
	return 0;
}

int ue__ring_compare(const void *a, const void *b)
{
	const struct ue__ring_reference *one = a, *other = b;

	if (one->boot != other->boot)
		return one->boot < other->boot ? -1 : 1;
	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

static int is_half_used(const struct ue__ring_reader *reader, int is_large)
{
	return reader->in_use[is_large] > ue__ring_count_of(&reader->memory, is_large) / 2;
}

int ue__ring_is_short(const struct ue__ring_reader *reader)
{
	return __atomic_load_n(&reader->memory.ring->waiting, __ATOMIC_RELAXED) ||
	       is_half_used(reader, 0) || is_half_used(reader, 1);
}

/* Half of the pages of a size are in use, or a writer waits for one. */
static void find_shortage(struct ue__ring_reader *reader)
{
	reader->is_waited_for =
		!!__atomic_load_n(&reader->memory.ring->waiting, __ATOMIC_SEQ_CST);
	for (int is_large = 0; is_large < UE__RING_SIZES; is_large++) {
		reader->is_short[is_large] =
			reader->is_waited_for || is_half_used(reader, is_large);
		reader->in_use[is_large] = 0;
	}
}

/*
 * A process that becomes a daemon goes on reading as another one. A reader that was
 * killed may have freed a page and told nobody.
 */
static void introduce(struct ue__ring_reader *reader)
{
	const pid_t pid = getpid();

	if (!reader->is_consumer || reader->pid == pid)
		return;
	reader->pid = pid;
	__atomic_store_n(&reader->memory.ring->reader,
			 (uint64_t)reader->memory.pid_namespace << 32 | (uint32_t)pid,
			 __ATOMIC_RELEASE);
	tell_writers(reader->memory.ring);
}

/* Writers whose ring nobody looks at seek another reader (socket/offer_ring.c). */
void ue__ring_note_reader(struct ue__ring_reader *reader)
{
	if (reader->is_consumer)
		__atomic_store_n(&reader->memory.ring->looked,
				 ue__ring_time(reader->memory.clock), __ATOMIC_RELAXED);
}

static void note_look(struct ue__ring_reader *reader)
{
	struct ue__ring *ring = reader->memory.ring;

	for (int is_large = 0; is_large < UE__RING_SIZES; is_large++) {
		const uint32_t opened =
			__atomic_load_n(&ring->opened[is_large], __ATOMIC_RELAXED);

		reader->looked_at[is_large] = opened;
		if (reader->is_woken)
			__atomic_store_n(&ring->looked_at[is_large], opened,
					 __ATOMIC_RELAXED);
	}
}

int ue__ring_begin_pass(struct ue__ring_reader *reader)
{
	introduce(reader);
	reader->now = ue__ring_now(reader->memory.clock);
	ue__ring_note_moment(&reader->boots, reader->boots.current, &reader->now);
	note_look(reader);
	ue__ring_note_reader(reader);
	find_shortage(reader);
	ue__ring_forget_references(reader);
	return is_time_to_bury(reader);
}

int ue__ring_pass(struct ue__ring_reader *reader)
{
	const int may_bury = ue__ring_begin_pass(reader);
	int result = 0;

	for (uint32_t i = 0; !result && i < reader->memory.page_count; i++) {
		uint64_t word;

		if (ue__ring_look(reader, i, &word))
			result = ue__ring_collect(reader, i, word, may_bury);
	}
	if (!reader->found_count)
		return result;
	reader->found_at = reader->now.monotonic;
	qsort(reader->found, reader->found_count, sizeof(*reader->found),
	      ue__ring_compare);
	return result;
}

/* Records that were handed out */

/* The page may stay for long, and this reader may not. */
static void mark_taken(struct ue__ring_page *page, uint32_t at)
{
	uint32_t *head = (uint32_t *)(void *)((char *)page + at);

	__atomic_store_n(head, *head | UE__RING_TAKEN, __ATOMIC_RELAXED);
}

/*
 * The page is not free by now, and has this word. After a fork, the reader in the other
 * process may have freed the page that both had in hand, and writers use the page again.
 */
static int may_mark(struct ue__ring_reader *reader, uint32_t index, uint64_t word)
{
	return reader->is_consumer &&
	       ue__ring_number_of(word) == reader->seen[index].number &&
	       !give_back(reader, index, word);
}

static void note_handed_out(struct ue__ring_reader *reader,
			    const struct ue__ring_reference *reference, uint32_t count)
{
	struct ue__ring_seen *seen = &reader->seen[reference->index];

	if (seen->number != reference->number)
		return;
	seen->handed_out += count;
	for (uint32_t i = 0; i < count; i++)
		seen->described += reference[i].describes;
}

static void finish(struct ue__ring_reader *reader,
		   const struct ue__ring_reference *reference, uint32_t count)
{
	struct ue__ring_seen *seen = &reader->seen[reference->index];
	struct ue__ring_page *page = ue__ring_page(&reader->memory, reference->index);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	if (seen->number != reference->number)
		return;
	seen->waiting -= count;
	if (may_mark(reader, reference->index, word))
		for (uint32_t i = 0; i < count; i++)
			mark_taken(page, reference[i].at);
}

/* Up to that place none of its records was a hole. */
static void finish_page(struct ue__ring_reader *reader, const struct ue__ring_in_hand *last)
{
	struct ue__ring_seen *seen = &reader->seen[last->page];
	struct ue__ring_page *page = ue__ring_page(&reader->memory, last->page);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
	const uint32_t begin = seen->at;
	uint32_t total;

	seen->at = last->end;
	seen->handed_out += last->count;
	seen->described += last->described;
	if (!may_mark(reader, last->page, word))
		return;
	for (uint32_t at = begin; at < last->end; at += total) {
		total = ue__ring_record_size(ue__ring_head_at(page, at) & UE__RING_SIZE);
		mark_taken(page, at);
	}
}

void ue__ring_take(struct ue__ring_reader *reader, uint32_t count, int is_handed_out)
{
	const struct ue__ring_reference *first = &reader->found[reader->next];

	reader->next += count;
	if (is_handed_out)
		reader->in_hand.references = count;
	else
		finish(reader, first, count);
}

/* Holding */

#define HELD_LEAST 256u

static int grow_held(struct ue__ring_held *held, uint32_t more)
{
	uint32_t size = held->size ? held->size : HELD_LEAST;
	struct ue__ring_reference *items;

	while (size - held->count < more)
		size *= 2;
	if (size == held->size)
		return 0;
	items = realloc(held->items, size * sizeof(*items));
	if (!items)
		return -ENOMEM;
	held->items = items;
	held->size = size;
	return 0;
}

/* Without memory for it, an event is taken out as if nobody held it. */
static void hold(struct ue__ring_reader *reader,
		 const struct ue__ring_reference *first, uint32_t count)
{
	struct ue__ring_held *held = &reader->held;

	if (!reader->is_holding || grow_held(held, count)) {
		finish(reader, first, count);
		return;
	}
	memcpy(&held->items[held->count], first, count * sizeof(*first));
	held->count += count;
}

static uint32_t count_of_page(const struct ue__ring_reference *first, uint32_t left)
{
	uint32_t count = 1;

	while (count < left && first[count].index == first->index &&
	       first[count].number == first->number)
		count++;
	return count;
}

void ue__ring_release(struct ue__ring_reader *reader)
{
	struct ue__ring_held *held = &reader->held;
	uint32_t count;

	for (uint32_t i = 0; i < held->count; i += count) {
		count = count_of_page(&held->items[i], held->count - i);
		finish(reader, &held->items[i], count);
	}
	held->count = 0;
}

void ue__ring_let_go(struct ue__ring_reader *reader)
{
	const struct ue__ring_in_hand last = reader->in_hand;
	const struct ue__ring_reference *first;

	reader->in_hand = (struct ue__ring_in_hand){ 0 };
	if (last.end)
		finish_page(reader, &last);
	if (last.end || !last.references)
		return;
	first = &reader->found[reader->next - last.references];
	note_handed_out(reader, first, last.references);
	hold(reader, first, last.references);
}
