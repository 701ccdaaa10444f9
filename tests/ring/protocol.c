/* SPDX-License-Identifier: MIT */
/* A ring as its writers and its reader see it, without sessions. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/events.h"
#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"
#include "ring_ends.h"

struct payload {
	uint32_t index, who, count;
	char more[40];
};

static int put(struct ue__ring_writer *writer, uint32_t who, uint32_t count)
{
	struct payload payload = { 7, who, count, "" };
	int result;

	errno = 4711;
	result = ue__ring_put(writer, (char *)&payload, 12 + count % 40);
	assert_int_equal(errno, 4711);
	return result;
}

/* Too large for a small page. */
static int put_wide(struct ue__ring_writer *writer, uint32_t who, uint32_t count)
{
	const uint32_t payload[UE__RING_SMALL / 4] = { 7, who, count };

	return ue__ring_put(writer, (const char *)payload, sizeof(payload));
}

static void expect(struct ring *ring, uint32_t who, uint32_t count)
{
	struct ue__ring_event event;
	uint32_t numbers[2];

	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	memcpy(numbers, event.payload, sizeof(numbers));
	assert_int_equal(event.index, 7);
	assert_int_equal(numbers[0], who);
	assert_int_equal(numbers[1], count);
	assert_int_equal(event.length, 8 + count % 40);
	assert_int_equal(event.pid, getpid());
	assert_int_equal(event.tid, gettid());
}

static void expect_none(struct ring *ring)
{
	struct ue__ring_event event;

	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 0);
}

static void records_come_back_in_order(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, 1 << 20);

	(void)state;
	expect_none(ring);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(put(&ring->writer, 1, i), 0);
	for (uint32_t i = 0; i < 100; i++)
		expect(ring, 1, i);
	expect_none(ring);
	close_ring(ring);
}

/* It may have an older one on a processor that the pass has visited already. */
static void a_record_that_is_younger_than_the_pass_waits(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, 1 << 20);
	struct ue__ring_place place;

	(void)state;
	assert_int_equal(ue__ring_reserve(&ring->writer, 12, &place), 0);
	ue__ring_begin(&ring->writer, &place, 12);
	memcpy(place.record->bytes, (const uint32_t[]){ 7, 1, 0 }, 12);
	place.record->time += 9000000000;
	place.record->head = 12 | UE__RING_DONE;
	expect_none(ring);
	place.record->time -= 9000000000;
	assert_int_equal(ring->reader.memory.states[1] != 0, 1);
	expect(ring, 1, 0);
	close_ring(ring);
}

/* How far the wall clock is ahead, after the next event. */
static int64_t ahead_at(struct ring *ring, uint32_t count)
{
	struct ue__ring_event event;

	assert_int_equal(put(&ring->writer, 1, count), 0);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	return event.real_time - event.time;
}

static void only_a_clock_that_is_set_moves_the_wall_time(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, 1 << 20);
	struct ue__ring_page *page;
	int64_t first;
	uint32_t i = 0;

	(void)state;
	first = ahead_at(ring, 0);
	while (!ring->reader.memory.states[i])
		i++;
	page = ue__ring_page(&ring->reader.memory, i);
	assert_int_equal(page->real - page->monotonic, first);
	page->real -= 900000; /* its writer was interrupted between its looks at two clocks */
	assert_int_equal(ahead_at(ring, 1), first);
	page->real += 1800000;
	assert_int_equal(ahead_at(ring, 2), first);
	page->real += 3600000000000;
	assert_int_equal(ahead_at(ring, 3), first + 3600000900000);
	page->real -= 3600000900000;
	assert_int_equal(ahead_at(ring, 4), first);
	close_ring(ring);
}

static void pages_are_used_again(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		assert_int_equal(put(&ring->writer, 1, i), 0);
		expect(ring, 1, i);
	}
	close_ring(ring);
}

/* Losses are told by processor. */
static cpu_set_t stay(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	return all;
}

