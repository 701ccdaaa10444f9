/* SPDX-License-Identifier: MIT */
/*
 * The reader of a capture: with writers that never pause, as the test adds an event
 * whenever the reader takes one, or is about to sleep; and with memory that programs filled
 * with nonsense.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "capture/receive.h"
#include "kernel/capture_socket.h"
#include "ring/events.h"
#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"

int __real_ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event);
int __wrap_ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event);
int __real_ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how);
int __wrap_ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how);

UE_EVENT(tick, UE_U32(number));
UE_EVENT(other, UE_U32(number));

/* After so many events the test releases a reader that does not stop by itself. */
#define ENOUGH 1000

static struct ue_capture *capture;
static int fd;
static int written; /* by the writers that never pause; ENOUGH: they stop */
static void (*write_more)(void);
static void (*before_sleep)(void);

static void write_one_more(void)
{
	if (written >= ENOUGH)
		return;
	written++;
	write_more();
}

/* Records of the time 0 that a program stores again and again. */
static int forged;
static uint32_t forged_index;

int __wrap_ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event)
{
	if (forged) {
		forged--;
		reader->copy.record.time = 0;
		*event = (struct ue__ring_event){
			.index = forged_index, .payload = "four", .length = 4,
		};
		return 1;
	}
	write_one_more();
	return __real_ue__ring_reader_next(reader, event);
}

int __wrap_ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how)
{
	if (before_sleep)
		before_sleep();
	before_sleep = NULL;
	return __real_ue__ring_fall_asleep(reader, how);
}

static void write_tick(void)
{
	assert_int_equal(UE_WRITE(fd, tick, 4711), 0);
}

static int open_with(const struct ue_capture_opts *given)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	written = ENOUGH;
	if (ue_capture_open(given, &capture))
		return -1;
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	return fd < 0 || ue_register_all(fd) ? -1 : 0;
}

static int open_both(void **state)
{
	(void)state;
	return open_with(NULL);
}

static int open_small(void **state)
{
	const struct ue_capture_opts opts = { .size = sizeof(opts), .buffer = 1 };

	(void)state;
	return open_with(&opts);
}

static int close_both(void **state)
{
	(void)state;
	ue_close(fd);
	ue_capture_close(capture);
	return 0;
}

#define line_is(text) assert_string_equal(ue_capture_line(capture), (text))
#define nothing_is_left() line_is("")

static uint64_t count_malformed(void)
{
	struct ue_capture_counts counts;

	ue_capture_count(capture, &counts);
	return counts.malformed;
}

static void write_some(void)
{
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(UE_WRITE(fd, tick, i), 0);
}

/* Writers that never pause */

static void skip_while(void (*function)(void), int count)
{
	write_more = function;
	written = 0;
	assert_int_equal(ue_capture_skip(capture), count);
	assert_true(written < ENOUGH);
	written = ENOUGH;
}

static void skipping_stops_at_what_came_later(void **state)
{
	(void)state;
	write_some();
	skip_while(write_tick, 10);
	line_is("user_events:tick number=4711");
}

/* A small ring has room for far fewer. A call that passed all of them would pass any number. */
#define FORGED 1000000

static void skipping_ends_whatever_times_are_stored(void **state)
{
	const uint32_t indexes[] = { 0, 4000 }; /* the second has no definition */

	(void)state;
	for (int i = 0; i < 2; i++) {
		forged = FORGED;
		forged_index = indexes[i];
		assert_true(ue_capture_skip(capture) >= 0);
		assert_true(forged && forged < FORGED);
		forged = 0;
	}
}

static void nothing_is_skipped_where_nothing_was(void **state)
{
	(void)state;
	assert_int_equal(ue_capture_skip(capture), 0);
	skip_while(write_tick, 0);
	line_is("user_events:tick number=4711");
	nothing_is_left();
}

/* Records of an index that was never registered. */
static struct ue__ring_writer stranger;

static void write_nonsense(void)
{
	assert_int_equal(ue__ring_put(&stranger, "nonsense", 8), 0);
}

static int ring_of_capture(void)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	uint32_t magic;
	struct iovec piece = { &magic, sizeof(magic) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int memory;

	assert_int_equal(recvmsg(ue_capture_writer_fd(capture), &message, MSG_PEEK),
			 sizeof(magic));
	assert_int_equal(magic, UE__CAPTURE_MAGIC);
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	assert_int_equal(ftruncate(memory, 0), -1); /* sealed */
	return memory;
}

static void begin_stranger(void)
{
	const int memory = ring_of_capture();

	assert_int_equal(ue__ring_attach(&stranger, memory, ue_capture_writer_fd(capture)), 0);
	close(memory);
}

