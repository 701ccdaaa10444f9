/* SPDX-License-Identifier: MIT */
/* A ring that is read as a capture. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

UE_EVENT(tick, UE_U32(number));

static int ring, session;

static int begin_with(uint32_t mode)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST, .mode = mode,
	};
	struct ue_open_opts open = { .size = sizeof(open), .flags = UE_OPEN_FD };

	ring = open.fd = ue_ring_create(NULL, &opts);
	session = ring < 0 ? ring : ue_open(&open);
	return session < 0 ? -1 : ue_register_all(session);
}

static int begin_dropping(void **state)
{
	(void)state;
	return begin_with(UE_RING_DROP);
}

static int begin_overwriting(void **state)
{
	(void)state;
	return begin_with(UE_RING_OVERWRITE);
}

static int end(void **state)
{
	(void)state;
	ue_close(session);
	close(ring);
	return 0;
}

static struct ue_capture *open_with(uint32_t flags)
{
	struct ue_capture *capture;

	assert_int_equal(ue_capture_open_ring(ring, flags, &capture), 0);
	return capture;
}

static void write_some(uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		assert_int_equal(UE_WRITE(session, tick, i), 0);
}

static void some_are_read(struct ue_capture *capture, uint32_t first, uint32_t count)
{
	struct ue_captured event;
	char line[64];

	for (uint32_t i = first; i < first + count; i++) {
		snprintf(line, sizeof(line), "user_events:tick number=%u", i);
		assert_string_equal(ue_capture_line(capture), line);
	}
	assert_int_equal(ue_capture_next(capture, &event), 0);
}

/* Also those written before there was a reader. */
static void each_reader_reads_all(void **state)
{
	struct ue_capture *first, *second;

	(void)state;
	write_some(0, 10);
	first = open_with(0);
	second = open_with(0);
	some_are_read(first, 0, 10);
	write_some(10, 10);
	some_are_read(first, 10, 10);
	some_are_read(second, 0, 20);
	ue_capture_close(first);
	ue_capture_close(second);
}

static void events_that_are_taken_make_room(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE);

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		write_some(i * 1000, 1000); /* of all, the ring would be full ten times */
		some_are_read(capture, i * 1000, 1000);
	}
	ue_capture_close(capture);
}

/* ... and those that are held make none, until they are released. */
static void events_that_are_held_stay_until_they_are_released(void **state)
{
	const uint32_t flags = UE_CAPTURE_TAKE | UE_CAPTURE_HOLD;
	struct ue_capture *capture = open_with(flags);

	(void)state;
	write_some(0, 5);
	some_are_read(capture, 0, 5);
	ue_capture_release(capture);
	write_some(5, 5);
	some_are_read(capture, 5, 5);
	ue_capture_close(capture);
	capture = open_with(flags); /* as if the one before had been killed */
	some_are_read(capture, 5, 5);
	ue_capture_release(capture);
	ue_capture_close(capture);
	capture = open_with(UE_CAPTURE_TAKE);
	assert_string_equal(ue_capture_line(capture), "");
	ue_capture_close(capture);
}

static uint64_t is_short(const struct ue_capture *capture)
{
	struct ue_capture_counts counts;

	ue_capture_count(capture, &counts);
	return counts.is_short;
}

/* ... and it says so in time. */
static void a_ring_is_full_of_events_that_are_held(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE | UE_CAPTURE_HOLD);
	uint32_t written = 0, first_short = 0;

	(void)state;
	for (; !UE_WRITE(session, tick, written); written++) {
		if (written % 100 != 99)
			continue;
		some_are_read(capture, written - 99, 100);
		if (!first_short && is_short(capture))
			first_short = written;
	}
	assert_uint_in_range(first_short, written / 4, written * 3 / 4);
	ue_capture_release(capture);
	ue_capture_skip(capture);
	assert_int_equal(is_short(capture), 0);
	for (uint32_t i = 0; i < 100; i++) {
		write_some(i * 1000, 1000);
		ue_capture_skip(capture);
		ue_capture_release(capture);
	}
	ue_capture_close(capture);
}

static void what_cannot_be_held_is_refused(void **state)
{
	struct ue_captured_page page;
	struct ue_capture *capture;

	(void)state;
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_HOLD, &capture), -EINVAL);
	capture = open_with(UE_CAPTURE_TAKE | UE_CAPTURE_HOLD);
	write_some(0, 1);
	assert_int_equal(ue_capture_next_page(capture, &page), -EINVAL);
	some_are_read(capture, 0, 1);
	ue_capture_close(capture);
}

/* A caller that comes back, or closes, has the events; nobody gets them again. */
static void the_next_reader_takes_what_is_left(void **state)
{
	struct ue_captured_page page;
	struct ue_capture *capture;

	(void)state;
	write_some(0, 3);
	capture = open_with(UE_CAPTURE_TAKE);
	assert_string_equal(ue_capture_line(capture), "user_events:tick number=0");
	ue_capture_close(capture);
	capture = open_with(UE_CAPTURE_TAKE);
	assert_string_equal(ue_capture_line(capture), "user_events:tick number=1");
	assert_int_equal(ue_capture_next_page(capture, &page), 1);
	assert_int_equal(page.event_count, 1);
	ue_capture_close(capture);
	capture = open_with(UE_CAPTURE_TAKE);
	some_are_read(capture, 3, 0);
	ue_capture_close(capture);
}

