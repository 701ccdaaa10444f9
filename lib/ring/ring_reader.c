/* SPDX-License-Identifier: MIT */
/*
 * Read a ring.
 *
 * A pass goes through all pages and collects references to the records that are done. They are
 * sorted by time and handed out one after the other; the next pass follows when all are. A
 * pass takes no record that is younger than its own beginning: such a record may have
 * an older one on a processor that the pass has visited already. So events come in the order
 * of their times, except for writes that were stamped before the pass, and done after it.
 *
 * Holes
 *
 * A record that is not done is a hole. A pass goes on behind it. A busy record tells its size.
 * If the writer has not come so far, the hole is zeros, and the next word that is
 * not zero is the head of the next record, or a byte of this one: the writer may have gone on
 * meanwhile. But it stores its head before any other byte. So the pass reads the zeros
 * once more after it has found that word: if all of them are still zeros, no writer had stored
 * a head there, and so no other byte either, when the pass found the word.
 *
 * A record behind a hole is remembered by a bit, until the hole is filled or its writer is
 * dead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_clock.h"
#include "ring_lock.h"
#include "ring_memory.h"
#include "page.h"
#include "ring_reader.h"

#define UNITS (UE__RING_LARGE / 8)

/* Pages */

static void forget(struct ue__ring_seen *seen, uint32_t number)
{
	free(seen->ahead);
	*seen = (struct ue__ring_seen){
		.number = number, .at = sizeof(struct ue__ring_page), .gone = seen->gone,
	};
}

static int is_ahead(const struct ue__ring_seen *seen, uint32_t at)
{
	return seen->ahead && seen->ahead[at / 512] >> at / 8 % 64 & 1;
}

static int note_ahead(struct ue__ring_seen *seen, uint32_t at)
{
	if (!seen->ahead)
		seen->ahead = calloc(UNITS / 64, sizeof(*seen->ahead));
	if (!seen->ahead)
		return -ENOMEM;
	seen->ahead[at / 512] |= UINT64_C(1) << at / 8 % 64;
	return 0;
}

static uint32_t head_at(const struct ue__ring_page *page, uint32_t at)
{
	return __atomic_load_n((const uint32_t *)(const void *)((const char *)page + at),
			       __ATOMIC_ACQUIRE);
}

/*
 * The first place from at that is not zero; end if there is none. A writer may fill the hole
 * meanwhile, which is a race to ThreadSanitizer; end_of_hole() looks twice for that.
 */
__attribute__((no_sanitize("thread"))) static uint32_t
skip_zeros(const struct ue__ring_page *page, uint32_t at, uint32_t end)
{
	const char *bytes = (const char *)page;

	while (at < end && !__atomic_load_n((const uint32_t *)(const void *)(bytes + at),
					    __ATOMIC_ACQUIRE))
		at += 8;
	return at;
}

/* The end of a hole, as explained above. */
static uint32_t end_of_hole(const struct ue__ring_page *page, uint32_t at, uint32_t end)
{
	uint32_t stop, again = skip_zeros(page, at, end);

	do {
		stop = again;
		again = skip_zeros(page, at, stop);
	} while (again != stop);
	return stop;
}

/* References: what a reader keeps, and the most that it takes beyond its need. */
#define REFERENCES_KEPT 1024u
#define REFERENCES_STEP 16384u

static int grow(struct ue__ring_reader *reader)
{
	const size_t before = reader->found_size;
	const size_t more = before < REFERENCES_STEP ? before : REFERENCES_STEP;
	const size_t size = before + (more ? more : REFERENCES_KEPT);
	struct ue__ring_reference *found = realloc(reader->found, size * sizeof(*found));

	if (!found)
		return -ENOMEM;
	reader->found = found;
	reader->found_size = size;
	return 0;
}

static int add_reference(struct ue__ring_reader *reader, struct ue__ring_reference reference)
{
	const int result = reader->found_count == reader->found_size ? grow(reader) : 0;

	if (result)
		return result;
	reader->found[reader->found_count++] = reference;
	return 0;
}

/* One full ring may need more memory than itself, and a reader may have many rings. */
static void forget_references(struct ue__ring_reader *reader)
{
	reader->found_count = reader->next = 0;
	if (reader->found_size <= REFERENCES_KEPT)
		return;
	free(reader->found);
	reader->found = NULL;
	reader->found_size = 0;
}

