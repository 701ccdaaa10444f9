/* SPDX-License-Identifier: MIT */
/*
 * Read a ring: hand out the events that passes find (ring_pass.c), and sleep between them.
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

#include "ring/events.h"
#include "ring/page.h"
#include "ring/ring_clock.h"
#include "ring/ring_lock.h"
#include "ring/ring_memory.h"
#include "ring_pass.h"

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
	const struct ue__ring_moment opened = ue__ring_moment_of(page);

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
 * event could be earlier than the one before by the time of an interrupt between the two.
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
		    thread->owner != found->owner)
			continue;
		ue__ring_copy_name(found->name, thread->name);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&thread->tid, __ATOMIC_RELAXED) == found->tid)
			return;
		found->name[0] = '\0'; /* another thread gets the entry */
	}
}

/* Names are remembered, as a search may go through all that the ring has. */
const char *ue__ring_thread_name(struct ue__ring_reader *reader, uint32_t owner,
				 uint32_t tid)
{
	struct ue__ring_name *found = &reader->names[(tid ^ owner * 7) % UE__RING_NAMES];
	const uint32_t turn =
		__atomic_load_n(&reader->memory.ring->next_thread, __ATOMIC_ACQUIRE);

	if (found->owner == owner && found->tid == tid && found->turn == turn)
		return found->name;
	found->owner = owner;
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
	const uint32_t size = ue__ring_head_at(page, reference->at) & UE__RING_SIZE;
	struct ue__ring_stack parts;

	if (size < sizeof(uint32_t) ||
	    ue__ring_record_size(size) >
		    ue__ring_size_of(&reader->memory, reference->index) - reference->at)
		return 0;
	memcpy(header, page, sizeof(*header));
	memcpy(reader->copy.room, (const char *)page + reference->at, sizeof(*record) + size);
	if (!ue__ring_is_page(reader, reference->index, reference->number))
		return 0;
	/* the size is the one that was checked, whatever is in the ring by now */
	reader->copy.record.head = (record->head & ~UE__RING_SIZE) | size;
	parts = ue__ring_parts(record);
	*event = (struct ue__ring_event){
		.length = parts.length,
		.frames = parts.frames,
		.is_stack_cut = parts.is_cut,
		.frames_asked = parts.asked,
		.describes = !!(record->head & UE__RING_DESCRIBES),
		.stack = ue__ring_stack_of(record, &parts),
		.payload = record->bytes + sizeof(uint32_t),
		.time = convert(reader, header, reference->time),
		.owner = header->owner,
		.pid = header->pid,
		.tid = record->tid,
		.cpu = header->cpu,
		.lost = ue__ring_loss_before(reader, reference->index, header),
		.process = reader->process,
		.thread = ue__ring_thread_name(reader, header->owner, record->tid),
	};
	memcpy(&event->index, record->bytes, sizeof(event->index));
	event->real_time = ue__ring_wall_time(reader, header, event->time);
	ue__ring_copy_name(reader->process, header->name);
	return 1;
}

/* Times of two pages may differ by the time of reading two clocks. */
static void keep_order(struct ue__ring_reader *reader, struct ue__ring_event *event)
{
	const uint64_t back = (uint64_t)reader->last_time - (uint64_t)event->time;

	if (event->time < reader->last_time && back < 1000) {
		event->time = reader->last_time;
		event->real_time = (int64_t)((uint64_t)event->real_time + back);
	}
	reader->last_time = event->time;
}

/* Passes of a call. Their findings may vanish before they are copied, over and over. */
#define PASSES 16

int ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event)
{
	int result = 0, passes = 0;

	ue__ring_let_go(reader);
	reader->is_by_page = 0;
	while (!result) {
		if (reader->next == reader->found_count) {
			result = passes++ < PASSES ? ue__ring_pass(reader) : 0;
			if (result || reader->next == reader->found_count)
				return result;
		}
		result = take(reader, &reader->found[reader->next], event);
		ue__ring_take(reader, 1, result);
	}
	keep_order(reader, event);
	reader->events++;
	return 1;
}

/*
 * A reader of pages is not asked to look at all of them: it has just done that. It
 * reads on if it may be late otherwise, as a quarter of the pages of a size were opened
 * meanwhile, or a writer has begun to wait for one.
 */
static int is_filling(const struct ue__ring_reader *reader)
{
	int is_one = !reader->is_waited_for &&
		     __atomic_load_n(&reader->memory.ring->waiting, __ATOMIC_SEQ_CST);

	for (int is_large = 0; is_large < UE__RING_SIZES; is_large++)
		is_one |= __atomic_load_n(&reader->memory.ring->opened[is_large],
					  __ATOMIC_RELAXED) -
				  reader->looked_at[is_large] >
			  ue__ring_count_of(&reader->memory, is_large) / 4;
	return is_one;
}

int ue__ring_has_more(struct ue__ring_reader *reader)
{
	ue__ring_let_go(reader);
	if (reader->is_by_page)
		return reader->next < reader->found_count ||
		       reader->page < reader->memory.page_count || is_filling(reader);
	if (reader->next < reader->found_count)
		return 1;
	return ue__ring_pass(reader) || reader->found_count;
}

/* Sleeping */

/*
 * The reader sleeps for a moment. No write wakes it, but one that needs it: half of the
 * pages were opened since its last look, or there is none. A writer that misses the
 * announcement of its sleep, as they look and store at the same time, costs no more than
 * that moment.
 */

/*
 * Milliseconds: events are read, and dead processes looked after, so often. A reader by
 * time looks at an idle ring seldom, and more often for a second after an event, as a
 * person may wait for the next one. A reader of pages records them: each look costs it cold
 * caches, so it finds more at once. It relies on being woken, and no writer wakes one that
 * takes nothing out.
 */
#define LOOK_MS 50
#define BUSY_LOOK_MS 20
#define BUSY_NS 1000000000
#define PAGES_LOOK_MS 250

static int look_ms(const struct ue__ring_reader *reader)
{
	if (reader->is_by_page)
		return reader->is_woken ? PAGES_LOOK_MS : LOOK_MS;
	return reader->now.monotonic - reader->found_at < BUSY_NS ? BUSY_LOOK_MS : LOOK_MS;
}

int ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how)
{
	if (reader->is_woken)
		__atomic_store_n(&reader->memory.ring->sleeping, how, __ATOMIC_SEQ_CST);
	if (!ue__ring_has_more(reader))
		return look_ms(reader);
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
	struct timespec time;
	int most;

	ue__ring_let_go(reader);
	most = ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX);
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
	if (result) {
		ue__ring_reader_end(reader);
		return result;
	}
	if (reader->memory.is_writable)
		ue__ring_ask_for_code(&reader->memory);
	ue__ring_note_reader(reader);
	return 0;
}

void ue__ring_reader_end(struct ue__ring_reader *reader)
{
	if (!reader->memory.ring)
		return;
	for (uint32_t i = 0; reader->seen && i < reader->memory.page_count; i++)
		free(reader->seen[i].ahead);
	free(reader->seen);
	free(reader->found);
	free(reader->held.items);
	free(reader->copied);
	if (reader->fd >= 0)
		close(reader->fd);
	ue__ring_unmap(&reader->memory);
}
