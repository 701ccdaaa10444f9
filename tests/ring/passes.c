/* SPDX-License-Identifier: MIT */
/*
 * Single passes of a reader, and single openings of pages: what they leave in the ring.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "ring/page.h"
#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/find_page.h"
#include "ring/write/ring_writer.h"
#include "ring/write/wait_for_page.h"
#include "ring_ends.h"

static int put(struct ring *ring, uint32_t number)
{
	const uint32_t payload[] = { 7, number };

	return ue__ring_put(&ring->writer, (const char *)payload, sizeof(payload));
}

static int next(struct ring *ring, struct ue__ring_event *event)
{
	return ue__ring_reader_next(&ring->reader, event);
}

static uint32_t pages_in_use(const struct ring *ring)
{
	const struct ue__ring_memory *memory = &ring->reader.memory;
	uint32_t used = 0;

	for (uint32_t i = 0; i < memory->page_count; i++)
		used += !!memory->states[i];
	return used;
}

/* The first one. */
static struct ue__ring_page *page_in_use(const struct ring *ring)
{
	uint32_t i = 0;

	while (!ring->reader.memory.states[i])
		i++;
	return ue__ring_page(&ring->reader.memory, i);
}

static struct ue__ring_record *record_at(struct ue__ring_page *page, uint32_t number)
{
	return (void *)((char *)(page + 1) + number * ue__ring_record_size(8));
}

/*
 * A process writes one record and dies. It may be amid the record, or have a clock that
 * is ahead.
 */
