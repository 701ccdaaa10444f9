/* SPDX-License-Identifier: MIT */
/*
 * Everything about writing that is not needed for each event: a piece or a page more, and
 * thread names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "find_page.h"
#include "ring/page.h"
#include "util/errno_guard.h"
#include "wait_for_page.h"

__thread struct ue__ring_self ue__ring_self;
ptrdiff_t ue__ring_rseq;

/* Pages */

/*
 * The moment of a page relates its times to other clocks, so it need not be that of
 * the page's opening. To look at all clocks takes as long as the rest of an opening. In
 * counts of the ring's clock; a quarter of a millisecond at least.
 */
#define RECENTLY (UINT64_C(1) << 20)

/* The moment that was kept last, or one that is not recent. */
static struct ue__ring_moment load_moment(const struct ue__ring_writer *writer,
					  uint32_t turn)
{
	const struct ue__ring_moment *from = &writer->moment;
	const struct ue__ring_moment moment = {
		__atomic_load_n(&from->counter, __ATOMIC_RELAXED),
		__atomic_load_n(&from->monotonic, __ATOMIC_RELAXED),
		__atomic_load_n(&from->real, __ATOMIC_RELAXED),
	};

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (turn % 2 || __atomic_load_n(&writer->moment_turn, __ATOMIC_RELAXED) != turn)
		return (struct ue__ring_moment){ 0 };
	return moment;
}