static void a_full_ring_drops_and_tells_where(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	const cpu_set_t all = stay();
	struct ue__ring_event event;
	uint32_t written = 0, dropped = 0, read = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		int result = put(&ring->writer, 1, i);

		assert_true(result == 0 || result == -ENOBUFS);
		written += !result;
		dropped += !!result;
	}
	assert_true(written && dropped);
	while (ue__ring_reader_next(&ring->reader, &event) == 1)
		read++;
	assert_int_equal(read, written);
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	assert_int_equal(event.lost, dropped);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	close_ring(ring);
}

static void the_oldest_are_overwritten(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_event event;
	uint32_t numbers[2] = { 0 }, first = 0, read = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(put(&ring->writer, 1, i), 0);
	while (ue__ring_reader_next(&ring->reader, &event) == 1) {
		memcpy(numbers, event.payload, sizeof(numbers));
		if (!read++)
			first = numbers[1];
		assert_int_equal(numbers[1], first + read - 1);
	}
	assert_int_equal(numbers[1], 99999);
	assert_true(read > 1000);
	assert_int_equal(read + ue__ring_missed(&ring->reader), 100000);
	close_ring(ring);
}

/* Its writers do nothing for it before. */
static void a_reader_that_sleeps_is_woken_for_half_a_ring(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	const uint32_t *sleeping = &ring->writer.memory.ring->sleeping;
	const uint32_t half = ue__ring_count_of(&ring->writer.memory, 1) / 2;
	uint32_t written = 0, last;

	(void)state;
	for (int round = 0; round < 3; round++) {
		assert_true(ue__ring_fall_asleep(&ring->reader, UE__RING_IN_FUTEX) > 0);
		for (last = written; *sleeping; written++)
			assert_int_equal(put_wide(&ring->writer, 1, written), 0);
		/* 15 records in a page */
		assert_true(written - last >= (half - 1) * 15 &&
			    written - last <= (half + 1) * 15);
		while (last < written) {
			struct ue__ring_event event;

			assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
			last++;
		}
		expect_none(ring);
	}
	close_ring(ring);
}

/* Sleeping */

static int sleep_of(struct ue__ring_reader *reader)
{
	const int milliseconds = ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX);

	ue__ring_wake_up(reader);
	return milliseconds;
}

static void a_reader_looks_at_an_idle_ring_20_times_a_second(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	assert_true(sleep_of(&ring->reader) >= 50);
	expect_none(ring);
	assert_true(sleep_of(&ring->reader) >= 50);
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	assert_true(ring->reader.is_by_page || !sleep_of(&ring->reader));
	close_ring(ring);
}

/* The next one is printed soon. */
static void a_reader_looks_more_often_after_an_event(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	expect(ring, 1, 0);
	expect_none(ring);
	if (!ring->reader.is_by_page) {
		assert_true(ring->reader.found_at > 0);
		ring->reader.found_at = INT64_MAX / 2; /* as if it were just now */
		assert_true(sleep_of(&ring->reader) <= 25);
		ring->reader.found_at = 0;
		assert_true(sleep_of(&ring->reader) >= 50);
	}
	close_ring(ring);
}

static int next_page(struct ring *ring)
{
	struct ue_captured_page page;

	return ue__ring_reader_next_page(&ring->reader, &page);
}

/* It records them, and a writer wakes it for half a ring. */
static void a_reader_of_pages_looks_seldom(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	(void)state;
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	assert_int_equal(next_page(ring), 1);
	assert_int_equal(next_page(ring), 0);
	assert_true(sleep_of(&ring->reader) >= 200);
	close_ring(ring);
}

/* Nobody wakes it, and meanwhile events are overwritten. */
static void a_reader_of_pages_that_are_overwritten_does_not(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);

	(void)state;
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	assert_int_equal(next_page(ring), 1);
	assert_int_equal(next_page(ring), 0);
	assert_true(sleep_of(&ring->reader) <= 50);
	close_ring(ring);
}

/* The writer saw it awake and did not wake it. Once, as there may be nothing to free. */
static void a_reader_of_pages_looks_again_for_one_who_waits(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);

	(void)state;
	assert_int_equal(next_page(ring), 0);
	ring->writer.memory.ring->waiting = 1;
	assert_int_equal(sleep_of(&ring->reader), 0);
	assert_int_equal(next_page(ring), 0);
	assert_true(sleep_of(&ring->reader) > 0);
	close_ring(ring);
}