static void write_and_die(struct ring *ring, uint64_t ahead, int is_done)
{
	struct ue__ring_place place;
	const pid_t child = fork();
	int status;

	if (!child) {
		ue__ring_attach_child(&ring->writer, -1, 1);
		if (ue__ring_reserve(&ring->writer, 8, &place))
			_exit(1);
		ue__ring_begin(&ring->writer, &place, 8);
		memcpy(place.record->bytes, (const uint32_t[]){ 7, 1 }, 8);
		place.record->time += ahead;
		if (is_done)
			ue__ring_commit(&place, 8);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* The dead */

#define AHEAD 9000000000u

static void what_the_dead_wrote_after_the_pass_began_is_not_lost(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	write_and_die(ring, AHEAD, 1);
	assert_int_equal(next(ring, &event), 0);
	assert_int_equal(pages_in_use(ring), 1);
	record_at(page_in_use(ring), 0)->time -= AHEAD;
	assert_int_equal(next(ring, &event), 1);
	close_ring(ring);
}

static void who_waits_for_a_page_gets_that_of_the_dead_at_once(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	ring->reader.next_burial = INT64_MAX;
	write_and_die(ring, 0, 0);
	assert_int_equal(next(ring, &event), 0);
	assert_int_equal(pages_in_use(ring), 1);
	ring->writer.memory.ring->waiting = 1;
	assert_int_equal(next(ring, &event), 0);
	assert_int_equal(pages_in_use(ring), 0);
	close_ring(ring);
}

/* It had a page, and no time to store anything there. */
static void who_died_before_it_began_a_page_lost_one_event(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	const struct ue__ring_memory *memory = &ring->writer.memory;

	(void)state;
	memory->states[memory->small_count + 3] =
		ue__ring_state(5, ue__ring_owner(60, 77));
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(memory->ring->lost[UE__RING_CUT_OFF], 1);
	close_ring(ring);
}

/* Who was killed after it had counted them left them to the next one. */
static void events_that_are_overwritten_are_counted_once(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	const struct ue__ring_memory *memory = &ring->writer.memory;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(put(ring, i), 0);
	for (int i = 0; i < 2; i++) {
		ue__ring_count_gone(memory, 1, page_in_use(ring)->word);
		assert_int_equal(ue__ring_gone(memory, 1), 3);
	}
	close_ring(ring);
}

static void info_has_the_pages_of_the_dead_as_cut_off(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_place place;
	struct ue_ring_info info;

	(void)state;
	write_and_die(ring, 0, 0);
	assert_int_equal(ue_ring_info(ring->fd, &info), 0);
	assert_int_equal(info.cut_off, 1);
	assert_int_equal(info.held, 0);
	assert_int_equal(ue__ring_reserve(&ring->writer, 8, &place), 0);
	assert_int_equal(ue_ring_info(ring->fd, &info), 0);
	assert_int_equal(info.cut_off, 1);
	assert_int_equal(info.held, 1);
	close_ring(ring);
}

/* Readers */

/* A program that becomes a daemon does this. Its parent has ended. */
static void who_reads_on_in_a_child_is_the_reader(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	const uint64_t *reader = &ring->reader.memory.ring->reader;
	pid_t child;

	(void)state;
	ue__ring_has_more(&ring->reader);
	assert_int_equal((uint32_t)*reader, getpid());
	child = fork();
	if (!child) {
		ue__ring_has_more(&ring->reader);
		_exit((uint32_t)*reader != (uint32_t)getpid());
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal((uint32_t)*reader, child);
	close_ring(ring);
}

static void a_ring_has_one_reader_that_takes_events_out(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_reader *other = calloc(1, sizeof(*other));

	(void)state;
	assert_int_equal(ue__ring_reader_begin(other, ring->fd, 1), -EBUSY);
	assert_int_equal(ue__ring_reader_begin(other, ring->fd, 0), 0);
	ue__ring_reader_end(other);
	free(other);
	close_ring(ring);
}

/* A page in use that each pass sees is one page, and not half of the ring. */
static void pages_are_short_only_while_many_are_in_use(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	assert_int_equal(put(ring, 1), 0);
	assert_int_equal(next(ring, &event), 1);
	for (uint32_t i = 0; i < 2 * ring->reader.memory.small_count; i++)
		assert_int_equal(next(ring, &event), 0);
	assert_int_equal(pages_in_use(ring), 1);
	close_ring(ring);
}

static void what_is_held_counts_in_no_later_page(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	ring->reader.is_holding = 1;
	assert_int_equal(put(ring, 0), 0);
	assert_int_equal(next(ring, &event), 1);
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(ring, i), 0);
	assert_true(ue__ring_has_more(&ring->reader));
	ue__ring_release(&ring->reader);
	for (uint32_t i = 0; i < ring->reader.memory.page_count; i++)
		assert_uint_in_range(ring->reader.seen[i].waiting, 0, UE__RING_LARGE);
	close_ring(ring);
}

/* The first record of the page has them, and a reader that was killed took it out. */
static void losses_of_a_page_are_reported_once(void **state)
{
	struct ue__ring_event event;

	(void)state;
	for (uint32_t is_taken = 0; is_taken < 2; is_taken++) {
		struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

		assert_int_equal(put(ring, 1), 0);
		assert_int_equal(put(ring, 2), 0);
		page_in_use(ring)->lost = 3;
		if (is_taken)
			record_at(page_in_use(ring), 0)->head |= UE__RING_TAKEN;
		assert_int_equal(next(ring, &event), 1);
		assert_int_equal(event.lost, is_taken ? 0 : 3);
		close_ring(ring);
	}
}

/* This reader cannot mark what it took. */
static void a_record_behind_a_hole_is_read_once(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_place place;
	struct ue__ring_event event;

	(void)state;
	assert_int_equal(ue__ring_reserve(&ring->writer, 8, &place), 0);
	assert_int_equal(put(ring, 1), 0);
	assert_int_equal(next(ring, &event), 1);
	assert_int_equal(next(ring, &event), 0);
	assert_int_equal(next(ring, &event), 0);
	close_ring(ring);
}

/* Its page has room for it, but nobody reserved that. */
static void a_record_beyond_what_was_reserved_is_malformed(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	assert_int_equal(put(ring, 1), 0);
	record_at(page_in_use(ring), 0)->head = 100 | UE__RING_DONE;
	assert_int_equal(next(ring, &event), 0);
	assert_int_equal(ring->reader.malformed, 1);
	close_ring(ring);
}

/* Two pages disagree about their clocks by less than it takes to look at them. */
static void times_do_not_go_back_by_an_instant(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;
	struct ue__ring_page *page;
	int64_t first;

	(void)state;
	assert_int_equal(put(ring, 1), 0);
	assert_int_equal(next(ring, &event), 1);
	first = event.time;
	assert_int_equal(put(ring, 2), 0);
	page = page_in_use(ring);
	record_at(page, 1)->time = record_at(page, 0)->time;
	page->monotonic -= 500;
	assert_int_equal(next(ring, &event), 1);
	assert_int_equal(event.time, first);
	close_ring(ring);
}

static int next_page(struct ring *ring)
{
	struct ue_captured_page page;

	return ue__ring_reader_next_page(&ring->reader, &page);
}

/* Its writer takes large pages, of which the ring has nine. */
static void a_reader_of_pages_reads_on_while_the_ring_fills(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	const uint32_t *opened = &ring->writer.memory.ring->opened[1];

	(void)state;
	assert_int_equal(next_page(ring), 0);
	for (uint32_t i = 0; *opened < 2; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(ue__ring_has_more(&ring->reader), 0);
	for (uint32_t i = 0; *opened < 3; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(ue__ring_has_more(&ring->reader), 1);
	close_ring(ring);
}

/* Nobody wakes a reader that takes nothing out. */
static void a_reader_that_sleeps_for_any_time_looks_again(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);

	(void)state;
	alarm(600);
	ue__ring_sleep(&ring->reader, -1);
	alarm(0);
	close_ring(ring);
}

/* A write would wake it again, and again. */
static void a_reader_that_finds_something_does_not_sleep(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	assert_int_equal(put(ring, 1), 0);
	assert_int_equal(ue__ring_fall_asleep(&ring->reader, UE__RING_IN_FUTEX), 0);
	assert_int_equal(ring->writer.memory.ring->sleeping, UE__RING_AWAKE);
	close_ring(ring);
}

/* Writers */

static uint64_t current_page(const struct ring *ring)
{
	return ring->writer.on[ue__ring_cpu() & ring->writer.cpu_mask].current;
}

/* Each processor has a page of its own. */
static void stay(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void close_current_page(struct ring *ring)
{
	struct ue__ring_page *page = ue__ring_page_of(&ring->writer, current_page(ring));

	ue__ring_close_page(page, page->word);
}

static int has_large_page(const struct ring *ring)
{
	return ue__ring_is_large_page(&ring->writer, current_page(ring));
}

/* Others give back its page. After one that it filled, it wants more. */
static void who_writes_little_keeps_small_pages(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(put(ring, i), 0);
		assert_false(has_large_page(ring));
		close_current_page(ring);
	}
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(put(ring, i), 0);
	assert_true(has_large_page(ring));
	close_ring(ring);
}

/* Who asked for stacks closed all open pages but this one. */
static void a_page_opened_as_stacks_were_asked_for_is_closed(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_place place;

	(void)state;
	ring->writer.memory.ring->wants_stacks = 1;
	assert_int_equal(ue__ring_reserve(&ring->writer, 8, &place), 0);
	assert_true(place.page->word & UE__RING_CLOSED);
	ring->writer.looks_for_stacks = 1;
	assert_int_equal(ue__ring_reserve(&ring->writer, 8, &place), 0);
	assert_false(place.page->word & UE__RING_CLOSED);
	close_ring(ring);
}

static void a_thread_is_entered_once_in_each_ring(void **state)
{
	struct ring *rings[] = { open_ring(UE__RING_DROP, UE__RING_LEAST), open_ring(UE__RING_DROP, UE__RING_LEAST),
				 open_ring(UE__RING_DROP, UE__RING_LEAST) };

	(void)state;
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(put(rings[i % 3], i), 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(rings[i]->writer.memory.ring->next_thread, 1);
		close_ring(rings[i]);
	}
}

/* 24 bits of it stand for it where the events of a page are counted, and 0 for none. */
static void some_numbers_are_no_pages(void **state)
{
	static const uint32_t after[][2] = {
		{ 0, 1 },
		{ 0xfffffe, 0xffffff },
		{ 0xffffff, 0x1000001 },
		{ UINT32_MAX - 1, 1 },
	};
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);

	(void)state;
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		uint64_t page;

		ring->writer.memory.ring->opened[1] = after[i][0];
		page = ue__ring_find_page(&ring->writer, 1, ue__ring_record_size(8));
		assert_int_equal(ue__ring_number_of(page), after[i][1]);
	}
	close_ring(ring);
}

/* A moment may be as old as a fraction of a millisecond. */
static void a_page_has_a_recent_moment_of_this_boot(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_page *page;
	uint64_t counter;

	(void)state;
	assert_int_equal(put(ring, 0), 0);
	page = ue__ring_page_of(&ring->writer, current_page(ring));
	assert_int_equal(page->boot, ue__ring_boot_of(ring->writer.memory.ring->boot));
	counter = page->counter;
	close_current_page(ring);
	usleep(2000);
	assert_int_equal(put(ring, 1), 0);
	page = ue__ring_page_of(&ring->writer, current_page(ring));
	assert_int_not_equal(page->counter, counter);
	close_ring(ring);
}

/* The next search begins behind the page that was found. */
static void pages_in_use_are_passed_once(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	const struct ue__ring_memory *memory = &ring->writer.memory;

	(void)state;
	for (uint32_t i = 1; i < 6; i++)
		memory->states[i] = ue__ring_state(i, ring->writer.owner);
	for (uint32_t i = 6; i < 9; i++) {
		const uint64_t page =
			ue__ring_find_page(&ring->writer, 0, ue__ring_record_size(8));

		assert_int_equal(ue__ring_index_of(&ring->writer, page), i);
		assert_int_equal(memory->ring->opened[0], i);
	}
	close_ring(ring);
}

/* Others wrote the events that it overwrites, before it began. */
static void the_first_events_of_a_process_outlive_older_ones(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_event event;
	struct ue__ring_writer before = ring->writer;
	uint32_t found = 0;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(ue__ring_attach(&ring->writer, ring->fd, -1), 0);
	usleep(1000); /* longer than a moment is kept */
	for (uint32_t i = 0; !i || !has_large_page(ring); i++)
		assert_int_equal(put(ring, 30000 + i), 0);
	while (next(ring, &event) == 1) {
		uint32_t number;

		memcpy(&number, event.payload, sizeof(number));
		found += number == 30000;
	}
	assert_int_equal(found, 1);
	ue__ring_detach(&before);
	close_ring(ring);
}

/* It was freed as its process overwrote later events, and another one uses it. */
static void the_first_page_of_a_process_is_counted(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	const struct ue__ring_memory *memory = &ring->reader.memory;
	struct ue__ring_writer before = ring->writer;
	struct ue__ring_event event;
	uint32_t found = 0;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(memory->states[1], 0);
	memory->ring->opened[0] = memory->small_count; /* its turn comes */
	assert_int_equal(ue__ring_attach(&ring->writer, ring->fd, -1), 0);
	assert_int_equal(put(ring, 0), 0);
	assert_int_not_equal(memory->states[1], 0);
	while (next(ring, &event) == 1)
		found++;
	assert_int_equal(found + ue__ring_missed(&ring->reader), 20001);
	ue__ring_detach(&before);
	close_ring(ring);
}

/* It closed the descriptor with which it asks for locks, and opened another file. */
static void who_cannot_ask_takes_nobody_for_dead(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_writer other;
	struct ue__ring_place place;
	const int file = memfd_create("other", MFD_CLOEXEC);
	uint64_t word;

	(void)state;
	assert_int_equal(ue__ring_attach(&other, ring->fd, -1), 0);
	assert_int_equal(ue__ring_reserve(&other, UE__RING_SMALL, &place), 0);
	word = place.page->word;
	assert_int_equal(dup2(file, ring->writer.lock_fd), ring->writer.lock_fd);
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(ring, i), 0);
	assert_int_equal(place.page->word, word);
	close(ring->writer.lock_fd);
	close(file);
	ue__ring_detach(&other);
	close_ring(ring);
}