static int is_readable_within(int milliseconds)
{
	struct pollfd end = { .fd = ue_capture_poll_fd(capture), .events = POLLIN };

	return poll(&end, 1, milliseconds) == 1;
}

static int is_readable(void)
{
	return is_readable_within(0);
}

/* Else such a writer would keep the reader for ever. */
static void reading_stops_amid_records_without_a_definition(void **state)
{
	const int most = 20000;
	struct ue_captured event;

	(void)state;
	begin_stranger();
	write_more = write_nonsense;
	written = ENOUGH - most;
	assert_int_equal(ue_capture_next(capture, &event), 0);
	assert_true(written < ENOUGH);
	assert_true(is_readable_within(60000)); /* a timer makes it so */
	while (written < ENOUGH)
		assert_int_equal(ue_capture_next(capture, &event), 0);
	write_tick();
	line_is("user_events:tick number=4711");
	assert_int_equal(count_malformed(), most);
	ue__ring_detach(&stranger);
}

static void skipping_stops_beside_records_of_others(void **state)
{
	(void)state;
	begin_stranger();
	write_some();
	skip_while(write_nonsense, 10);
	nothing_is_left();
	assert_true(count_malformed() > 0);
	ue__ring_detach(&stranger);
}

/* Sleeping */

static void an_event_written_before_the_reader_sleeps_is_read(void **state)
{
	(void)state;
	before_sleep = write_tick;
	line_is("user_events:tick number=4711");
	assert_true(is_readable());
	nothing_is_left();
	assert_false(is_readable());
}

static void send_event(void)
{
	static const struct ue__capture_event_packet packet = { UE__CAPTURE_EVENT, "late u32 x" };

	assert_int_equal(send(ue_capture_writer_fd(capture), &packet, 15, 0), 15);
}

/* A short packet must not end with bytes of an earlier one. */
static void a_name_without_its_end_is_malformed(void **state)
{
	static const struct ue__capture_event_packet packet = { UE__CAPTURE_EVENT, "late u32 x" };

	(void)state;
	send_event();
	assert_int_equal(send(ue_capture_writer_fd(capture), &packet, 14, 0), 14);
	nothing_is_left();
	assert_int_equal(count_malformed(), 1);
}

/* They may wait for room there. */
static void names_are_taken_beside_a_writer_that_never_pauses(void **state)
{
	(void)state;
	send_event();
	for (int i = 0; i < 2000; i++)
		write_tick();
	for (int i = 0; i < 1500; i++)
		line_is("user_events:tick number=4711");
	assert_string_equal(ue_capture_unregistered(capture, NULL), "late u32 x");
	assert_true(is_readable());
}

/* Nonsense in the memory */

static struct ue__ring_memory ring;

static int open_memory(void **state)
{
	int memory, result = open_both(state);

	memory = ring_of_capture();
	result |= ue__ring_map(&ring, memory);
	close(memory);
	return result;
}

static int close_memory(void **state)
{
	ue__ring_unmap(&ring);
	return close_both(state);
}

static void wrong_rules_do_no_harm(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");

	(void)state;
	ring.ring->rules_length = 0xffffffff;
	ring.ring->rules_turn = 1; /* as if a reader had died during a change */
	memset(ring.ring->rules, '*', sizeof(ring.ring->rules));
	assert_int_equal(ue_register(fd, &late), 0);
	assert_int_equal(ue_capture_disable(capture, "late"), 0);
	assert_int_equal(ue_enabled(&late), 0);
	assert_int_equal(ue_capture_enable(capture, "late"), 0);
	assert_int_equal(ue_enabled(&late), 1);
}

static void a_wrong_definition_is_malformed_and_so_are_its_events(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	const uint32_t index = ring.ring->next_event;

	(void)state;
	assert_int_equal(ue_register(fd, &late), 0);
	memcpy(ring.texts + ring.events[index].text + sizeof(uint32_t), "/", 1);
	assert_int_equal(ue_write(fd, &late, "\1", 1), 0);
	assert_int_equal(ue_write(fd, &late, "\1", 1), 0);
	nothing_is_left();
	assert_int_equal(count_malformed(), 1 + 2);
	write_tick();
	line_is("user_events:tick number=4711");
}

static void wrong_definitions_share_their_memory(void **state)
{
	const uint32_t first = ring.ring->next_event;

	(void)state;
	assert_true(ue__ring_define(&ring, "/a", 2, 0) >= 0);
	assert_true(ue__ring_define(&ring, "/b", 2, 0) >= 0);
	nothing_is_left();
	assert_int_equal(count_malformed(), 2);
	assert_non_null(capture->sources[first]);
	assert_ptr_equal(capture->sources[first], capture->sources[first + 1]);
}