/* Clearing */

/* Fill a page with bytes that look like anything but zeros. */
static void put_ones(struct ue__ring_writer *writer, uint32_t size)
{
	const uint32_t total = ue__ring_record_size(size);
	static const char zeros[1024];
	struct ue__ring_place place;

	assert_int_equal(ue__ring_reserve(writer, size, &place), 0);
	assert_memory_equal(place.record, zeros, total);
	ue__ring_begin(writer, &place, size);
	memset(place.record->bytes, 0xff, total - sizeof(*place.record));
	ue__ring_commit(&place, size);
}

/* A reader finds the next record behind a hole, as the hole consists of zeros. */
static void a_record_is_cleared_before_it_is_reserved(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);

	(void)state;
	for (uint32_t i = 0; i < 20000; i++)
		put_ones(&ring->writer, 4 + i * 7 % 900 / (i % 3 + 1));
	close_ring(ring);
}

static struct ue__ring_page *current_page(struct ring *ring)
{
	const uint32_t cpu = ue__ring_cpu() & ring->writer.cpu_mask;

	return ue__ring_page_of(&ring->writer, ring->writer.on[cpu].current);
}

/* Its process stopped: what it clears must not be what others have written meanwhile. */
static void a_page_that_is_being_cleared_is_not_overwritten(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_page *page;
	uint64_t word;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		put_ones(&ring->writer, 8);
	page = current_page(ring); /* a large one */
	word = page->word |= UE__RING_CLEARING;
	for (uint32_t i = 0; i < 20000; i++)
		put_ones(&ring->writer, 8);
	assert_true(page->word == (word | UE__RING_CLOSED));
	assert_ptr_not_equal(page, current_page(ring));
	close_ring(ring);
}

/* Boots */

/* The rate of the counter in an earlier boot: two and a half counts a nanosecond. */
static uint64_t counts(int64_t nanoseconds)
{
	return (uint64_t)nanoseconds / 2 * 5;
}

/* Whoever set the marks was killed before it looked whether a page is free by now. */
static void marks_of_a_killed_writer_are_removed(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	ring->writer.memory.full_groups[0] = UINT64_MAX;
	assert_int_equal(put(&ring->writer, 1, 0), -ENOBUFS);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 0);
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	close_ring(ring);
}

/* The reader before was killed as it had freed the last page. */
static void writers_look_again_when_a_reader_begins(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 0);
	ring->writer.full_at = UINT64_C(1) + ring->writer.memory.ring->freed;
	assert_int_equal(put(&ring->writer, 1, 0), -ENOBUFS);
	ue__ring_reader_end(&ring->reader);
	assert_int_equal(ue__ring_reader_begin(&ring->reader, ring->fd, 1), 0);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 0);
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	close_ring(ring);
}

static int is_any_free(const struct ue__ring_memory *memory)
{
	for (uint32_t i = 0; i < memory->page_count; i++)
		if (!memory->states[i])
			return 1;
	return 0;
}

/* The reader's next pass would remove marks, too, but may be late. */
static void a_page_that_was_freed_is_found_at_once(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;

	(void)state;
	while (!put(&ring->writer, 1, 0))
		;
	while (!is_any_free(&ring->writer.memory))
		assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	close_ring(ring);
}

/* The counter of that boot when it began: its events seem to come soon. */
static uint64_t began;

/* An event of an earlier boot, so long after its page was opened. */
static void put_before_boot(struct ring *ring, uint32_t count, int64_t opened,
			    int64_t later)
{
	struct ue__ring_writer *writer = &ring->writer;
	struct ue__ring_place place;

	writer->on[ue__ring_cpu() & writer->cpu_mask].current = UE__RING_NO_PAGE;
	assert_int_equal(ue__ring_reserve(&ring->writer, 12, &place), 0);
	place.page->boot ^= 1;
	place.page->counter = began + counts(opened);
	place.page->monotonic = opened;
	place.page->real = opened + INT64_C(1500000000000000000);
	ue__ring_begin(&ring->writer, &place, 12);
	memcpy(place.record->bytes, (const uint32_t[]){ 7, 1, count }, 12);
	place.record->time = began + counts(opened + later);
	ue__ring_commit(&place, 12);
}

