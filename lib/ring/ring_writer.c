/* SPDX-License-Identifier: MIT */
/*
 * Everything about writing that is not needed for each event: pages, waiting, thread names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring_lock.h"
#include "ring_memory.h"
#include "page.h"
#include "util/errno_guard.h"
#include "ring_writer.h"

/* Since Linux 5.3; glibc 2.28 does not know it. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

__thread struct ue__ring_self ue__ring_self;
ptrdiff_t ue__ring_rseq;

/* Pages */

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

/* In as few instructions as possible. The last block may overlap the one before. */
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
 * How much of a large page is cleared when it is opened, which takes long in itself, and
 * how much at once later: it has three more pieces.
 */
#define FIRST_PIECE 1024u
#define PIECE 2560u

/*
 * Clear a page from one place to some way behind another, to where it has room now. A
 * reader that sees a zero, or a byte of a new record, sees the new state, too.
 */
static uint32_t clear_piece(struct ue__ring_page *page, uint32_t begin, uint32_t end,
			    uint32_t size, uint32_t piece)
{
	const uint32_t room = (end + piece) & ~(UE__RING_UNIT - 1);
	const uint32_t stop = room + FIRST_PIECE < size ? room : size;

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
 * The room of the page for a first record of this size; 0 if it cannot be had. What was
 * before is cleared piece by piece, as the page is filled.
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
	return clear_piece(page, sizeof(*page), sizeof(*page) + total,
			   ue__ring_size_of(&writer->memory, index), FIRST_PIECE);
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

static struct ue__ring_page *half_a_round_ahead(const struct ue__ring_writer *writer,
						int is_large, uint32_t number)
{
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);

	return ue__ring_page(&writer->memory,
			     ue__ring_first(&writer->memory, is_large) +
				     (uint32_t)(((uint64_t)number + count / 2) % count));
}

/*
 * An idle process may write into its page just before that is overwritten, and would lose
 * young events. So a page is closed half a round before its turn comes.
 */
static void close_half_a_round_ahead(struct ue__ring_writer *writer, int is_large,
				     uint32_t number)
{
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);
	struct ue__ring_page *page = half_a_round_ahead(writer, is_large, number);
	const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);

	if (word && number - ue__ring_number_of(word) >= count / 2 &&
	    ue__ring_is_complete(page, word))
		ue__ring_give_back(page, word);
}

static uint64_t with_room(uint64_t current, uint32_t room)
{
	return (current & ~(UINT64_C(31) << UE__RING_ROOM_SHIFT)) |
	       room >> UE__RING_UNIT_SHIFT << UE__RING_ROOM_SHIFT;
}

static uint64_t know(const struct ue__ring_writer *writer, uint32_t index,
		     uint32_t number, uint32_t room)
{
	const size_t place = ue__ring_place_of(&writer->memory, index);

	return with_room((uint64_t)number << 32 | place >> UE__RING_UNIT_SHIFT, room);
}

/* All small pages come first, and each is a unit. */
static int is_large_page(const struct ue__ring_writer *writer, uint64_t current)
{
	return ((uint32_t)current & UE__RING_PLACE) >= writer->memory.small_count;
}

static uint32_t index_of(const struct ue__ring_writer *writer, uint64_t current)
{
	const uint32_t small = writer->memory.small_count;
	const uint32_t place = (uint32_t)current & UE__RING_PLACE;

	return place < small ? place :
			       small + (place - small) / (UE__RING_LARGE / UE__RING_UNIT);
}

static uint32_t size_of_page(const struct ue__ring_writer *writer, uint64_t current)
{
	return is_large_page(writer, current) ? UE__RING_LARGE : UE__RING_SMALL;
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
		close_half_a_round_ahead(writer, is_large, number + i);
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
	*passed = (index_of(writer, found) + count - at) % count;
	return found;
}

/*
 * A page of a size, for a first record; UE__RING_NO_PAGE if there is none. If pages were
 * passed, the numbers pass them too: the next search would else begin at the page that was
 * just taken.
 */