static void a_definition_outside_of_the_texts_is_none(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	const uint32_t index = ring.ring->next_event;

	(void)state;
	assert_int_equal(ue_register(fd, &late), 0);
	ring.events[index].text = 0xffffffff;
	ring.ring->next_event = 0xffffffff;
	assert_int_equal(ue_write(fd, &late, "\1", 1), 0);
	write_tick();
	line_is("user_events:tick number=4711");
	assert_int_equal(count_malformed(), 1);
	ring.ring->next_event = index + 1;
}

/* Its process may be about to publish it. */
static void a_definition_that_is_late_is_read(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	const uint32_t index = ring.ring->next_event;
	struct ue_capture_counts counts;
	uint32_t length;

	(void)state;
	assert_int_equal(ue_register(fd, &late), 0);
	length = ring.events[index].length;
	ring.events[index].length = 0;
	assert_int_equal(ue_write(fd, &late, "\1", 1), 0);
	ring.events[index].length = length;
	line_is("user_events:late x=1");
	nothing_is_left();
	ue_capture_count(capture, &counts);
	assert_int_equal(counts.registered, index + 1);
	assert_int_equal(counts.malformed, 0);
}

#define LATER UINT64_C(9000000000) /* of the counter: more than 10^10 are not waited for */

/* A process may have a clock of its own (time_namespaces(7)). Returns the time. */
static uint64_t put_in_the_future(void)
{
	const uint32_t record[] = { (uint32_t)(UE_EVENT_OF(tick)->ue__binding >> 32), 4711 };
	uint64_t time = 0;

	begin_stranger();
	assert_int_equal(ue__ring_put(&stranger, (const char *)record, sizeof(record)), 0);
	for (uint32_t i = 0; i < ring.page_count; i++) {
		struct ue__ring_page *page = ue__ring_page(&ring, i);

		if (page->owner == stranger.owner)
			time = ((struct ue__ring_record *)(page + 1))->time += LATER;
	}
	ue__ring_detach(&stranger);
	return time;
}

static void an_event_of_the_future_is_read_at_the_end(void **state)
{
	struct ue_captured event;
	const char *line;
	uint64_t time;

	(void)state;
	do { /* a busy machine may look when the time has come */
		time = put_in_the_future();
		line = ue_capture_line(capture);
	} while (*line && ue__ring_time(ring.clock) >= time);
	assert_string_equal(line, "");
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(ue_capture_close_writer(capture), 0);
	line_is("user_events:tick number=4711");
	assert_int_equal(ue_capture_next(capture, &event), -EPIPE);
}

static void a_definition_that_is_later_than_others_is_read(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	static struct ue_event later = UE_EVENT_INIT(later, "later u8 x");
	const uint32_t index = ring.ring->next_event;
	struct ue_capture_counts counts;
	uint32_t length;

	(void)state;
	assert_int_equal(ue_register(fd, &late), 0);
	assert_int_equal(ue_register(fd, &later), 0);
	length = ring.events[index].length;
	ring.events[index].length = 0;
	nothing_is_left();
	ring.events[index].length = length;
	nothing_is_left();
	ue_capture_count(capture, &counts);
	assert_int_equal(counts.registered, index + 2);
}

static void definitions_behind_one_that_is_never_there_are_read(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	const uint32_t index = ring.ring->next_event++;
	struct ue_capture_counts counts;

	(void)state;
	assert_int_equal(ue_register(fd, &late), 0);
	nothing_is_left();
	ue_capture_count(capture, &counts);
	assert_int_equal(counts.registered, index + 1);
	assert_int_equal(counts.malformed, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_both, close_both)
#define MEMORY_TEST(f) cmocka_unit_test_setup_teardown(f, open_memory, close_memory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(skipping_stops_at_what_came_later),
		cmocka_unit_test_setup_teardown(skipping_ends_whatever_times_are_stored, open_small,
						close_both),
		TEST(nothing_is_skipped_where_nothing_was),
		TEST(skipping_stops_beside_records_of_others),
		TEST(reading_stops_amid_records_without_a_definition),
		TEST(an_event_written_before_the_reader_sleeps_is_read),
		TEST(a_name_without_its_end_is_malformed),
		TEST(names_are_taken_beside_a_writer_that_never_pauses),
		MEMORY_TEST(wrong_rules_do_no_harm),
		MEMORY_TEST(a_wrong_definition_is_malformed_and_so_are_its_events),
		MEMORY_TEST(wrong_definitions_share_their_memory),
		MEMORY_TEST(a_definition_outside_of_the_texts_is_none),
		MEMORY_TEST(a_definition_that_is_late_is_read),
		MEMORY_TEST(an_event_of_the_future_is_read_at_the_end),
		MEMORY_TEST(a_definition_that_is_later_than_others_is_read),
		MEMORY_TEST(definitions_behind_one_that_is_never_there_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