/* A page that another processor of the process opened. */
static void processors_share_a_page_when_small_ones_are_short(void **state)
{
	const uint32_t cpu = ue__ring_cpu() & 1;

	(void)state;
	for (uint32_t used = 0; used < 2; used++) {
		struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
		const struct ue__ring_memory *memory = &ring->writer.memory;
		struct ue__ring_processor *on = ring->writer.on;

		ring->writer.cpu_mask = 1;
		assert_int_equal(put(ring, 1), 0);
		on[!cpu] = on[cpu];
		on[cpu].current = UE__RING_NO_PAGE;
		for (uint32_t i = 3; used && i < memory->small_count; i++)
			memory->states[i] = ue__ring_state(i, ring->writer.owner);
		assert_int_equal(put(ring, 2), 0);
		assert_int_equal(on[cpu].current == on[!cpu].current, used);
		close_ring(ring);
	}
}

static void no_process_has_the_id_of_nobody(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer other;

	(void)state;
	ring->writer.memory.ring->next_id = UE__RING_UNLOCKED - 1;
	assert_int_equal(ue__ring_attach(&other, ring->fd, -1), 0);
	assert_int_equal(ue__ring_id_of(other.owner), 1);
	ue__ring_detach(&other);
	close_ring(ring);
}

/* The pid of a process that has ended, and that nobody has by now. */
static uint32_t ended(void)
{
	const pid_t child = fork();

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return (uint32_t)child;
}