static uint64_t find_page(struct ue__ring_writer *writer, int is_large, uint32_t total)
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
 * A small page would outlive what its process writes after it, as it is overwritten when
 * small pages are short, and large ones are overwritten when those are. So whoever
 * overwrites a large page frees the small one before, if that is older.
 */
static void free_first(struct ue__ring_writer *writer, uint32_t cpu,
		       const struct ue__ring_page *overwritten)
{
	const uint64_t first = __atomic_load_n(&writer->first[cpu], __ATOMIC_ACQUIRE);
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
	__atomic_store_n(&writer->first[cpu], UE__RING_NO_PAGE, __ATOMIC_RELAXED);
}

/*
 * The moment of a page tells what its times are by other clocks, so it need not be that of
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

static struct ue__ring_moment recent_moment(struct ue__ring_writer *writer)
{
	const uint32_t turn = __atomic_load_n(&writer->moment_turn, __ATOMIC_ACQUIRE);
	struct ue__ring_moment moment = load_moment(writer, turn);

	if (ue__ring_time(writer->clock) - moment.counter < RECENTLY)
		return moment;
	moment = ue__ring_now_quickly(writer->clock);
	keep_moment(writer, turn, &moment);
	return moment;
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
	page->id = ue__ring_id_of(writer->owner);
	page->pid = slot->pid;
	page->boot = (uint16_t)writer->boot;
	/* cpu may be a remainder, or a thread's hash. */
	page->cpu = (uint16_t)sched_getcpu();
	memcpy(page->name, slot->name, sizeof(page->name));
	page->lost = __atomic_exchange_n(&writer->lost[cpu], 0, __ATOMIC_RELAXED);
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

/* Waking the reader, and waiting for it to free a page */

#define WAIT_NS 100000000

/* The program may have closed the number, and opened something else. */
static int is_its_socket(const struct ue__ring_writer *writer)
{
	struct stat file;

	return !fstat(writer->socket, &file) && file.st_dev == writer->device &&
	       file.st_ino == writer->inode;
}

/* Its reader has closed the other end. */
static int is_hung_up(const struct ue__ring_writer *writer)
{
	struct pollfd end = { .fd = writer->socket };

	return is_its_socket(writer) && poll(&end, 1, 0) == 1 && end.revents & POLLHUP;
}

/*
 * A capture whose reader is gone gets no other: its events are disabled, for all
 * processes.
 */
static void disable_all(struct ue__ring_writer *writer)
{
	for (uint32_t i = 0; i < writer->memory.event_count / 8; i++)
		__atomic_store_n(&writer->memory.enabled[i], 0, __ATOMIC_RELAXED);
}