/* Collect a record that is done; 1, or 0 if it has to wait, or -ENOMEM. */
static int collect(struct ue__ring_reader *reader, struct ue__ring_reference reference,
		   uint32_t head, int is_behind)
{
	const uint32_t at = reference.at;
	struct ue__ring_seen *seen = &reader->seen[reference.index];
	const char *page = (const char *)ue__ring_page(&reader->memory, reference.index);
	int result;

	if (is_ahead(seen, at))
		return 1;
	if (head & UE__RING_TAKEN) {
		seen->handed_out += !seen->handed_out; /* so its page's losses were, too */
		return 1;
	}
	memcpy(&reference.time, page + at + offsetof(struct ue__ring_record, time),
	       sizeof(reference.time));
	if (ue__ring_is_too_young(reader, seen->boot, reference.time)) {
		seen->is_young = 1;
		return 0;
	}
	result = is_behind ? note_ahead(seen, at) : 0;
	if (!result)
		result = add_reference(reader, reference);
	if (result)
		return result;
	seen->waiting++;
	return 1;
}

/* Go through the records of a page. 0 or -ENOMEM. */
static int collect_page(struct ue__ring_reader *reader, uint32_t index, uint32_t end)
{
	struct ue__ring_seen *seen = &reader->seen[index];
	const struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	struct ue__ring_reference reference = {
		.boot = ue__ring_order_of(&reader->boots, seen->boot),
		.number = seen->number, .index = index,
	};
	int is_behind = 0, result;

	seen->is_young = 0;
	for (uint32_t at = seen->at; at < end;) {
		const uint32_t head = head_at(page, at);
		const uint32_t total = ue__ring_record_size(head & UE__RING_SIZE);

		if (!head) {
			at = end_of_hole(page, at, end);
			is_behind = 1;
			continue;
		}
		if ((head & UE__RING_SIZE) < sizeof(uint32_t) || total > end - at) {
			/* Overwritten, or scribbled over: nothing behind it can be found. */
			reader->malformed += ue__ring_number_of(__atomic_load_n(
				&reader->memory.states[index], __ATOMIC_RELAXED)) == seen->number;
			seen->at = end;
			return 0;
		}
		reference.at = at;
		result = head & UE__RING_DONE ?
				 collect(reader, reference, head, is_behind) :
				 0;
		if (result < 0)
			return result;
		is_behind |= !result;
		at += total;
		if (!is_behind)
			seen->at = at;
	}
	return 0;
}

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

	if (__atomic_load_n(&reader->memory.states[index], __ATOMIC_ACQUIRE) != state)
		return;
	reader->missed += more > seen->handed_out ? more - seen->handed_out : 0;
	seen->gone = gone;
	forget(seen, ue__ring_number_of(state));
}

/* A process frees a page itself, now and then. */
static void visit_free(struct ue__ring_reader *reader, uint32_t index)
{
	if (reader->memory.mode == UE__RING_OVERWRITE &&
	    ue__ring_gone(&reader->memory, index) != reader->seen[index].gone)
		count_missed(reader, index, 0);
}

/* Freeing */