static int has_reader(struct ring *ring, uint32_t space, uint32_t pid)
{
	ring->writer.memory.ring->reader = (uint64_t)space << 32 | pid;
	return ue__ring_has_reader(&ring->writer);
}

/* Its pid is that of another process here. The lock is right. */
static void a_reader_in_another_pid_namespace_lives(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	const uint32_t pid = ended();

	(void)state;
	assert_true(ring->writer.memory.pid_namespace);
	for (int i = 0; i < 20; i++)
		assert_true(has_reader(ring, ring->writer.memory.pid_namespace + 1, pid));
	close_ring(ring);
}

/* While the parent has ended, and the child has not said yet that it goes on. */
static void a_reader_that_becomes_a_daemon_now_and_then_lives(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	const uint32_t space = ring->writer.memory.pid_namespace, pid = ended();

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_true(has_reader(ring, space, i % 4 ? pid : (uint32_t)getpid()));
	for (int i = 0; has_reader(ring, space, pid); i++)
		assert_true(i < 20);
	close_ring(ring);
}

/* The page that it waits for was freed meanwhile, so it does not wait here. */
static void who_waits_for_a_page_wakes_the_reader(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	struct ue__ring *header = ring->writer.memory.ring;

	(void)state;
	header->sleeping = UE__RING_IN_FUTEX;
	assert_int_equal(ue__ring_wait_for_page(&ring->writer, header->freed - 1), 1);
	assert_int_equal(header->sleeping, UE__RING_AWAKE);
	assert_int_equal(header->waiting, 1);
	close_ring(ring);
}