/* It ends like a killed one: its last events were not marked. */
static void one_that_never_comes_back_leaves_its_last(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE);
	int status;
	pid_t child;

	(void)state;
	ue_capture_close(capture);
	write_some(0, 2);
	child = fork();
	if (!child) {
		capture = open_with(UE_CAPTURE_TAKE);
		ue_capture_line(capture);
		ue_capture_line(capture);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	capture = open_with(UE_CAPTURE_TAKE);
	some_are_read(capture, 1, 1);
	ue_capture_close(capture);
}

static void one_reader_takes_events(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE), *other;

	(void)state;
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &other), -EBUSY);
	other = open_with(0);
	ue_capture_close(capture);
	capture = open_with(UE_CAPTURE_TAKE);
	ue_capture_close(capture);
	ue_capture_close(other);
}

static void a_closed_capture_leaves_the_ring_as_it_is(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE);

	(void)state;
	ue_capture_close(capture);
	assert_true(UE_ENABLED(tick));
	write_some(0, 10);
	capture = open_with(0);
	some_are_read(capture, 0, 10);
	ue_capture_close(capture);
}

static void it_has_no_descriptors(void **state)
{
	struct ue_capture *capture = open_with(0);

	(void)state;
	assert_int_equal(ue_capture_writer_fd(capture), -EBADF);
	assert_int_equal(ue_capture_poll_fd(capture), -EBADF);
	assert_int_equal(ue_capture_close_writer(capture), -EBADF);
	ue_capture_close(capture);
}

static void its_events_are_enabled_and_skipped(void **state)
{
	struct ue_capture *capture = open_with(0);

	(void)state;
	write_some(0, 10);
	assert_int_equal(ue_capture_disable(capture, "tick"), 0);
	assert_false(UE_ENABLED(tick));
	assert_int_equal(ue_capture_enable(capture, "t*"), 0);
	assert_true(UE_ENABLED(tick));
	assert_int_equal(ue_capture_skip(capture), 10);
	write_some(10, 1);
	some_are_read(capture, 10, 1);
	ue_capture_close(capture);
}

static void *write_later(void *unused)
{
	(void)unused;
	usleep(10000);
	UE_WRITE(session, tick, 7);
	return NULL;
}

static void a_wait_ends_with_an_event_of(uint32_t flags)
{
	struct ue_capture *capture = open_with(flags);
	struct ue_captured event;
	pthread_t thread;

	assert_int_equal(ue_capture_wait(capture, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_later, NULL), 0);
	while (!ue_capture_next(capture, &event))
		assert_int_equal(ue_capture_wait(capture, -1), 0);
	assert_int_equal(*(const uint32_t *)event.bytes, 7);
	assert_int_equal(pthread_join(thread, NULL), 0);
	ue_capture_close(capture);
}

static void a_wait_ends_with_an_event(void **state)
{
	(void)state;
	a_wait_ends_with_an_event_of(0);
}

static void a_wait_of_one_that_takes_events_ends_with_one(void **state)
{
	(void)state;
	a_wait_ends_with_an_event_of(UE_CAPTURE_TAKE);
}

/* Pages */

static int64_t time_in(const struct ue_captured_page *page, uint32_t number)
{
	return page->time +
	       (int64_t)((double)(page->events[number].clock - page->opened) *
			 page->rate);
}

static void is_same_event(const struct ue_captured_page *page, uint32_t number,
			  const struct ue_captured *event)
{
	const struct ue_page_event *one = &page->events[number];
	const struct ue_page_thread *thread = &page->threads[one->thread];
	const int64_t apart = time_in(page, number) - event->time;

	assert_int_equal(one->length, event->length);
	assert_memory_equal(one->bytes, event->bytes, one->length);
	assert_string_equal(one->definition, event->definition);
	assert_int_equal(one->index, event->index);
	assert_int_equal(thread->tid, event->tid);
	assert_string_equal(thread->name, event->thread);
	assert_string_equal(page->process, event->process);
	assert_int_equal(page->pid, event->pid);
	assert_int_equal(page->cpu, event->cpu);
	assert_true(apart < 1000000 && apart > -1000000);
	assert_true(page->real_time - page->time - (event->real_time - event->time) <
		    1000000);
}

static cpu_set_t processors;