static void tell_writers(struct ue__ring *ring)
{
	__atomic_fetch_add(&ring->freed, 1, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&ring->waiting, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ring->freed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
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
	forget(&reader->seen[index], 0);
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
	if (collect_page(reader, index, used(reader, index, word)) || seen->waiting ||
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

static struct ue__ring_moment moment_of(const struct ue__ring_page *page)
{
	return (struct ue__ring_moment){ page->counter, page->monotonic, page->real };
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
	const struct ue__ring_moment opened = moment_of(page);

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
		result = collect_page(reader, index, used(reader, index, word));
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

/* Half of the pages of a size are in use, or a writer waits for one. */
static void find_shortage(struct ue__ring_reader *reader)
{
	const int is_waited_for =
		!!__atomic_load_n(&reader->memory.ring->waiting, __ATOMIC_SEQ_CST);

	for (int is_large = 0; is_large < UE__RING_SIZES; is_large++) {
		reader->is_short[is_large] =
			is_waited_for ||
			reader->in_use[is_large] >
				ue__ring_count_of(&reader->memory, is_large) / 2;
		reader->in_use[is_large] = 0;
	}
}

/* A process that becomes a daemon goes on reading as another one. */
static void introduce(struct ue__ring_reader *reader)
{
	const pid_t pid = getpid();

	if (!reader->is_consumer || reader->pid == pid)
		return;
	reader->pid = pid;
	__atomic_store_n(&reader->memory.ring->reader,
			 (uint64_t)reader->memory.pid_namespace << 32 | (uint32_t)pid,
			 __ATOMIC_RELEASE);
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
	find_shortage(reader);
	forget_references(reader);
	return is_time_to_bury(reader);
}

static int pass(struct ue__ring_reader *reader)
{
	const int may_bury = ue__ring_begin_pass(reader);
	int result = 0;

	for (uint32_t i = 0; !result && i < reader->memory.page_count; i++) {
		uint64_t word;

		if (ue__ring_look(reader, i, &word))
			result = ue__ring_collect(reader, i, word, may_bury);
	}
	if (reader->found_count)
		qsort(reader->found, reader->found_count, sizeof(*reader->found),
		      ue__ring_compare);
	return result;
}

/* Time */

/* Shared memory may have any numbers, so differences wrap and sums are cut. */
static double difference(uint64_t one, uint64_t other)
{
	return (double)(int64_t)(one - other);
}

static int64_t sum(int64_t time, double more)
{
	const double most = 4e18;
	const double some = more > most ? most : more < -most ? -most : more;

	return (int64_t)((uint64_t)time + (uint64_t)(int64_t)some);
}

/*
 * The page has its opening by both clocks, and another moment of its boot is known by
 * both.
 */
double ue__ring_page_rate(struct ue__ring_reader *reader,
			  const struct ue__ring_page *page)
{
	const struct ue__ring_moment opened = moment_of(page);

	if (reader->memory.clock == UE__RING_MONOTONIC)
		return 1;
	return ue__ring_rate(&reader->boots, ue__ring_boot_of_page(reader, page), &opened,
			     reader->memory.clock);
}

static int64_t convert(struct ue__ring_reader *reader, const struct ue__ring_page *page,
		       uint64_t time)
{
	if (time == page->counter)
		return page->monotonic;
	return sum(page->monotonic, difference(time, page->counter) *
					    ue__ring_page_rate(reader, page));
}

/*
 * Both clocks run at one rate, so between them there is one difference until the wall clock is
 * set. Each page has it from its own look at both; if each page were taken at its word, an
 * event could be earlier than the one before by what an interrupt took between the two.
 */
#define LEAST_STEP 1000000u

int64_t ue__ring_wall_time(struct ue__ring_reader *reader,
			   const struct ue__ring_page *page, int64_t time)
{
	const uint64_t ahead = (uint64_t)page->real - (uint64_t)page->monotonic;

	if (ahead - (uint64_t)reader->ahead + LEAST_STEP > 2 * LEAST_STEP)
		reader->ahead = (int64_t)ahead;
	return (int64_t)((uint64_t)time + (uint64_t)reader->ahead);
}

/* Handing out */

void ue__ring_copy_name(char *to, const char *from)
{
	memcpy(to, from, 16);
	to[16] = '\0';
}

/* The thread's name in the ring; "" if another thread has the entry by now. */
static void read_thread_name(const struct ue__ring_reader *reader,
			     struct ue__ring_name *found)
{
	const struct ue__ring_memory *memory = &reader->memory;

	found->name[0] = '\0';
	for (uint32_t i = 1; i <= memory->thread_count && i <= found->turn; i++) {
		const struct ue__ring_thread *thread =
			&memory->threads[(found->turn - i) % memory->thread_count];

		if (__atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE) != found->tid ||
		    thread->id != found->id)
			continue;
		ue__ring_copy_name(found->name, thread->name);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&thread->tid, __ATOMIC_RELAXED) == found->tid)
			return;
		found->name[0] = '\0'; /* another thread gets the entry */
	}
}

/* Names are remembered, as a search may go through all that the ring has. */
const char *ue__ring_thread_name(struct ue__ring_reader *reader, uint32_t id,
				 uint32_t tid)
{
	struct ue__ring_name *found = &reader->names[(tid ^ id * 7) % UE__RING_NAMES];
	const uint32_t turn =
		__atomic_load_n(&reader->memory.ring->next_thread, __ATOMIC_ACQUIRE);

	if (found->id == id && found->tid == tid && found->turn == turn)
		return found->name;
	found->id = id;
	found->tid = tid;
	found->turn = turn;
	read_thread_name(reader, found);
	return found->name;
}

int ue__ring_is_page(const struct ue__ring_reader *reader, uint32_t index,
		     uint32_t number)
{
	const uint64_t *state = &reader->memory.states[index];

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ue__ring_number_of(__atomic_load_n(state, __ATOMIC_RELAXED)) == number;
}

uint32_t ue__ring_loss_before(const struct ue__ring_reader *reader, uint32_t index,
			      const struct ue__ring_page *page)
{
	return reader->seen[index].handed_out ? 0 : page->lost;
}

/* Copy the record; 0 if it is not there any more. */
static int take(struct ue__ring_reader *reader, const struct ue__ring_reference *reference,
		struct ue__ring_event *event)
{
	const struct ue__ring_page *page = ue__ring_page(&reader->memory, reference->index);
	struct ue__ring_page *header = &reader->header;
	const struct ue__ring_record *record = &reader->copy.record;
	const uint32_t size = head_at(page, reference->at) & UE__RING_SIZE;

	if (size < sizeof(uint32_t) ||
	    ue__ring_record_size(size) >
		    ue__ring_size_of(&reader->memory, reference->index) - reference->at)
		return 0;
	memcpy(header, page, sizeof(*header));
	memcpy(reader->copy.room, (const char *)page + reference->at, sizeof(*record) + size);
	if (!ue__ring_is_page(reader, reference->index, reference->number))
		return 0;
	*event = (struct ue__ring_event){
		.length = size - (uint32_t)sizeof(uint32_t),
		.payload = record->bytes + sizeof(uint32_t),
		.time = convert(reader, header, reference->time),
		.pid = header->pid,
		.tid = record->tid,
		.cpu = header->cpu,
		.lost = ue__ring_loss_before(reader, reference->index, header),
		.process = reader->process,
		.thread = ue__ring_thread_name(reader, header->id, record->tid),
	};
	memcpy(&event->index, record->bytes, sizeof(event->index));
	event->real_time = ue__ring_wall_time(reader, header, event->time);
	ue__ring_copy_name(reader->process, header->name);
	return 1;
}

/* The page may stay for long, and this reader may not. */
static void mark_taken(struct ue__ring_page *page, uint32_t at)
{
	uint32_t *head = (uint32_t *)(void *)((char *)page + at);

	__atomic_store_n(head, *head | UE__RING_TAKEN, __ATOMIC_RELAXED);
}

void ue__ring_finish(struct ue__ring_reader *reader,
		     const struct ue__ring_reference *reference, uint32_t count,
		     int is_handed_out)
{
	struct ue__ring_seen *seen = &reader->seen[reference->index];
	struct ue__ring_page *page = ue__ring_page(&reader->memory, reference->index);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	if (seen->number != reference->number)
		return;
	seen->waiting -= count;
	seen->handed_out += is_handed_out ? count : 0;
	if (reader->is_consumer && !give_back(reader, reference->index, word))
		for (uint32_t i = 0; i < count; i++)
			mark_taken(page, reference[i].at);
}

void ue__ring_finish_page(struct ue__ring_reader *reader, uint32_t index, uint64_t word,
			  uint32_t end, uint32_t count)
{
	struct ue__ring_seen *seen = &reader->seen[index];
	struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	const uint32_t begin = seen->at;
	uint32_t total;

	seen->at = end;
	seen->is_young = 0;
	seen->handed_out += count;
	if (!reader->is_consumer || give_back(reader, index, word))
		return;
	for (uint32_t at = begin; at < end; at += total) {
		total = ue__ring_record_size(head_at(page, at) & UE__RING_SIZE);
		mark_taken(page, at);
	}
}

/* Times of two pages may differ by what it takes to look at two clocks. */
static void keep_order(struct ue__ring_reader *reader, struct ue__ring_event *event)
{
	const uint64_t back = (uint64_t)reader->last_time - (uint64_t)event->time;

	if (event->time < reader->last_time && back < 1000) {
		event->time = reader->last_time;
		event->real_time = (int64_t)((uint64_t)event->real_time + back);
	}
	reader->last_time = event->time;
}

/* Passes of a call. What they found may vanish before it is copied, over and over. */
#define PASSES 16

int ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event)
{
	int result = 0, passes = 0;

	reader->is_by_page = 0;
	while (!result) {
		if (reader->next == reader->found_count) {
			result = passes++ < PASSES ? pass(reader) : 0;
			if (result || reader->next == reader->found_count)
				return result;
		}
		result = take(reader, &reader->found[reader->next], event);
		ue__ring_finish(reader, &reader->found[reader->next++], 1, result);
	}
	keep_order(reader, event);
	reader->events++;
	return 1;
}