static struct ring *open_ring_with_counter(void)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);

	ring->writer.memory.ring->clock = UE__RING_TSC;
	ue__ring_reader_end(&ring->reader);
	ue__ring_detach(&ring->writer);
	assert_int_equal(ue__ring_attach(&ring->writer, ring->fd, -1), 0);
	assert_int_equal(ue__ring_reader_begin(&ring->reader, ring->fd, 1), 0);
	return ring;
}

static void expect_time(struct ring *ring, uint32_t count, int64_t wanted)
{
	struct ue__ring_event event;
	uint32_t numbers[2];

	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	memcpy(numbers, event.payload, sizeof(numbers));
	assert_int_equal(numbers[1], count);
	assert_true(event.time - wanted < 1000000 && wanted - event.time < 1000000);
}

#define SECOND INT64_C(1000000000)

/* The moment of creation of another boot says nothing about them. */
static void times_of_earlier_boots_are_right(void **state)
{
	struct ring *ring;

	(void)state;
#if !defined(__x86_64__) && !defined(__i386__)
	skip(); /* no counter */
#endif
	ring = open_ring_with_counter();
	began = ue__ring_counter() + 5000000000 - counts(103 * SECOND);
	assert_int_equal(put(&ring->writer, 1, 0), 0); /* of this boot: read last */
	put_before_boot(ring, 1, 100 * SECOND, 3 * SECOND);
	put_before_boot(ring, 2, 104 * SECOND, 5 * SECOND);
	expect_time(ring, 1, 103 * SECOND);
	expect_time(ring, 2, 109 * SECOND);
	expect(ring, 1, 0);
	expect_none(ring);
	close_ring(ring);
}

/* A ring that was made in an earlier boot, and is written in this one. */
static void a_ring_that_is_older_than_the_boot_has_right_times(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring *shared = ring->writer.memory.ring;
	int64_t now;

	(void)state;
	shared->boot[0] ^= 1;
	shared->created.counter /= 3;
	shared->created.monotonic += 12 * SECOND;
	ue__ring_reader_end(&ring->reader);
	assert_int_equal(ue__ring_reader_begin(&ring->reader, ring->fd, 1), 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct ue__ring_event event;

		now = ue__ring_nanoseconds(CLOCK_MONOTONIC);
		assert_int_equal(put(&ring->writer, 1, i), 0);
		assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
		assert_true(event.time >= now - 100000);
		assert_true(event.time <= ue__ring_nanoseconds(CLOCK_MONOTONIC) + 100000);
	}
	close_ring(ring);
}

/* Threads */

#define THREADS 4
#define EACH 20000

static void *write_many(void *argument)
{
	struct ue__ring_writer *writer = argument;
	static uint32_t next;
	const uint32_t who = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < EACH; i++)
		assert_int_equal(put(writer, who, i), 0);
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	pthread_t threads[THREADS];
	uint32_t counts[THREADS] = { 0 }, read = 0;
	struct ue__ring_event event;
	int64_t last = 0;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_many, &ring->writer);
	while (read < THREADS * EACH) {
		uint32_t numbers[2];

		if (ue__ring_reader_next(&ring->reader, &event) != 1) {
			ue__ring_sleep(&ring->reader, 1000);
			continue;
		}
		memcpy(numbers, event.payload, sizeof(numbers));
		assert_true(numbers[0] < THREADS);
		assert_int_equal(numbers[1], counts[numbers[0]]++);
		assert_int_equal(event.lost, 0);
		last = event.time;
		read++;
	}
	assert_true(last > 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	expect_none(ring);
	close_ring(ring);
}

/* Missing */

#define WRITTEN 200000u

static uint32_t begun;

static void *write_on(void *argument)
{
	struct ue__ring_writer *writer = argument;

	for (uint32_t i = 0; i < WRITTEN; i++) {
		__atomic_store_n(&begun, i + 1, __ATOMIC_RELEASE);
		assert_int_equal(put(writer, 1, i), 0);
	}
	return NULL;
}