/* One thread keeps its moment; one that it was interrupted by, or that it met, does not. */
static void keep_moment(struct ue__ring_writer *writer, uint32_t turn,
			const struct ue__ring_moment *moment)
{
	struct ue__ring_moment *to = &writer->moment;

	if (turn % 2 || !__atomic_compare_exchange_n(&writer->moment_turn, &turn, turn + 1, 0,
						     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&to->counter, moment->counter, __ATOMIC_RELAXED);
	__atomic_store_n(&to->monotonic, moment->monotonic, __ATOMIC_RELAXED);
	__atomic_store_n(&to->real, moment->real, __ATOMIC_RELAXED);
	__atomic_store_n(&writer->moment_turn, turn + 2, __ATOMIC_RELEASE);
}

/* A sandbox may deny the clocks, if they are system calls. */
static struct ue__ring_moment look_at_clocks(struct ue__ring_writer *writer,
					     uint32_t turn)
{
	UE__KEEP_ERRNO;
	const struct ue__ring_moment moment = ue__ring_now_quickly(writer->clock);

	keep_moment(writer, turn, &moment);
	return moment;
}

static struct ue__ring_moment recent_moment(struct ue__ring_writer *writer)
{
	const uint32_t turn = __atomic_load_n(&writer->moment_turn, __ATOMIC_ACQUIRE);
	const struct ue__ring_moment moment = load_moment(writer, turn);

	if (ue__ring_time(writer->clock) - moment.counter < RECENTLY)
		return moment;
	return look_at_clocks(writer, turn);
}

static uint16_t ask_for_processor(void)
{
	UE__KEEP_ERRNO;

	return (uint16_t)sched_getcpu();
}

/* writer->on has a remainder of this, or a thread's hash. */
static uint16_t processor(void)
{
	const uint32_t number = ue__ring_rseq ? ue__ring_cpu() : UINT32_MAX;

	return number <= UINT16_MAX ? (uint16_t)number : ask_for_processor();
}

static uint32_t take_losses(struct ue__ring_processor *on)
{
	if (!__atomic_load_n(&on->lost, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(&on->lost, 0, __ATOMIC_RELAXED);
}

/* Its first record is reserved before anybody else can know the page. */
static void begin_page(struct ue__ring_writer *writer, struct ue__ring_page *page,
		       uint64_t taken, uint32_t total, uint32_t cpu)
{
	const struct ue__ring_slot *slot = &writer->memory.slots[ue__ring_slot_of(writer->owner)];
	const struct ue__ring_moment moment = recent_moment(writer);

	__atomic_store_n(&page->done, 0, __ATOMIC_RELAXED);
	page->counter = moment.counter;
	page->monotonic = moment.monotonic;
	page->real = moment.real;
	page->owner = writer->owner;
	page->pid = slot->pid;
	page->boot = (uint16_t)writer->boot;
	page->cpu = processor();
	memcpy(page->name, slot->name, sizeof(page->name));
	page->lost = take_losses(&writer->on[cpu]);
	__atomic_store_n(&page->word,
			 (taken & ~(uint64_t)UINT32_MAX) | (sizeof(*page) + total),
			 __ATOMIC_RELEASE);
}

static void close_current(struct ue__ring_writer *writer, uint64_t current)
{
	struct ue__ring_page *page = ue__ring_page_of(writer, current);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_RELAXED);

	if (ue__ring_number_of(word) != ue__ring_number_of(current) ||
	    word & UE__RING_CLOSED)
		return;
	ue__ring_close_page(page, word);
}

/* Reserving */

/* The result of a search for a page holds until pages become free ... */
#define SEARCH_EACH 64

/*
 * ... but records that are committed late, and processes that die, make pages free without a
 * word, if there is no reader.
 */
static int may_find_page(const struct ue__ring_writer *writer, uint32_t cpu, uint32_t freed)
{
	const uint32_t *lost = &writer->on[cpu].lost;

	return __atomic_load_n(&writer->full_at, __ATOMIC_RELAXED) != UINT64_C(1) + freed ||
	       (writer->memory.mode == UE__RING_OVERWRITE &&
		__atomic_load_n(lost, __ATOMIC_RELAXED) % SEARCH_EACH == 0);
}

/* Other processors may open this many pages between two of one. */
#define STEPS 8u

/*
 * Pages of a processor that came at equal steps probably go on so. Otherwise the next is not
 * known, and to ask for a page that another processor writes to would slow both down.
 */
static void look_ahead(struct ue__ring_writer *writer, uint32_t cpu, uint64_t before,
		       uint64_t taken)
{
	const char *page = (const char *)ue__ring_page_of(writer, taken);
	const size_t gap = (size_t)(page - (const char *)ue__ring_page_of(writer, before));
	const uint32_t step = before != UE__RING_NO_PAGE &&
			      gap <= (size_t)STEPS * UE__RING_LARGE ? (uint32_t)gap : 0;
	struct ue__ring_processor *on = &writer->on[cpu];
	const uint32_t last = __atomic_load_n(&on->step, __ATOMIC_RELAXED);
	const uint32_t ahead = step == last ? step : 0;

	__atomic_store_n(&on->step, step, __ATOMIC_RELAXED);
	__atomic_store_n(&on->ahead, ahead, __ATOMIC_RELAXED);
	__builtin_prefetch(page + ahead, 1);
}

/*
 * The write that opens the next page needs its state, its header, and that of another
 * page. Their addresses may take long to be translated, which this spares that write. Of
 * those before, the one that clears the second piece has the least to do.
 */
static void look_at_next(const struct ue__ring_writer *writer, uint32_t cpu,
			 uint64_t current)
{
	const uint32_t ahead = __atomic_load_n(&writer->on[cpu].ahead, __ATOMIC_RELAXED);
	const uint32_t next = ue__ring_index_of(writer, current) + ahead / UE__RING_LARGE;

	if (!ahead || next >= writer->memory.page_count)
		return;
	__builtin_prefetch(&writer->memory.states[next], 1);
	__builtin_prefetch(ue__ring_page(&writer->memory, next), 1);
	__builtin_prefetch(
		ue__ring_half_a_round_ahead(writer, 1, next - writer->memory.small_count), 1);
}

/* If another thread was faster, both pages have a record, and its page becomes the current. */
static void set_current(struct ue__ring_writer *writer, uint32_t cpu, uint64_t before,
			uint64_t taken)
{
	if (!__atomic_compare_exchange_n(&writer->on[cpu].current, &before, taken, 0,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		close_current(writer, taken);
}

/*
 * Claim the uncleared part of a page that has room for a record, and is open. The
 * bytes that are done do not agree with a word of this kind, so nobody takes the page
 * meanwhile, nor does anybody reserve there. The word without the claim; 0 if it is not to
 * be had.
 */
static uint64_t claim_rest(struct ue__ring_page *page, uint64_t current, uint32_t total,
			   uint32_t size)
{
	const uint64_t base = current & ~(uint64_t)UINT32_MAX;
	uint64_t word = __atomic_load_n(&page->word, __ATOMIC_RELAXED);

	do
		if (total > size || word - base > size - total)
			return 0;
	while (!__atomic_compare_exchange_n(&page->word, &word, word | UE__RING_CLEARING, 0,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	return word;
}

/* Give the rest back with a record; 0 if the page was closed meanwhile, or is another's. */
static int reserve_claimed(struct ue__ring_page *page, uint64_t word, uint32_t total)
{
	uint64_t claimed = word | UE__RING_CLEARING;

	if (__atomic_compare_exchange_n(&page->word, &claimed, word + total, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return 1;
	claimed = word | UE__RING_CLEARING | UE__RING_CLOSED;
	__atomic_compare_exchange_n(&page->word, &claimed, word | UE__RING_CLOSED, 0,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Clear the next piece of the current page, and reserve a record there. Who is stopped
 * meanwhile stops nobody: others close the page and open another one.
 */
static int clear_and_reserve(struct ue__ring_writer *writer, uint64_t current,
			     uint32_t total, uint32_t cpu, struct ue__ring_place *place)
{
	const uint32_t size = ue__ring_size_of_page(writer, current);
	struct ue__ring_page *page = ue__ring_page_of(writer, current);
	uint32_t used, room;
	uint64_t word;

	if (ue__ring_room_of(current) >= size)
		return 0;
	word = claim_rest(page, current, total, size);
	if (!word)
		return 0;
	used = ue__ring_used(word, size);
	room = ue__ring_clear_piece(page, used, used + total, size, UE__RING_PIECE);
	if (!reserve_claimed(page, word, total))
		return 0;
	__atomic_compare_exchange_n(&writer->on[cpu].current, &current,
				    ue__ring_with_room(current, room), 0, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	if (ue__ring_room_of(current) <= UE__RING_PIECE)
		look_at_next(writer, cpu, current);
	*place = (struct ue__ring_place){
		(struct ue__ring_record *)(void *)((char *)page + used), page,
	};
	return 1;
}

static int drop(struct ue__ring_writer *writer, uint32_t freed)
{
	const uint64_t full_at = UINT64_C(1) + freed;

	/* asked once, as the answer costs a system call */
	if (__atomic_exchange_n(&writer->full_at, full_at, __ATOMIC_RELAXED) != full_at &&
	    writer->socket >= 0 && !ue__ring_has_reader(writer))
		ue__ring_disable_all(writer);
	return -ENOBUFS;
}

/*
 * Open a page; 0 if this is the child of a fork in a signal handler meanwhile: then the page is
 * the parent's. Once its place is known, stores end in the zeros that the child put there.
 */
static int open_page(struct ue__ring_writer *writer, uint32_t key, uint64_t taken,
		     uint32_t total, uint32_t cpu, struct ue__ring_place *place)
{
	struct ue__ring_page *page = ue__ring_page_of(writer, taken);

	if (__atomic_load_n(&writer->key, __ATOMIC_RELAXED) != key)
		return 0;
	if (writer->memory.mode == UE__RING_OVERWRITE) {
		if (!ue__ring_is_large_page(writer, taken))
			__atomic_store_n(&writer->on[cpu].first, taken, __ATOMIC_RELEASE);
		else if (page->word)
			ue__ring_free_first(writer, cpu, page);
	}
	begin_page(writer, page, taken, total, cpu);
	*place = (struct ue__ring_place){ (struct ue__ring_record *)(page + 1), page };
	return 1;
}

#define SMALL_ROOM (UE__RING_SMALL - (uint32_t)sizeof(struct ue__ring_page))

/*
 * Is the next page to be a large one? Not the first one, and not the one after a page
 * that others gave back half empty: this processor does not write much.
 */
static int wants_large(const struct ue__ring_writer *writer, uint64_t current,
		       uint32_t total)
{
	const struct ue__ring_page *page = ue__ring_page_of(writer, current);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_RELAXED);
	const uint32_t size = ue__ring_size_of_page(writer, current);

	if (total > SMALL_ROOM)
		return 1;
	return ue__ring_number_of(word) == ue__ring_number_of(current) &&
	       (!(word & UE__RING_CLOSED) || ue__ring_used(word, size) > size / 2);
}

/* If there is no page for each processor, some share one. */
static int share(struct ue__ring_writer *writer, uint32_t cpu, uint64_t before,
		 uint32_t total, struct ue__ring_place *place)
{
	for (uint32_t i = 0; i <= writer->cpu_mask; i++) {
		const uint64_t other =
			__atomic_load_n(&writer->on[i].current, __ATOMIC_ACQUIRE);

		if (other == UE__RING_NO_PAGE ||
		    !ue__ring_reserve_in(writer, other, total, place))
			continue;
		__atomic_compare_exchange_n(&writer->on[cpu].current, &before, other, 0,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return 1;
	}
	return 0;
}

/* A sample, as the pages that are in use are counted nowhere. */
#define SAMPLES 8u

static int are_small_pages_short(const struct ue__ring_writer *writer)
{
	const struct ue__ring_memory *memory = &writer->memory;
	const uint32_t count = memory->small_count;
	const uint32_t first =
		__atomic_load_n(&memory->ring->opened[0], __ATOMIC_RELAXED);
	uint32_t used = 0;

	for (uint32_t i = 0; i < SAMPLES; i++)
		used += !!__atomic_load_n(
			&memory->states[(first % count + count / SAMPLES * i) % count],
			__ATOMIC_RELAXED);
	return used > SAMPLES / 2;
}

enum found { FOUND_NOTHING, FOUND_A_PLACE, FOUND_A_PAGE };

/*
 * A page of the other size is taken when there is no better place. Where many processes
 * write on many processors, their first pages must not fill a ring that nobody reads.
 */
static enum found find_place(struct ue__ring_writer *writer, uint32_t cpu,
			     uint64_t current, int is_large, uint32_t total,
			     uint64_t *taken, struct ue__ring_place *place)
{
	if (!is_large && writer->memory.mode != UE__RING_OVERWRITE &&
	    are_small_pages_short(writer) && share(writer, cpu, current, total, place))
		return FOUND_A_PLACE;
	*taken = ue__ring_find_page(writer, is_large, total);
	if (*taken != UE__RING_NO_PAGE)
		return FOUND_A_PAGE;
	if (share(writer, cpu, current, total, place))
		return FOUND_A_PLACE;
	if (total <= SMALL_ROOM)
		*taken = ue__ring_find_page(writer, !is_large, total);
	return *taken != UE__RING_NO_PAGE ? FOUND_A_PAGE : FOUND_NOTHING;
}

static int wants_stacks(const struct ue__ring_writer *writer)
{
	return __atomic_load_n(&writer->memory.ring->wants_stacks, __ATOMIC_RELAXED) != 0;
}

/* No later load comes before the compare-and-swap. */
static void fence_after_swap(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* it is a fence itself */
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/*
 * Whoever asked for stacks closed the pages that he found, and may not have found this
 * one. The compare-and-swap that made it the current one came before.
 */
static void close_if_stacks_are_new(struct ue__ring_writer *writer, uint64_t taken)
{
	fence_after_swap();
	if (wants_stacks(writer) &&
	    !__atomic_load_n(&writer->looks_for_stacks, __ATOMIC_RELAXED))
		close_current(writer, taken);
}

/* 0 or -ENOBUFS; 1 if the current page is to be tried again. */
static int reserve_in_another(struct ue__ring_writer *writer, uint32_t key,
			      uint64_t current, uint32_t total, uint32_t cpu,
			      struct ue__ring_place *place)
{
	const uint32_t freed =
		__atomic_load_n(&writer->memory.ring->freed, __ATOMIC_ACQUIRE);
	const int is_large = wants_large(writer, current, total);
	enum found found = FOUND_NOTHING;
	uint64_t taken;

	close_current(writer, current);
	if (may_find_page(writer, cpu, freed))
		found = find_place(writer, cpu, current, is_large, total, &taken, place);
	if (found == FOUND_A_PLACE)
		return 0;
	if (found == FOUND_NOTHING)
		return writer->memory.mode == UE__RING_WAIT &&
				       ue__ring_wait_for_page(writer, freed) ?
			       1 : drop(writer, freed);
	if (!open_page(writer, key, taken, total, cpu, place))
		return 1;
	if (__atomic_load_n(&writer->key, __ATOMIC_RELAXED) == key)
		set_current(writer, cpu, current, taken);
	close_if_stacks_are_new(writer, taken);
	look_ahead(writer, cpu, current, taken);
	if (writer->memory.mode != UE__RING_OVERWRITE)
		ue__ring_wake_for_half(writer, ue__ring_is_large_page(writer, taken),
				       ue__ring_number_of(taken));
	/* Other processors read it, too. */
	if (__atomic_load_n(&writer->full_at, __ATOMIC_RELAXED))
		__atomic_store_n(&writer->full_at, 0, __ATOMIC_RELAXED);
	return 0;
}

int ue__ring_reserve_uncounted(struct ue__ring_writer *writer, uint32_t total,
			       uint32_t cpu, struct ue__ring_place *place)
{
	int result = 1;

	while (result > 0) {
		const uint32_t key = __atomic_load_n(&writer->key, __ATOMIC_RELAXED);
		const uint64_t current =
			__atomic_load_n(&writer->on[cpu].current, __ATOMIC_ACQUIRE);

		if (writer->owner == UE__RING_NOBODY)
			return -ENOBUFS;
		if (ue__ring_reserve_in(writer, current, total, place) ||
		    clear_and_reserve(writer, current, total, cpu, place))
			return 0;
		result = reserve_in_another(writer, key, current, total, cpu, place);
	}
	return result;
}

int ue__ring_reserve_slowly(struct ue__ring_writer *writer, uint32_t total, uint32_t cpu,
			    struct ue__ring_place *place)
{
	const int result = ue__ring_reserve_uncounted(writer, total, cpu, place);

	if (result)
		__atomic_fetch_add(&writer->on[cpu].lost, 1, __ATOMIC_RELAXED);
	return result;
}

int ue__ring_reserve_or_learn(struct ue__ring_writer *writer, uint32_t total, uint32_t cpu,
			      struct ue__ring_place *place)
{
	if (wants_stacks(writer))
		return UE__RING_STACKS_WANTED;
	return ue__ring_reserve_slowly(writer, total, cpu, place);
}

int ue__ring_putv(struct ue__ring_writer *writer, uint32_t index, const struct iovec *iov,
		  int count, uint32_t size)
{
	struct ue__ring_place place;
	int result = ue__ring_reserve(writer, size, &place);
	char *at;

	if (result)
		return result;
	ue__ring_begin(writer, &place, size);
	memcpy(place.record->bytes, &index, sizeof(index));
	at = place.record->bytes + sizeof(index);
	for (int i = 0; i < count; i++)
		if (iov[i].iov_len) {
			memcpy(at, iov[i].iov_base, iov[i].iov_len);
			at += iov[i].iov_len;
		}
	ue__ring_commit(&place, size);
	return 0;
}

/* Threads */

/* A thread that writes to several rings in turn is entered in each of them once. */
static int is_known(struct ue__ring_self *self, uint32_t key)
{
	for (unsigned i = 0; i < sizeof(self->others) / sizeof(self->others[0]); i++)
		if (self->others[i] == key) {
			self->others[i] = self->key;
			return 1;
		}
	return 0;
}

static void enter_name(struct ue__ring_writer *writer, uint32_t tid)
{
	const struct ue__ring_memory *memory = &writer->memory;
	const uint32_t turn =
		__atomic_fetch_add(&memory->ring->next_thread, 1, __ATOMIC_RELAXED);
	struct ue__ring_thread *thread = &memory->threads[turn % memory->thread_count];
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	__atomic_store_n(&thread->tid, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	thread->owner = writer->owner;
	memcpy(thread->name, name, sizeof(name));
	__atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
}

/* A signal handler that interrupts this may do the same: then there are two entries. */
void ue__ring_introduce(struct ue__ring_writer *writer)
{
	UE__KEEP_ERRNO;
	struct ue__ring_self *self = &ue__ring_self;

	if (!self->tid)
		self->tid = (uint32_t)syscall(SYS_gettid);
	if (!is_known(self, writer->key)) {
		enter_name(writer, self->tid);
		self->others[2] = self->others[1];
		self->others[1] = self->others[0];
		self->others[0] = self->key;
	}
	self->key = writer->key;
}

void ue__ring_count_loss(struct ue__ring_writer *writer, unsigned reason)
{
	__atomic_fetch_add(&writer->memory.ring->lost[reason], 1, __ATOMIC_RELAXED);
}