/* This process may be kept waiting between the two, so it has many attempts. */
static int is_seen(struct ring *ring, int64_t nanoseconds_ago)
{
	uint64_t *looked = &ring->writer.memory.ring->looked;
	int is_seen = 0;

	for (int i = 0; !is_seen && i < 100; i++) {
		*looked = ue__ring_time(ring->writer.clock) - (uint64_t)nanoseconds_ago;
		is_seen = !ue__ring_is_unseen(&ring->writer);
	}
	return is_seen;
}

/* Clocks of two processors differ by little, and those of time namespaces by much. */
static void a_ring_is_unseen_after_some_seconds(void **state)
{
	static const int64_t second = 1000000000;
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	ring->writer.clock = UE__RING_MONOTONIC;
	assert_true(is_seen(ring, second / 2));
	assert_true(is_seen(ring, -second / 2));
	for (int64_t seconds = 2; seconds < 60; seconds += 2)
		assert_false(is_seen(ring, seconds * second));
	assert_false(is_seen(ring, -60 * second));
	close_ring(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_dead_wrote_after_the_pass_began_is_not_lost),
		cmocka_unit_test(who_waits_for_a_page_gets_that_of_the_dead_at_once),
		cmocka_unit_test(who_died_before_it_began_a_page_lost_one_event),
		cmocka_unit_test(events_that_are_overwritten_are_counted_once),
		cmocka_unit_test(info_has_the_pages_of_the_dead_as_cut_off),
		cmocka_unit_test(who_reads_on_in_a_child_is_the_reader),
		cmocka_unit_test(a_ring_has_one_reader_that_takes_events_out),
		cmocka_unit_test(pages_are_short_only_while_many_are_in_use),
		cmocka_unit_test(what_is_held_counts_in_no_later_page),
		cmocka_unit_test(losses_of_a_page_are_reported_once),
		cmocka_unit_test(a_record_behind_a_hole_is_read_once),
		cmocka_unit_test(a_record_beyond_what_was_reserved_is_malformed),
		cmocka_unit_test(times_do_not_go_back_by_an_instant),
		cmocka_unit_test(a_reader_of_pages_reads_on_while_the_ring_fills),
		cmocka_unit_test(a_reader_that_sleeps_for_any_time_looks_again),
		cmocka_unit_test(a_reader_that_finds_something_does_not_sleep),
		cmocka_unit_test(who_writes_little_keeps_small_pages),
		cmocka_unit_test(a_page_opened_as_stacks_were_asked_for_is_closed),
		cmocka_unit_test(a_thread_is_entered_once_in_each_ring),
		cmocka_unit_test(some_numbers_are_no_pages),
		cmocka_unit_test(a_page_has_a_recent_moment_of_this_boot),
		cmocka_unit_test(pages_in_use_are_passed_once),
		cmocka_unit_test(the_first_events_of_a_process_outlive_older_ones),
		cmocka_unit_test(the_first_page_of_a_process_is_counted),
		cmocka_unit_test(who_cannot_ask_takes_nobody_for_dead),
		cmocka_unit_test(processors_share_a_page_when_small_ones_are_short),
		cmocka_unit_test(no_process_has_the_id_of_nobody),
		cmocka_unit_test(a_reader_in_another_pid_namespace_lives),
		cmocka_unit_test(a_reader_that_becomes_a_daemon_now_and_then_lives),
		cmocka_unit_test(who_waits_for_a_page_wakes_the_reader),
		cmocka_unit_test(a_ring_is_unseen_after_some_seconds),
	};

	stay();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