static void send_byte(struct ue__ring_writer *writer)
{
	if (send(writer->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    (errno == EPIPE || errno == ECONNRESET))
		disable_all(writer);
}

static void wake(struct ue__ring_writer *writer)
{
	uint32_t *sleeping = &writer->memory.ring->sleeping;

	switch (__atomic_exchange_n(sleeping, UE__RING_AWAKE, __ATOMIC_SEQ_CST)) {
	case UE__RING_IN_FUTEX:
		syscall(SYS_futex, sleeping, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		break;
	case UE__RING_IN_POLL:
		if (is_its_socket(writer))
			send_byte(writer);
		break;
	default:
		break;
	}
}

/*
 * A reader looks at the ring now and then. It is woken when half of the pages of a size
 * were opened since, so that no write does anything for it but one that takes a page.
 */
static void wake_for_half(struct ue__ring_writer *writer, int is_large, uint32_t number)
{
	const struct ue__ring *ring = writer->memory.ring;
	const uint32_t looked_at =
		__atomic_load_n(&ring->looked_at[is_large], __ATOMIC_RELAXED);

	if (__atomic_load_n(&ring->sleeping, __ATOMIC_RELAXED) != UE__RING_AWAKE &&
	    number - looked_at >= ue__ring_count_of(&writer->memory, is_large) / 2)
		wake(writer);
}

/*
 * Has a process ended, also one that nobody waited for? A sandbox may deny pidfd_open(2).
 */
static int has_ended(pid_t pid)
{
	struct pollfd process = { .fd = (int)syscall(SYS_pidfd_open, pid, 0),
				  .events = POLLIN };
	int result;

	if (process.fd < 0)
		return errno == ESRCH;
	result = poll(&process, 1, 0) == 1;
	close(process.fd);
	return result;
}

/* A reader that becomes a daemon ends, and its child goes on. */
#define LOOKS 5u

/*
 * Children of the reader have copies of all that stands for it: of the lock's
 * description, and of the socket. So a process asks for the reader's own process, too, if
 * they know the same pids.
 */
static int is_reader_gone(struct ue__ring_writer *writer)
{
	const uint64_t reader =
		__atomic_load_n(&writer->memory.ring->reader, __ATOMIC_ACQUIRE);

	if (!(uint32_t)reader || !writer->memory.pid_namespace ||
	    reader >> 32 != writer->memory.pid_namespace || !has_ended((pid_t)reader)) {
		__atomic_store_n(&writer->without_reader, 0, __ATOMIC_RELAXED);
		return 0;
	}
	if (__atomic_load_n(&writer->without_reader, __ATOMIC_RELAXED) >= LOOKS)
		return 1;
	return __atomic_add_fetch(&writer->without_reader, 1, __ATOMIC_RELAXED) >= LOOKS;
}

/*
 * Without /proc a capture's reader and this process share an open file description, and so
 * the lock, which says nothing then. The socket does.
 */
static int has_reader(struct ue__ring_writer *writer)
{
	if (writer->socket >= 0 && is_hung_up(writer))
		return 0;
	if (is_reader_gone(writer))
		return 0;
	if (writer->socket >= 0 && ue__ring_id_of(writer->owner) & UE__RING_UNLOCKED)
		return is_its_socket(writer);
	return ue__ring_can_ask(writer) &&
	       ue__ring_is_locked(writer->lock_fd, UE__RING_READER_LOCK);
}

/* 1 if there may be a page now; 0 if nobody is there to free one. */
static int wait_for_page(struct ue__ring_writer *writer, uint32_t freed)
{
	struct ue__ring *ring = writer->memory.ring;
	const struct timespec time = { .tv_nsec = WAIT_NS };

	if (!has_reader(writer))
		return 0;
	__atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);
	/* It may have read everything, and sleep: now it is to give pages back. */
	if (__atomic_load_n(&ring->sleeping, __ATOMIC_SEQ_CST) != UE__RING_AWAKE)
		wake(writer);
	if (syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed, &time, NULL, 0) &&
	    errno == ENOSYS)
		sched_yield();
	return 1;
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
	return __atomic_load_n(&writer->full_at, __ATOMIC_RELAXED) != UINT64_C(1) + freed ||
	       (writer->memory.mode == UE__RING_OVERWRITE &&
		__atomic_load_n(&writer->lost[cpu], __ATOMIC_RELAXED) % SEARCH_EACH == 0);
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
	const uint32_t last =
		__atomic_exchange_n(&writer->step[cpu], step, __ATOMIC_RELAXED);
	const uint32_t ahead = step == last ? step : 0;

	__atomic_store_n(&writer->ahead[cpu], ahead, __ATOMIC_RELAXED);
	__builtin_prefetch(page + ahead, 1);
}

/*
 * The page that is opened next needs its state, and the header of another one. Their
 * addresses may take long to be translated, which this spares the write that opens it.
 */
static void look_at_next(const struct ue__ring_writer *writer, uint32_t cpu,
			 uint64_t current)
{
	const uint32_t ahead = __atomic_load_n(&writer->ahead[cpu], __ATOMIC_RELAXED);
	const uint32_t next = index_of(writer, current) + ahead / UE__RING_LARGE;

	if (!ahead)
		return;
	__builtin_prefetch(&writer->memory.states[next], 1);
	__builtin_prefetch(half_a_round_ahead(writer, 1, next - writer->memory.small_count),
			   1);
}