/*
 * A reader of pages is not asked to look at all of them: it has just done that. It
 * reads on if it may be late otherwise, as a quarter of the pages of a size were opened
 * meanwhile.
 */
static int is_filling(const struct ue__ring_reader *reader)
{
	int is_one = 0;

	for (int is_large = 0; is_large < UE__RING_SIZES; is_large++)
		is_one |= __atomic_load_n(&reader->memory.ring->opened[is_large],
					  __ATOMIC_RELAXED) -
				  reader->looked_at[is_large] >
			  ue__ring_count_of(&reader->memory, is_large) / 4;
	return is_one;
}

int ue__ring_has_more(struct ue__ring_reader *reader)
{
	if (reader->is_by_page)
		return reader->next < reader->found_count ||
		       reader->page < reader->memory.page_count || is_filling(reader);
	if (reader->next < reader->found_count)
		return 1;
	return pass(reader) || reader->found_count;
}

/* Sleeping */

/*
 * The reader sleeps for a moment. No write wakes it, but one that needs it: half of the
 * pages were opened since its last look, or there is none. A writer that misses the
 * announcement of its sleep, as they look and store at the same time, costs no more than
 * that moment.
 */

/*
 * Milliseconds: events are read, and dead processes looked after, so often. An idle
 * reader costs as many looks at its ring.
 */