/* Read until all is written. There were so many events before. */
static uint32_t read_along(struct ring *ring, uint32_t before)
{
	struct ue__ring_event event;
	uint32_t found = 0;

	do {
		while (ue__ring_reader_next(&ring->reader, &event) == 1)
			assert_true(++found + ue__ring_missed(&ring->reader) <=
				    before + __atomic_load_n(&begun, __ATOMIC_ACQUIRE));
	} while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < WRITTEN);
	return found;
}

static void read_again(struct ring *ring)
{
	ue__ring_reader_end(&ring->reader);
	assert_int_equal(ue__ring_reader_begin(&ring->reader, ring->fd, 1), 0);
}

/* The ring was full before the reader began. */
static void what_is_missed_is_never_too_much(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_event event;
	uint32_t before, found;
	pthread_t thread;

	(void)state;
	begun = 0;
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(put(&ring->writer, 1, i), 0);
	read_again(ring);
	for (before = 0; ue__ring_reader_next(&ring->reader, &event) == 1; before++)
		;
	read_again(ring);
	pthread_create(&thread, NULL, write_on, &ring->writer);
	found = read_along(ring, before);
	pthread_join(thread, NULL);
	found += read_along(ring, before + found);
	assert_int_equal(found + ue__ring_missed(&ring->reader), before + WRITTEN);
	close_ring(ring);
}

/* Death */