/* If another thread was faster, both pages have a record, and its page becomes the current. */
static void set_current(struct ue__ring_writer *writer, uint32_t cpu, uint64_t before,
			uint64_t taken)
{
	if (!__atomic_compare_exchange_n(&writer->current[cpu], &before, taken, 0,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		close_current(writer, taken);
}

/*
 * Claim what is not cleared yet of a page that has room for a record, and is open. The
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
	const uint32_t size = size_of_page(writer, current);
	struct ue__ring_page *page = ue__ring_page_of(writer, current);
	uint32_t used, room;
	uint64_t word;

	if (ue__ring_room_of(current) >= size)
		return 0;
	word = claim_rest(page, current, total, size);
	if (!word)
		return 0;
	used = ue__ring_used(word, size);
	room = clear_piece(page, used, used + total, size, PIECE);
	if (!reserve_claimed(page, word, total))
		return 0;
	__atomic_compare_exchange_n(&writer->current[cpu], &current,
				    with_room(current, room), 0, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	if (room == size)
		look_at_next(writer, cpu, current);
	*place = (struct ue__ring_place){
		(struct ue__ring_record *)(void *)((char *)page + used), page,
	};
	return 1;
}

static int drop(struct ue__ring_writer *writer, uint32_t cpu, uint32_t freed)
{
	const uint64_t full_at = UINT64_C(1) + freed;

	/* asked once, as the answer costs a system call */
	if (__atomic_exchange_n(&writer->full_at, full_at, __ATOMIC_RELAXED) != full_at &&
	    writer->socket >= 0 && !has_reader(writer))
		disable_all(writer);
	__atomic_fetch_add(&writer->lost[cpu], 1, __ATOMIC_RELAXED);
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
		if (!is_large_page(writer, taken))
			__atomic_store_n(&writer->first[cpu], taken, __ATOMIC_RELEASE);
		else if (page->word)
			free_first(writer, cpu, page);
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
	const uint32_t size = size_of_page(writer, current);

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
			__atomic_load_n(&writer->current[i], __ATOMIC_ACQUIRE);

		if (other == UE__RING_NO_PAGE ||
		    !ue__ring_reserve_in(writer, other, total, place))
			continue;
		__atomic_compare_exchange_n(&writer->current[cpu], &before, other, 0,
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
	*taken = find_page(writer, is_large, total);
	if (*taken != UE__RING_NO_PAGE)
		return FOUND_A_PAGE;
	if (share(writer, cpu, current, total, place))
		return FOUND_A_PLACE;
	if (total <= SMALL_ROOM)
		*taken = find_page(writer, !is_large, total);
	return *taken != UE__RING_NO_PAGE ? FOUND_A_PAGE : FOUND_NOTHING;
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
				       wait_for_page(writer, freed) ?
			       1 : drop(writer, cpu, freed);
	if (!open_page(writer, key, taken, total, cpu, place))
		return 1;
	if (__atomic_load_n(&writer->key, __ATOMIC_RELAXED) == key)
		set_current(writer, cpu, current, taken);
	look_ahead(writer, cpu, current, taken);
	if (writer->memory.mode != UE__RING_OVERWRITE)
		wake_for_half(writer, is_large_page(writer, taken), ue__ring_number_of(taken));
	__atomic_store_n(&writer->full_at, 0, __ATOMIC_RELAXED);
	return 0;
}

int ue__ring_reserve_slowly(struct ue__ring_writer *writer, uint32_t total, uint32_t cpu,
			    struct ue__ring_place *place)
{
	UE__KEEP_ERRNO;
	int result = 1;

	while (result > 0) {
		const uint32_t key = __atomic_load_n(&writer->key, __ATOMIC_RELAXED);
		const uint64_t current =
			__atomic_load_n(&writer->current[cpu], __ATOMIC_ACQUIRE);

		if (writer->owner == UE__RING_NOBODY)
			return -ENOBUFS;
		if (ue__ring_reserve_in(writer, current, total, place) ||
		    clear_and_reserve(writer, current, total, cpu, place))
			return 0;
		result = reserve_in_another(writer, key, current, total, cpu, place);
	}
	return result;
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
	thread->id = ue__ring_id_of(writer->owner);
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