#define LOOK_MS 50

int ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how)
{
	if (reader->is_woken)
		__atomic_store_n(&reader->memory.ring->sleeping, how, __ATOMIC_SEQ_CST);
	if (!ue__ring_has_more(reader))
		return LOOK_MS;
	ue__ring_wake_up(reader);
	return 0;
}

void ue__ring_wake_up(struct ue__ring_reader *reader)
{
	if (reader->is_woken)
		__atomic_store_n(&reader->memory.ring->sleeping, UE__RING_AWAKE,
				 __ATOMIC_RELAXED);
}

void ue__ring_sleep(struct ue__ring_reader *reader, int milliseconds)
{
	const int most = ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX);
	struct timespec time;

	if (!most)
		return;
	if (milliseconds < 0 || most < milliseconds)
		milliseconds = most;
	if (!reader->is_woken) {
		poll(NULL, 0, milliseconds);
		return;
	}
	time = (struct timespec){ milliseconds / 1000, milliseconds % 1000 * 1000000l };
	syscall(SYS_futex, &reader->memory.ring->sleeping, FUTEX_WAIT, UE__RING_IN_FUTEX,
		&time, NULL, 0);
	ue__ring_wake_up(reader);
}

/* Beginning and ending */

uint64_t ue__ring_missed(const struct ue__ring_reader *reader)
{
	return reader->missed;
}

static void look_at_pages(struct ue__ring_reader *reader)
{
	for (uint32_t i = 0; i < reader->memory.page_count; i++)
		reader->seen[i].gone = ue__ring_gone(&reader->memory, i);
}

static int prepare(struct ue__ring_reader *reader, int fd)
{
	const int again = ue__ring_open_again(fd);
	char boot[sizeof(reader->memory.ring->boot)];
	struct ue__ring_moment created;
	int result = 0;

	reader->is_woken = reader->is_consumer;
	reader->fd = again < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : again;
	if (reader->fd < 0)
		return -errno;
	if (reader->is_consumer)
		result = ue__ring_lock(reader->fd, UE__RING_READER_LOCK);
	if (result)
		return result == -EAGAIN ? -EBUSY : result;
	ue__ring_read_boot(boot);
	reader->boots.current = ue__ring_boot_of(boot);
	memcpy(boot, reader->memory.ring->boot, sizeof(boot));
	boot[sizeof(boot) - 1] = '\0';
	reader->created_in = ue__ring_boot_of(boot);
	created = reader->memory.ring->created;
	ue__ring_note_moment(&reader->boots, reader->created_in, &created);
	reader->seen = calloc(reader->memory.page_count, sizeof(*reader->seen));
	if (!reader->seen)
		return -ENOMEM;
	if (reader->memory.mode == UE__RING_OVERWRITE)
		look_at_pages(reader);
	return 0;
}

int ue__ring_reader_begin(struct ue__ring_reader *reader, int fd, int is_consumer)
{
	int result;

	*reader = (struct ue__ring_reader){ .fd = -1 };
	result = ue__ring_map(&reader->memory, fd);
	if (result)
		return result;
	reader->is_consumer = is_consumer && reader->memory.mode != UE__RING_OVERWRITE;
	result = reader->is_consumer && !reader->memory.is_writable ? -EACCES :
								      prepare(reader, fd);
	if (result)
		ue__ring_reader_end(reader);
	return result;
}

void ue__ring_reader_end(struct ue__ring_reader *reader)
{
	if (!reader->memory.ring)
		return;
	for (uint32_t i = 0; reader->seen && i < reader->memory.page_count; i++)
		free(reader->seen[i].ahead);
	free(reader->seen);
	free(reader->found);
	free(reader->copied);
	if (reader->fd >= 0)
		close(reader->fd);
	ue__ring_unmap(&reader->memory);
}
