/* SPDX-License-Identifier: MIT */
/*
 * The reader of a capture with writers that never pause: whenever it takes a packet out
 * of the socket, the test adds the next ones.
 */
#include "test.h"

#include <stdio.h>
#include <sys/socket.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

ssize_t __real_recvmsg(int socket, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int socket, struct msghdr *message, int flags);

UE_EVENT(tick, UE_U32(number));
UE_EVENT(other, UE_U32(number));

/* After so many packets the test releases a reader that does not stop by itself. */
#define ENOUGH 1000

static struct ue_capture *capture;
static int fd;
static int written; /* by the writers that never pause; ENOUGH: they stop */
static void (*write_more)(void);

/* Only ue_open() peeks. */
ssize_t __wrap_recvmsg(int socket, struct msghdr *message, int flags)
{
	if (!(flags & MSG_PEEK) && written < ENOUGH) {
		write_more();
		written++;
	}
	return __real_recvmsg(socket, message, flags);
}

static void write_tick(void)
{
	assert_int_equal(UE_WRITE(fd, tick, 4711), 0);
}

/* A packet that the library never writes. */
static void write_nonsense(void)
{
	assert_int_equal(send(fd, "?", 1, 0), 1);
}

static void write_much_nonsense(void)
{
	static const char nonsense[20000];

	assert_int_equal(send(fd, nonsense, sizeof(nonsense), 0), sizeof(nonsense));
}

static int open_both(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	written = ENOUGH;
	if (ue_capture_open(NULL, &capture))
		return -1;
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	return fd < 0 || ue_register_all(fd) ? -1 : 0;
}

static int close_both(void **state)
{
	(void)state;
	ue_close(fd);
	ue_capture_close(capture);
	return 0;
}

static void write_some(void)
{
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(UE_WRITE(fd, tick, i), 0);
}

static void skip_while(void (*function)(void))
{
	write_some();
	write_more = function;
	written = 0;
	assert_int_equal(ue_capture_skip(capture), 10);
	assert_true(written < ENOUGH);
	written = ENOUGH;
}

static void skipping_stops_at_what_came_later(void **state)
{
	(void)state;
	skip_while(write_tick);
	assert_string_equal(ue_capture_line(capture), "user_events:tick number=4711");
}

static void nothing_is_skipped_where_nothing_was(void **state)
{
	(void)state;
	assert_int_equal(ue_capture_skip(capture), 0);
	write_more = write_tick;
	written = 0;
	assert_int_equal(ue_capture_skip(capture), 0);
	assert_int_equal(written, 0);
	written = ENOUGH;
}

static void skipping_stops_beside_packets_of_others(void **state)
{
	(void)state;
	skip_while(write_nonsense);
	assert_string_equal(ue_capture_line(capture), "");
	skip_while(write_much_nonsense);
}

/* Packets that are cut off count as long as they were. */
static void a_packet_that_is_cut_off_counts_as_long_as_it_was(void **state)
{
	(void)state;
	write_much_nonsense();
	skip_while(write_tick);
}

/* Packets read in order to know all events are kept, and only those. */
static void enabling_keeps_what_was_there(void **state)
{
	char line[64];

	(void)state;
	write_some();
	write_more = write_tick;
	written = 0;
	assert_int_equal(ue_capture_disable(capture, "oth*"), 0);
	assert_true(written < ENOUGH);
	assert_false(UE_ENABLED(other));
	written = 0;
	assert_int_equal(ue_capture_enable(capture, "oth*"), 0);
	assert_true(written < ENOUGH);
	assert_true(UE_ENABLED(other));
	written = ENOUGH;
	for (int i = 0; i < 10; i++) {
		snprintf(line, sizeof(line), "user_events:tick number=%d", i);
		assert_string_equal(ue_capture_line(capture), line);
	}
	assert_string_equal(ue_capture_line(capture), "user_events:tick number=4711");
}

/* Kept packets are skipped, too. */
static void what_was_kept_is_skipped_too(void **state)
{
	(void)state;
	write_some();
	assert_int_equal(ue_capture_disable(capture, "oth*"), 0);
	write_some();
	write_more = write_tick;
	written = 0;
	assert_int_equal(ue_capture_skip(capture), 20);
	written = ENOUGH;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_both, close_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(skipping_stops_at_what_came_later),
		TEST(nothing_is_skipped_where_nothing_was),
		TEST(skipping_stops_beside_packets_of_others),
		TEST(a_packet_that_is_cut_off_counts_as_long_as_it_was),
		TEST(enabling_keeps_what_was_there),
		TEST(what_was_kept_is_skipped_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