static void stay_on_one_processor(void)
{
	cpu_set_t one;

	assert_int_equal(sched_getaffinity(0, sizeof(processors), &processors), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* Events of the thread on one processor are in pages that follow each other. */
static void pages_have_all_that_events_have(void **state)
{
	struct ue_capture *by_page, *by_event;
	struct ue_captured_page page;
	struct ue_captured event;
	uint64_t pass = 0;
	uint32_t read = 0;

	(void)state;
	stay_on_one_processor();
	write_some(0, 1000);
	by_page = open_with(0);
	while (ue_capture_next_page(by_page, &page) == 1) {
		assert_true(page.pass >= pass);
		pass = page.pass;
		read += page.event_count;
	}
	assert_int_equal(read, 1000);
	by_event = open_with(0);
	assert_int_equal(ue_capture_skip(by_event), 1000);
	write_some(0, 15);
	assert_int_equal(ue_capture_next_page(by_page, &page), 1);
	assert_true(page.pass > pass);
	for (uint32_t i = 0; i < page.event_count; i++) {
		assert_int_equal(ue_capture_next(by_event, &event), 1);
		is_same_event(&page, i, &event);
	}
	sched_setaffinity(0, sizeof(processors), &processors);
	ue_capture_close(by_page);
	ue_capture_close(by_event);
}

static uint32_t count_by_page(struct ue_capture *capture)
{
	struct ue_captured_page page;
	uint32_t count = 0;

	/* the rest of a pass, and another one */
	for (int i = 0; i < 2; i++)
		while (ue_capture_next_page(capture, &page) == 1)
			count += page.event_count;
	return count;
}

static void events_are_read_once_by_pages_too(void **state)
{
	struct ue_capture *capture = open_with(UE_CAPTURE_TAKE);
	struct ue_capture_counts counts;

	(void)state;
	for (uint32_t i = 0; i < 50; i++) {
		/* of all, the ring would be full five times */
		write_some(i * 1000, 1000);
		assert_int_equal(count_by_page(capture), 1000);
		assert_int_equal(count_by_page(capture), 0);
	}
	ue_capture_count(capture, &counts);
	assert_int_equal(counts.events, 50000);
	ue_capture_close(capture);
	capture = open_with(UE_CAPTURE_TAKE);
	assert_int_equal(count_by_page(capture), 0);
	ue_capture_close(capture);
}

/* Whatever the other function has found already is not forgotten. */
static void pages_follow_events_and_skips(void **state)
{
	struct ue_capture *capture = open_with(0);
	struct ue_captured event;

	(void)state;
	write_some(0, 20);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	write_some(20, 10);
	assert_int_equal(count_by_page(capture), 29);
	write_some(30, 5);
	assert_int_equal(ue_capture_skip(capture), 5);
	write_some(35, 5);
	assert_int_equal(count_by_page(capture), 5);
	write_some(40, 5);
	some_are_read(capture, 40, 5);
	ue_capture_close(capture);
}

/* The same file, by another descriptor. */
static void a_descriptor_for_reading_alone_reads(void **state)
{
	struct ue_capture *capture;
	char path[32];
	int own;

	(void)state;
	write_some(0, 10);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ring);
	own = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(own >= 0);
	assert_int_equal(ue_capture_open_ring(own, UE_CAPTURE_TAKE, &capture), -EACCES);
	assert_int_equal(ue_capture_open_ring(own, 0, &capture), 0);
	close(own);
	assert_int_equal(ue_capture_enable(capture, "*"), -EACCES);
	assert_int_equal(ue_capture_wait(capture, -1), 0);
	some_are_read(capture, 0, 10);
	assert_int_equal(ue_capture_wait(capture, 1), 0);
	ue_capture_close(capture);
}

static void wrong_arguments(void **state)
{
	struct ue_capture *none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	errno = 4711;
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_WAIT, &none), -EINVAL);
	assert_int_equal(ue_capture_open_ring(ring, 1u << 31, &none), -EINVAL);
	assert_int_equal(ue_capture_open_ring(null, 0, &none), -ENOTTY);
	assert_int_equal(ue_capture_open_ring(-1, 0, &none), -EBADF);
	assert_int_equal(errno, 4711);
	close(null);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_dropping, end)
#define OVERWRITE_TEST(f) cmocka_unit_test_setup_teardown(f, begin_overwriting, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_reader_reads_all),
		OVERWRITE_TEST(each_reader_reads_all),
		TEST(events_that_are_taken_make_room),
		TEST(events_that_are_held_stay_until_they_are_released),
		TEST(a_ring_is_full_of_events_that_are_held),
		TEST(what_cannot_be_held_is_refused),
		TEST(the_next_reader_takes_what_is_left),
		TEST(one_that_never_comes_back_leaves_its_last),
		TEST(one_reader_takes_events),
		TEST(a_closed_capture_leaves_the_ring_as_it_is),
		TEST(it_has_no_descriptors),
		TEST(its_events_are_enabled_and_skipped),
		TEST(a_wait_ends_with_an_event),
		OVERWRITE_TEST(a_wait_ends_with_an_event),
		TEST(a_wait_of_one_that_takes_events_ends_with_one),
		TEST(pages_have_all_that_events_have),
		TEST(events_are_read_once_by_pages_too),
		TEST(pages_follow_events_and_skips),
		OVERWRITE_TEST(pages_follow_events_and_skips),
		TEST(a_descriptor_for_reading_alone_reads),
		OVERWRITE_TEST(a_descriptor_for_reading_alone_reads),
		TEST(wrong_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