static void the_dead_leave_what_was_done(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_place place;
	struct ue__ring_event event;
	int status;
	pid_t child;

	(void)state;
	for (int round = 0; round < 100; round++) {
		child = fork();
		if (!child) {
			ue__ring_attach_child(&ring->writer, -1, 1);
			put(&ring->writer, 2, 1);
			if (round % 3 != 2 && ue__ring_reserve(&ring->writer, 40, &place))
				_exit(2);
			if (round % 3 == 1)
				ue__ring_begin(&ring->writer, &place, 40);
			put(&ring->writer, 2, 2);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		for (uint32_t i = 1; i <= 2; i++) {
			uint32_t numbers[2];

			assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
			memcpy(numbers, event.payload, sizeof(numbers));
			assert_int_equal(numbers[0], 2);
			assert_int_equal(numbers[1], i);
			assert_int_equal(event.pid, child);
			assert_int_equal(event.tid, child);
		}
		usleep(1000);
		expect_none(ring);
	}
	usleep(60000);
	expect_none(ring);
	assert_int_equal(ring->reader.memory.ring->lost[UE__RING_CUT_OFF], 67);
	for (uint32_t i = 0; i < ring->reader.memory.page_count; i++)
		assert_int_equal(ring->reader.memory.states[i], 0);
	close_ring(ring);
}

/* A process that attaches, writes so many records, leaves the last one busy, and dies. */
static void write_and_die(struct ring *ring, uint32_t count)
{
	struct ue__ring_place place;
	int status;
	pid_t child = fork();

	if (!child) {
		ue__ring_attach_child(&ring->writer, -1, 1);
		for (uint32_t i = 0; i < count; i++)
			put_wide(&ring->writer, 2, i);
		if (ue__ring_reserve(&ring->writer, 40, &place))
			_exit(2);
		ue__ring_begin(&ring->writer, &place, 40);
		put_wide(&ring->writer, 2, count);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void pages_of_the_dead_are_overwritten(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	const uint32_t pages = ue__ring_count_of(&ring->writer.memory, 1);
	struct ue__ring_writer other;
	struct ue__ring_event event;
	uint32_t read = 0, written = 0;

	(void)state;
	assert_int_equal(put(&ring->writer, 1, 0), 0);
	for (uint32_t i = 1; i < pages; i++)
		write_and_die(ring, 1);
	assert_int_equal(ue__ring_attach(&other, ring->fd, -1), 0);
	for (uint32_t i = 0; i < 10000; i++)
		written += !put_wide(&other, 1, i);
	assert_true(written > 9900);
	while (ue__ring_reader_next(&ring->reader, &event) == 1)
		read++;
	assert_int_equal(read + ue__ring_missed(&ring->reader), written + 2 * pages - 1);
	assert_int_equal(ring->reader.memory.ring->lost[UE__RING_CUT_OFF], pages - 1);
	ue__ring_detach(&other);
	close_ring(ring);
}

/* All pages are those of a process that is amid a record in each; and then it ends. */
static void a_process_that_ends_frees_the_pages_that_it_held(void **state)
{
	struct ring *ring = open_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	static struct ue__ring_writer other;
	struct ue__ring_place place;

	(void)state;
	assert_int_equal(ue__ring_attach(&other, ring->fd, -1), 0);
	while (!ue__ring_reserve(&other, UE__RING_LARGE / 2, &place))
		;
	for (int i = 0; i < 10000; i++) /* after a failure it seldom looks */
		ue__ring_reserve(&other, UE__RING_SMALL / 2, &place);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(put(&ring->writer, 1, i), -ENOBUFS);
	ue__ring_detach(&other);
	assert_int_equal(put(&ring->writer, 1, 3), 0);
	close_ring(ring);
}

/* Its child writes, and has copies of all its descriptors. */
static void read_and_have_a_child(struct ring *ring, uint32_t *written)
{
	if (fork()) {
		for (;;)
			pause();
	}
	alarm(60); /* if it waits for itself */
	ue__ring_attach_child(&ring->writer, -1, 1);
	__atomic_store_n(written, 1, __ATOMIC_RELEASE);
	while (!put(&ring->writer, 1, 0))
		;
	__atomic_store_n(written, 2, __ATOMIC_RELEASE);
	_exit(0);
}

static void wait_until(const uint32_t *place, uint32_t wanted)
{
	while (__atomic_load_n(place, __ATOMIC_ACQUIRE) != wanted)
		usleep(1000);
}

static void a_reader_whose_child_lives_is_dead_to_it(void **state)
{
	uint32_t *stage = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ring *ring = open_ring(UE__RING_WAIT, UE__RING_LEAST);
	pid_t child;

	(void)state;
	ue__ring_reader_end(&ring->reader);
	child = fork();
	if (!child) {
		ue__ring_attach_child(&ring->writer, -1, 1);
		if (ue__ring_reader_begin(&ring->reader, ring->fd, 1) ||
		    ue__ring_has_more(&ring->reader))
			_exit(1);
		read_and_have_a_child(ring, stage);
	}
	wait_until(stage, 1);
	usleep(10000); /* it fills the ring, and waits; a moment before does not matter */
	assert_int_equal(*stage, 1);
	kill(child, SIGKILL); /* and nobody waits for it */
	wait_until(stage, 2);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (ue__ring_reader_begin(&ring->reader, ring->fd, 1) == -EBUSY)
		usleep(1000); /* until its child has ended, too */
	munmap(stage, 4096);
	close_ring(ring);
}

/* Its number may be another file's by now; the lock stays. */
static uint32_t fill(struct ring *ring)
{
	uint32_t count = 0;

	while (!put(&ring->writer, 1, 0))
		count++;
	return count;
}

static uint32_t read_all(struct ring *ring)
{
	struct ue__ring_event event;
	uint32_t count = 0;

	while (ue__ring_reader_next(&ring->reader, &event) == 1)
		count++;
	return count;
}

/* A reader that forks has its child's copy of the events in hand. */
static void a_child_takes_nothing_out_of_pages_that_are_used_again(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;
	uint32_t written;
	int go[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(go), 0);
	fill(ring);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	child = fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &written, 1) == 0)
			ue__ring_let_go(&ring->reader);
		_exit(0);
	}
	read_all(ring);
	written = fill(ring);
	close(go[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(read_all(ring), written);
	close(go[0]);
	close_ring(ring);
}

static void who_closes_all_descriptors_stays_alive(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_event event;
	int pipes[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		char byte;

		ue__ring_attach_child(&ring->writer, -1, 1);
		if (put(&ring->writer, 2, 1))
			_exit(1);
		for (int fd = 3; fd < 1024; fd++)
			if (fd != pipes[0])
				close(fd);
		for (int fd = 3; fd < 300; fd++)
			dup(0);
		while (read(pipes[0], &byte, 1) < 0)
			;
		_exit(put(&ring->writer, 2, 2) != 0);
	}
	while (!ring->reader.events) {
		ue__ring_reader_next(&ring->reader, &event);
		usleep(1000);
	}
	for (int i = 0; i < 20; i++) {
		usleep(10000);
		expect_none(ring);
	}
	assert_true(ring->reader.memory.states[1]);
	assert_int_equal(write(pipes[1], "", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(ue__ring_reader_next(&ring->reader, &event), 1);
	usleep(60000);
	expect_none(ring);
	assert_int_equal(ring->reader.memory.states[1], 0);
	close(pipes[0]);
	close(pipes[1]);
	close_ring(ring);
}

/* Events */

static void equal_definitions_are_one_event(void **state)
{
	struct ring *ring = open_ring(UE__RING_DROP, UE__RING_LEAST);
	const struct ue__ring_memory *memory = &ring->writer.memory;
	struct ue__ring_definition found;

	(void)state;
	assert_int_equal(ue__ring_add_rule(memory, '+', "on*"), 0);
	assert_int_equal(ue__ring_define(memory, "one u32 a", 3, 0), 0);
	assert_int_equal(ue__ring_define(memory, "two u32 a", 3, 0), 1);
	assert_int_equal(ue__ring_define(memory, "one u32 a", 3, 0), 0);
	assert_int_equal(ue__ring_define(memory, "one u32 a", 3, 1), 2);
	assert_int_equal(memory->enabled[0], 5);
	assert_int_equal(ue__ring_add_rule(memory, '+', "tw?"), 0);
	assert_int_equal(memory->enabled[0], 7);
	assert_int_equal(ue__ring_definition(memory, 2, &found), 0);
	assert_string_equal(found.text, "one u32 a");
	assert_int_equal(found.flags, 1);
	assert_int_equal(ue__ring_definition(memory, 3, &found), -ENOENT);
	close_ring(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_back_in_order),
		cmocka_unit_test(a_record_that_is_younger_than_the_pass_waits),
		cmocka_unit_test(only_a_clock_that_is_set_moves_the_wall_time),
		cmocka_unit_test(pages_are_used_again),
		cmocka_unit_test(a_full_ring_drops_and_tells_where),
		cmocka_unit_test(the_oldest_are_overwritten),
		cmocka_unit_test(a_reader_that_sleeps_is_woken_for_half_a_ring),
		cmocka_unit_test(a_reader_looks_at_an_idle_ring_20_times_a_second),
		cmocka_unit_test(a_reader_looks_more_often_after_an_event),
		cmocka_unit_test(a_reader_of_pages_looks_seldom),
		cmocka_unit_test(a_reader_of_pages_that_are_overwritten_does_not),
		cmocka_unit_test(a_reader_of_pages_looks_again_for_one_who_waits),
		cmocka_unit_test(a_record_is_cleared_before_it_is_reserved),
		cmocka_unit_test(a_page_that_is_being_cleared_is_not_overwritten),
		cmocka_unit_test(times_of_earlier_boots_are_right),
		cmocka_unit_test(a_ring_that_is_older_than_the_boot_has_right_times),
		cmocka_unit_test(threads_lose_nothing),
		cmocka_unit_test(what_is_missed_is_never_too_much),
		cmocka_unit_test(the_dead_leave_what_was_done),
		cmocka_unit_test(pages_of_the_dead_are_overwritten),
		cmocka_unit_test(a_process_that_ends_frees_the_pages_that_it_held),
		cmocka_unit_test(a_reader_whose_child_lives_is_dead_to_it),
		cmocka_unit_test(a_child_takes_nothing_out_of_pages_that_are_used_again),
		cmocka_unit_test(who_closes_all_descriptors_stays_alive),
		cmocka_unit_test(equal_definitions_are_one_event),
		cmocka_unit_test(marks_of_a_killed_writer_are_removed),
		cmocka_unit_test(a_page_that_was_freed_is_found_at_once),
		cmocka_unit_test(writers_look_again_when_a_reader_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
