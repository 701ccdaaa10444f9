/* SPDX-License-Identifier: MIT */
/* Events through the ring of a capture, in this process and in others. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/bindings.h>
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_S64(time), UE_STRING(path));
UE_EVENT(empty);
UE_EVENT(other, UE_U8(x));

UE_PROVIDER(store, "Store");
UE_TRACEPOINT(store_info, store, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(store_info, sold, UE_U8(count), UE_STRING(what));
UE_EVENTHEADER_WITH(store_info, closed, "StoreClosed", UE_OPCODE(UE_OPCODE_ACTIVITY_STOP),
		  UE_ERRNO(error));

static struct ue_capture *capture;
static int fd;

static int open_session(void)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = ue_capture_writer_fd(capture),
	};
	int result = ue_open(&opts);

	assert_true(result >= 0);
	return result;
}

static void open_with(uint32_t flags, uint32_t buffer)
{
	const struct ue_capture_opts opts = {
		.size = sizeof(opts), .flags = flags, .buffer = buffer,
	};

	assert_int_equal(ue_capture_open(&opts, &capture), 0);
	fd = open_session();
}

static int begin(void **state)
{
	(void)state;
	open_with(0, 0);
	return ue_register_all(fd) == 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(ue_close(fd), 0);
	ue_capture_close(capture);
	return 0;
}

static void begin_anew(uint32_t flags, uint32_t buffer)
{
	end(NULL);
	open_with(flags, buffer);
	assert_int_equal(ue_register_all(fd), 0);
}

#define line_is(text) assert_string_equal(ue_capture_line(capture), (text))
#define nothing_is_left() line_is("")

static struct ue_capture_counts counts(void)
{
	struct ue_capture_counts result;

	ue_capture_count(capture, &result);
	return result;
}

/* Waits until there may be an event. The limit only ends a hung test. */
static void wait_for_events(void)
{
	struct pollfd poll_fd = { .fd = ue_capture_poll_fd(capture), .events = POLLIN };

	assert_int_equal(poll(&poll_fd, 1, 60000), 1);
}

static void ends_well(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void events_arrive_in_order(void **state)
{
	char expected[64];

	(void)state;
	assert_int_equal(ue_abi(fd), UE_ABI_CAPTURE);
	assert_int_equal(UE_WRITE(fd, request, 200, -1, "/index.html"), 0);
	assert_int_equal(UE_WRITE(fd, other, 7), 0);
	line_is("user_events:request status=200 time=-1 path=\"/index.html\"");
	line_is("user_events:other x=7");
	nothing_is_left();
	for (int i = 0; i < 100; i++)
		assert_int_equal(UE_WRITE(fd, other, (uint8_t)i), 0);
	for (int i = 0; i < 100; i++) {
		snprintf(expected, sizeof(expected), "user_events:other x=%d", i);
		line_is(expected);
	}
	nothing_is_left();
	assert_int_equal(counts().events, 102);
}

static void an_event_without_fields_is_empty(void **state)
{
	struct ue_captured event;

	(void)state;
	assert_int_equal(UE_WRITE(fd, empty), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(event.length, 0);
	assert_int_equal(ue_write(fd, UE_EVENT_OF(empty), "", 0), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(event.length, 0);
	assert_int_equal(event.pid, getpid());
}

static void definitions_arrive_in_canonical_form(void **state)
{
	struct ue_event event, other, clash;
	struct ue_captured captured;

	(void)state;
	assert_int_equal(ue_event_init(&event, "flow u8 src;u8 dst", 0), 0);
	assert_int_equal(ue_event_init(&other, "flow  u8 src; u8 dst; ", 0), 0);
	assert_int_equal(ue_event_init(&clash, "flow u8 src;u8 dest", 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(ue_register(fd, &other), 0);
	assert_int_equal(ue_register(fd, &clash), -EADDRINUSE);
	assert_int_equal(ue_write(fd, &event, "ab", 2), 0);
	assert_int_equal(ue_capture_next(capture, &captured), 1);
	assert_string_equal(captured.definition, "flow u8 src; u8 dst");
	assert_int_equal(ue_unregister(&event), 0);
	assert_int_equal(ue_unregister(&other), 0);
}

static void fields_are_found_by_name(void **state)
{
	struct ue_captured event;
	struct ue_item item;
	uint64_t number;
	int64_t negative;

	(void)state;
	assert_int_equal(UE_WRITE(fd, request, 404, -5, "/x"), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(ue_captured_field(&event, "status", &item), UE_ITEM_VALUE);
	assert_int_equal(ue_value_u64(&item.value, &number), 0);
	assert_int_equal(number, 404);
	assert_int_equal(ue_captured_field(&event, "time", &item), UE_ITEM_VALUE);
	assert_int_equal(ue_value_s64(&item.value, &negative), 0);
	assert_int_equal(negative, -5);
	assert_int_equal(ue_captured_field(&event, "path", &item), UE_ITEM_VALUE);
	assert_int_equal(item.value.length, 2);
	assert_memory_equal(item.value.bytes, "/x", 2);
	assert_int_equal(ue_captured_field(&event, "pat", &item), -ENOENT);
}

static void an_eventheader_event_is_decoded(void **state)
{
	static const char bytes[] = "\7\0\0\0\0\0\0\4\6\0\1\0Ev\0u\0\4\52\0\0\0";
	static struct ue_event shop = UE_EVENT_INIT(shop, "Shop_L4K1 "
							  UE_EVENTHEADER_FIELDS);
	struct ue_captured event;
	struct ue_item item, before;

	(void)state;
	assert_int_equal(ue_register(fd, &shop), 0);
	assert_int_equal(ue_write(fd, &shop, bytes, sizeof(bytes) - 1), 0);
	line_is("Shop:Ev u=42");
	assert_int_equal(ue_write(fd, &shop, bytes, sizeof(bytes) - 1), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(ue_captured_field(&event, "u", &item), UE_ITEM_VALUE);
	before = item;
	assert_int_equal(ue_captured_field(&event, "v", &item), -ENOENT);
	assert_memory_equal(&item, &before, sizeof(item));
}

static int evaluated;

static uint8_t evaluate(void)
{
	evaluated++;
	return 1;
}

static void events_are_enabled_and_disabled(void **state)
{
	(void)state;
	begin_anew(UE_CAPTURE_DISABLED, 0);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 0);
	assert_int_equal(UE_WRITE(fd, other, evaluate()), 0);
	assert_int_equal(evaluated, 0);
	nothing_is_left();
	assert_int_equal(ue_capture_enable(capture, "oth*"), 0);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 1);
	assert_int_equal(ue_enabled(UE_EVENT_OF(request)), 0);
	assert_int_equal(UE_WRITE(fd, other, evaluate()), 0);
	assert_int_equal(evaluated, 1);
	assert_int_equal(ue_capture_disable(capture, "*"), 0);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 0);
	/* earlier events are still there */
	line_is("user_events:other x=1");
	nothing_is_left();
}

static void a_tracepoint_is_registered_for_its_events(void **state)
{
	struct ue_captured event;
	struct ue_item item;
	uint64_t number = 0;

	(void)state;
	assert_int_equal(UE_WRITE(fd, sold, 2, "tea"), 0);
	assert_int_equal(UE_WRITE(fd, closed, EPERM), 0);
	assert_int_equal(UE_WRITE_EVENTHEADER(fd, store_info, "Lost", UE_U64(order, 7)), 0);
	line_is("Store:sold count=2 what=\"tea\"");
	line_is("Store:StoreClosed error=EPERM(1)");
	line_is("Store:Lost order=7");
	/* request, empty, other, and one shared by all of these */
	assert_int_equal(counts().registered, 4);
	assert_int_equal(UE_WRITE(fd, sold, 3, "milk"), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(ue_captured_field(&event, "count", &item), UE_ITEM_VALUE);
	assert_int_equal(ue_value_u64(&item.value, &number), 0);
	assert_int_equal(number, 3);
}

static void a_tracepoint_is_enabled_for_its_events(void **state)
{
	(void)state;
	evaluated = 0;
	assert_int_equal(ue_capture_disable(capture, "Store_L4*"), 0);
	assert_false(UE_ENABLED(store_info));
	assert_int_equal(UE_WRITE(fd, sold, evaluate(), "tea"), 0);
	assert_int_equal(evaluated, 0);
	assert_int_equal(ue_capture_enable(capture, "Store_*K1"), 0);
	assert_true(UE_ENABLED(store_info));
	assert_int_equal(UE_WRITE(fd, sold, evaluate(), "tea"), 0);
	assert_int_equal(evaluated, 1);
	line_is("Store:sold count=1 what=\"tea\"");
	nothing_is_left();
}

static void later_events_follow_the_last_rule(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	static struct ue_event later = UE_EVENT_INIT(later, "later u8 x");

	(void)state;
	assert_int_equal(ue_capture_disable(capture, "late*"), 0);
	assert_int_equal(ue_capture_enable(capture, "later"), 0);
	assert_int_equal(ue_register(fd, &late), 0);
	assert_int_equal(ue_register(fd, &later), 0);
	assert_int_equal(ue_enabled(&late), 0);
	assert_int_equal(ue_enabled(&later), 1);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 1);
	assert_int_equal(ue_capture_disable(capture, "later"), 0);
	assert_int_equal(ue_enabled(&later), 0);
	assert_int_equal(ue_unregister(&later), 0);
	assert_int_equal(ue_register(fd, &later), 0);
	assert_int_equal(ue_enabled(&later), 0);
}

static void a_rule_does_not_match_longer_names(void **state)
{
	static struct ue_event shop = UE_EVENT_INIT(shop, "shop u8 x");
	static struct ue_event secret = UE_EVENT_INIT(secret, "shop_secret u8 x");
	static struct ue_event later = UE_EVENT_INIT(later, "shop_secret u8 x");

	(void)state;
	assert_int_equal(ue_register(fd, &shop), 0);
	assert_int_equal(ue_register(fd, &secret), 0);
	assert_int_equal(ue_capture_enable(capture, "*"), 0);
	assert_int_equal(ue_capture_disable(capture, "shop_secret"), 0);
	assert_int_equal(ue_capture_enable(capture, "shop"), 0);
	assert_int_equal(ue_register(fd, &later), 0);
	assert_true(ue_enabled(&shop));
	assert_false(ue_enabled(&secret));
	assert_false(ue_enabled(&later));
	assert_int_equal(ue_unregister(&shop), 0);
	assert_int_equal(ue_unregister(&secret), 0);
	assert_int_equal(ue_unregister(&later), 0);
}

static void globs_are_limited(void **state)
{
	char glob[300], text[16];
	int result = 0, globs = 0;

	(void)state;
	memset(glob, 'x', sizeof(glob));
	glob[256] = '\0';
	assert_int_equal(ue_capture_enable(capture, glob), -EINVAL);
	assert_int_equal(ue_capture_enable(capture, ""), -EINVAL);
	assert_int_equal(ue_capture_enable(capture, "a\nb"), -EINVAL);
	for (int i = 0; i < 1000; i++) /* the same event needs no more memory */
		assert_int_equal(ue_capture_disable(capture, "some"), 0);
	while (!result && globs < 100000) {
		snprintf(text, sizeof(text), "glob%06d", globs++);
		result = ue_capture_disable(capture, text);
	}
	assert_int_equal(result, -ENOSPC);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 1);
	assert_int_equal(ue_capture_disable(capture, "*"), 0);
	assert_int_equal(ue_capture_enable(capture, "glob000000"), 0);
	assert_int_equal(ue_enabled(UE_EVENT_OF(other)), 0);
}

/* The least that a capture can have: a few pages. */
#define LEAST 1

static void a_full_ring_is_counted(void **state)
{
	const uint32_t before = ue_event_losses(UE_EVENT_OF(other), UE_LOSS_CAPTURE_FULL);
	uint64_t written = 0, lost = 0;
	struct ue_captured event;

	(void)state;
	begin_anew(0, LEAST);
	while (lost < 10) {
		int result = UE_WRITE(fd, other, (uint8_t)written);

		assert_true(result == 0 || result == -ENOBUFS);
		written += !result;
		lost += result == -ENOBUFS;
		assert_true(written < 1000000);
	}
	assert_int_equal(counts().lost[UE_LOSS_CAPTURE_FULL], 10);
	assert_int_equal(ue_session_losses(fd, UE_LOSS_CAPTURE_FULL), 10);
	assert_int_equal(ue_event_losses(UE_EVENT_OF(other), UE_LOSS_CAPTURE_FULL) - before,
			 10);
	assert_true(written > 0);
	assert_int_equal(ue_capture_skip(capture), written);
	assert_int_equal(counts().events, written);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(event.lost, 10);
	nothing_is_left();
	assert_int_equal(counts().lost[UE_LOSS_CAPTURE_FULL], 10);
	assert_int_equal(counts().malformed, 0);
}

static void an_event_is_registered_in_a_full_ring(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");

	(void)state;
	begin_anew(0, LEAST);
	while (!UE_WRITE(fd, other, 0))
		;
	assert_int_equal(ue_register(fd, &late), 0);
	assert_int_equal(ue_enabled(&late), 1);
	assert_true(ue_capture_skip(capture) > 0);
	assert_int_equal(ue_write(fd, &late, "\1", 1), 0);
	line_is("user_events:late x=1");
}

static int64_t nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The reader's clocks are set against each other when it begins. */
#define CLOSE 1000000000

static void an_event_has_its_time_and_its_thread(void **state)
{
	const int64_t before = nanoseconds(CLOCK_MONOTONIC);
	const int64_t real = nanoseconds(CLOCK_REALTIME);
	struct ue_captured event;
	char name[16];

	(void)state;
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	usleep(1000);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_uint_in_range(event.time, before - 1000, nanoseconds(CLOCK_MONOTONIC) - 900000);
	assert_uint_in_range(event.real_time, real - CLOSE, nanoseconds(CLOCK_REALTIME) + CLOSE);
	assert_int_equal(event.pid, getpid());
	assert_int_equal(event.tid, gettid());
	assert_true(event.cpu < (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_string_equal(event.process, name);
	assert_string_equal(event.thread, name);
	assert_int_equal(event.lost, 0);
}

/* Waiting */

static int is_readable_within(int milliseconds)
{
	struct pollfd now = { .fd = ue_capture_poll_fd(capture), .events = POLLIN };

	return poll(&now, 1, milliseconds) == 1;
}

/* The moment after a call that found nothing may be long. */
static int becomes_unreadable(void)
{
	struct ue_captured event;

	for (int i = 0; i < 10000; i++)
		if (!ue_capture_next(capture, &event) && !is_readable_within(0))
			return 1;
	return 0;
}

/* Soon, but nothing here depends on how soon. */
#define is_readable() is_readable_within(60000)

/* Also one that reads a single event each time. */
static void the_descriptor_is_readable_until_nothing_is_left(void **state)
{
	struct ue_captured event;

	(void)state;
	assert_true(becomes_unreadable());
	assert_int_equal(UE_WRITE(fd, other, 0), 0);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	for (int i = 0; i < 2; i++) {
		assert_true(is_readable());
		assert_int_equal(ue_capture_next(capture, &event), 1);
	}
	assert_int_equal(UE_WRITE(fd, other, 2), 0);
	assert_true(is_readable());
	line_is("user_events:other x=2");
	nothing_is_left();
	assert_true(becomes_unreadable());
	assert_int_equal(UE_WRITE(fd, other, 3), 0);
	assert_true(is_readable());
	assert_int_equal(ue_capture_skip(capture), 1);
	nothing_is_left();
}

static void *write_later(void *unused)
{
	(void)unused;
	usleep(10000);
	UE_WRITE(fd, other, 1);
	return NULL;
}

static void a_wait_ends_with_an_event(void **state)
{
	struct ue_captured event;
	pthread_t thread;

	(void)state;
	assert_int_equal(ue_capture_next(capture, &event), 0);
	assert_int_equal(ue_capture_wait(capture, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_later, NULL), 0);
	while (!ue_capture_next(capture, &event))
		assert_int_equal(ue_capture_wait(capture, -1), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	nothing_is_left();
}

/* Each leaves a page open, and there are fewer pages. A writer that waits wakes nobody. */
#define DEAD 40

static void pages_of_the_dead_hold_up_no_writer(void **state)
{
	struct ue_captured event;
	pid_t child;
	int read = 0;

	(void)state;
	begin_anew(UE_CAPTURE_WAIT, LEAST);
	child = fork();
	if (!child) {
		for (int i = 0; i < DEAD; i++) {
			pid_t dead = fork();

			if (!dead && !UE_WRITE(fd, other, (uint8_t)i))
				kill(getpid(), SIGKILL);
			waitpid(dead, NULL, 0);
		}
		_exit(0);
	}
	while (read < DEAD) {
		wait_for_events();
		while (ue_capture_next(capture, &event) == 1)
			assert_int_equal(*(const uint8_t *)event.bytes, read++);
	}
	ends_well(child);
	assert_int_equal(counts().lost[UE_LOSS_CAPTURE_FULL], 0);
}

#define MANY 100000

static void waiting_writes_lose_nothing(void **state)
{
	struct ue_captured event;
	pid_t child;
	int read = 0;

	(void)state;
	begin_anew(UE_CAPTURE_WAIT, LEAST);
	child = fork();
	if (!child) {
		for (int i = 0; i < MANY; i++)
			if (UE_WRITE(fd, other, (uint8_t)i))
				_exit(1);
		_exit(0);
	}
	while (read < MANY) {
		wait_for_events();
		while (ue_capture_next(capture, &event) == 1) {
			assert_int_equal(*(const uint8_t *)event.bytes, (uint8_t)read);
			assert_int_equal(event.pid, child);
			read++;
		}
	}
	ends_well(child);
	assert_int_equal(counts().lost[UE_LOSS_CAPTURE_FULL], 0);
	nothing_is_left();
}

static void a_child_registers_its_own(void **state)
{
	static struct ue_event ours = UE_EVENT_INIT(ours, "ours u8 x");
	static struct ue_event theirs = UE_EVENT_INIT(theirs, "theirs u8 x");
	pid_t child = fork();

	(void)state;
	if (!child) {
		int bad = ue_register(fd, &theirs) || ue_write(fd, &theirs, "\1", 1) ||
			  UE_WRITE(fd, other, 2);

		_exit(bad);
	}
	ends_well(child);
	assert_int_equal(ue_register(fd, &ours), 0);
	assert_int_equal(ue_write(fd, &ours, "\3", 1), 0);
	line_is("user_events:theirs x=1");
	line_is("user_events:other x=2");
	line_is("user_events:ours x=3");
	nothing_is_left();
}

/* Waits until the child has learned of the change. */
static void wait_for_word(int word)
{
	char c;

	if (read(word, &c, 1) != 1)
		_exit(2);
}

static void a_child_has_the_session_to_itself(void **state)
{
	struct ue_captured event;
	pid_t child;
	int word[2];

	(void)state;
	assert_int_equal(pipe(word), 0);
	child = fork();
	if (!child) {
		wait_for_word(word[0]);
		/* reported to the parent, and true for all */
		_exit(ue_enabled(UE_EVENT_OF(other)) || UE_WRITE(fd, request, 1, 2, "x") ||
		      ue_unregister(UE_EVENT_OF(request)) || ue_close(fd));
	}
	assert_int_equal(ue_capture_disable(capture, "other"), 0);
	assert_int_equal(write(word[1], "", 1), 1);
	ends_well(child);
	close(word[0]);
	close(word[1]);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_int_equal(event.pid, child);
	assert_int_equal(UE_WRITE(fd, request, 3, 4, "y"), 0);
	line_is("user_events:request status=3 time=4 path=\"y\"");
}

/* This program again, as another program with a passed descriptor. */
static char *self;

static void execute(int inherited)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", inherited);
	setenv(UE_ENVIRONMENT_FD, number, 1);
	fcntl(inherited, F_SETFD, 0);
	execl(self, self, "--write", NULL);
	_exit(1);
}

static int write_as_another_program(void)
{
	static struct ue_event foreign = UE_EVENT_INIT(foreign, "foreign u8 x");
	int another = ue_open(NULL);

	if (another < 0 || ue_register(another, &foreign) || !ue_enabled(&foreign))
		return 1;
	return ue_write(another, &foreign, "\5", 1) || ue_close(another);
}

static void an_executed_program_finds_the_socket(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child)
		execute(ue_capture_writer_fd(capture));
	ends_well(child);
	assert_int_equal(UE_WRITE(fd, other, 6), 0);
	line_is("user_events:foreign x=5");
	line_is("user_events:other x=6");
	nothing_is_left();
}

static const char *unregistered_name_with(uint32_t flags)
{
	pid_t child;

	end(NULL);
	open_with(flags, 0);
	child = fork();
	if (!child)
		execute(ue_capture_writer_fd(capture));
	ends_well(child);
	line_is("user_events:foreign x=5");
	nothing_is_left();
	return ue_capture_unregistered(capture, NULL);
}

/* For others, they would take up the room of events. */
static void names_are_sent_to_a_reader_that_wants_them(void **state)
{
	(void)state;
	assert_null(unregistered_name_with(0));
	assert_non_null(ue_capture_registered(capture, NULL));
	assert_non_null(unregistered_name_with(UE_CAPTURE_NAMES));
}

/* As when another thread registers the event elsewhere in the middle of a write. */
static void a_write_at_an_offset_reaches_the_ring(void **state)
{
	(void)state;
	UE_EVENT_OF(other)->ue__write_call = SYS_pwrite64;
	assert_int_equal(UE_WRITE(fd, other, 7), 0);
	line_is("user_events:other x=7");
	assert_int_equal(ue_session_losses(fd, UE_LOSS_OTHER), 0);
}

static void the_end_of_the_writers_is_reported(void **state)
{
	struct ue_captured event;
	pid_t child = fork();

	(void)state;
	if (!child)
		execute(ue_capture_writer_fd(capture));
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(ue_capture_close_writer(capture), 0);
	assert_int_equal(ue_capture_close_writer(capture), -EBADF);
	assert_int_equal(ue_capture_writer_fd(capture), -EBADF);
	ends_well(child);
	line_is("user_events:foreign x=5");
	assert_int_equal(ue_capture_next(capture, &event), -EPIPE);
	assert_int_equal(ue_capture_next(capture, &event), -EPIPE);
	ue_capture_close(capture);
	begin(state);
}

/* A pass through the pages has begun, and passes over later events. */
static void pages_up_to_the_end_are_read(void **state)
{
	struct ue_captured_page page;
	uint32_t count = 0;

	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(UE_WRITE(fd, other, (uint8_t)i), 0);
	assert_int_equal(ue_capture_next_page(capture, &page), 1);
	count += page.event_count;
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(UE_WRITE(fd, other, (uint8_t)i), 0);
	assert_int_equal(ue_close(fd), 0);
	assert_int_equal(ue_capture_close_writer(capture), 0);
	while (ue_capture_next_page(capture, &page) == 1)
		count += page.event_count;
	assert_int_equal(count, 20000);
	assert_int_equal(ue_capture_next_page(capture, &page), -EPIPE);
	ue_capture_close(capture);
	begin(state);
}

static void lose_reader(void)
{
	ue_capture_close(capture);
	capture = NULL;
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static int pass_descriptor(int socket, int passed)
{
	union control control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	char byte = 0;
	struct iovec piece = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));
	return sendmsg(socket, &message, 0) != 1;
}

static int receive_descriptor(int socket)
{
	union control control;
	char byte;
	struct iovec piece = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int passed;

	assert_int_equal(recvmsg(socket, &message, 0), 1);
	memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(passed));
	return passed;
}

/* In all processes that write to it. */
static void a_closed_reader_disables_the_events(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	const uint32_t before = ue_event_losses(UE_EVENT_OF(other), UE_LOSS_OTHER);
	pid_t child;
	int word[2];

	(void)state;
	assert_int_equal(pipe(word), 0);
	child = fork();
	if (!child) {
		wait_for_word(word[0]);
		_exit(UE_ENABLED(other) || UE_WRITE(fd, other, 1));
	}
	lose_reader();
	assert_int_equal(write(word[1], "", 1), 1);
	ends_well(child);
	close(word[0]);
	close(word[1]);
	assert_false(UE_ENABLED(other));
	assert_false(UE_ENABLED(request));
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	assert_int_equal(ue_register(fd, &late), 0);
	assert_false(ue_enabled(&late));
	assert_int_equal(ue_event_losses(UE_EVENT_OF(other), UE_LOSS_OTHER), before);
}

/* Opens a capture, passes the descriptor to write to, and stays until it is killed. */
static void read_asleep(int socket)
{
	struct ue_captured event;

	if (ue_capture_open(NULL, &capture) || ue_capture_next(capture, &event) ||
	    pass_descriptor(socket, ue_capture_writer_fd(capture)))
		_exit(1);
	for (;;)
		pause();
}

static int open_session_of(int socket)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	int result;

	opts.fd = receive_descriptor(socket);
	result = ue_open(&opts);
	close(opts.fd);
	return result;
}

/* It was asleep; or it was woken, and is noticed when there is no room. */
static void a_killed_reader_disables_the_events_if(int is_awake)
{
	static struct ue_event lonely = UE_EVENT_INIT(lonely, "lonely u32 x");
	int ends[2], session, result = 0;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	child = fork();
	if (!child)
		read_asleep(ends[1]);
	session = open_session_of(ends[0]);
	assert_true(session >= 0);
	assert_int_equal(ue_register(session, &lonely), 0);
	if (is_awake)
		assert_int_equal(ue_write(session, &lonely, "abcd", 4), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(ue_enabled(&lonely));
	while (ue_enabled(&lonely) && (!result || result == -ENOBUFS))
		result = ue_write(session, &lonely, "abcd", 4);
	assert_false(ue_enabled(&lonely));
	assert_int_equal(ue_unregister(&lonely), 0);
	assert_int_equal(ue_close(session), 0);
	close(ends[0]);
	close(ends[1]);
}

static void a_killed_reader_disables_the_events(void **state)
{
	(void)state;
	a_killed_reader_disables_the_events_if(0);
	a_killed_reader_disables_the_events_if(1);
}

static void a_child_that_closes_its_copy_disables_nothing(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		ue_capture_close(capture);
		_exit(0);
	}
	ends_well(child);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	line_is("user_events:other x=1");
}

/* More than half of the ring of a capture has room for: its reader is woken. */
#define EVENTS_OF_HALF 800000

/* A program closed the session's number by another way, and opened something else. */
static void another_socket_with_the_number_gets_nothing(void **state)
{
	static struct ue_event astray = UE_EVENT_INIT(astray, "astray u8 x");
	int second = open_session(), ends[2];
	char byte;

	(void)state;
	assert_int_equal(ue_register(second, &astray), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(dup2(ends[0], second), second);
	for (int i = 0; i < EVENTS_OF_HALF; i++)
		assert_int_equal(ue_write(second, &astray, "\1", 1), 0);
	assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1);
	line_is("user_events:astray x=1");
	assert_int_equal(ue_capture_skip(capture), EVENTS_OF_HALF - 1);
	ue_close(second);
	close(second);
	close(ends[0]);
	close(ends[1]);
}

static void two_sessions_are_distinguished(void **state)
{
	static struct ue_event again = UE_EVENT_INIT(again, "other u8 x");
	int second = open_session();

	(void)state;
	assert_int_equal(ue_register(second, &again), 0);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	assert_int_equal(ue_write(second, &again, "\2", 1), 0);
	assert_int_equal(ue_write(fd, &again, "\2", 1), -EXDEV);
	line_is("user_events:other x=1");
	line_is("user_events:other x=2");
	assert_int_equal(ue_close(second), 0);
	assert_int_equal(ue_write(second, &again, "\2", 1), -EBADF);
	assert_int_equal(UE_WRITE(fd, other, 3), 0);
	line_is("user_events:other x=3");
}

static void a_used_name_has_other_fields(void **state)
{
	static struct ue_event same = UE_EVENT_INIT(same, "other u8 x");
	static struct ue_event wrong = UE_EVENT_INIT(wrong, "other u16 x");
	static struct ue_event multi = UE_EVENT_INIT(multi, "other u32 x",
						     UE_EVENT_MULTI_FORMAT);

	(void)state;
	assert_int_equal(ue_register(fd, &same), 0);
	assert_int_equal(ue_register(fd, &wrong), -EADDRINUSE);
	assert_string_equal(ue_event_namesake(&wrong), "other u8 x");
	assert_null(ue_event_namesake(&multi));
	assert_int_equal(ue_register(fd, &multi), 0);
	assert_int_equal(ue_register(fd, &same), -EALREADY);
	assert_int_equal(ue_unregister(&same), 0);
	/* as in the kernel, it does not have the name to itself */
	assert_int_equal(ue_register(fd, &wrong), -EADDRINUSE);
	assert_string_equal(ue_event_namesake(&wrong), "other u32 x");
	assert_int_equal(ue_unregister(&multi), 0);
}

static void nothing_to_delete(void **state)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = ue_capture_writer_fd(capture),
	};

	(void)state;
	assert_int_equal(ue_delete("other", &opts), -ENOENT);
}

#define THREADS 4
#define WRITES 200

static void *write_some(void *number)
{
	uint8_t x = (uint8_t)(uintptr_t)number;

	for (int i = 0; i < WRITES; i++)
		while (UE_WRITE(fd, request, x, i, "thread") == -ENOBUFS)
			usleep(100);
	return NULL;
}

static void threads_write_whole_events(void **state)
{
	int64_t next[THREADS] = { 0 };
	pthread_t threads[THREADS];
	struct ue_captured event;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_some,
						(void *)i), 0);
	for (int i = 0; i < THREADS * WRITES; i++) {
		struct { uint32_t status; int64_t time; } __attribute__((packed)) got;

		while (ue_capture_next(capture, &event) == 0)
			wait_for_events();
		assert_int_equal(event.length, 12 + 4 + 7);
		memcpy(&got, event.bytes, sizeof(got));
		assert_true(got.status < THREADS);
		assert_int_equal(got.time, next[got.status]++);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	nothing_is_left();
}

/* The packets that a program may send without the library. */
static void malformed_packets_are_counted(void **state)
{
	static const char *const definitions[] = {
		"", "x", "no/name u8 a", "ok u8 a; u8", "twice u8 a",
	};
	struct { uint32_t control, kind, index, flags; char text[600]; } packet = {
		.control = 0xffffffff, .kind = 1, .index = 0,
	};
	int raw = ue_capture_writer_fd(capture);
	uint64_t sent = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		snprintf(packet.text, sizeof(packet.text), "%s", definitions[i]);
		/* without its NUL; then with it, and with an index in use */
		send(raw, &packet, 16 + strlen(definitions[i]), 0);
		send(raw, &packet, 16 + strlen(definitions[i]) + 1, 0);
		sent += 2;
	}
	/* of an index that is free, without its NUL */
	packet.index = 4711;
	memset(packet.text, 'x', sizeof(packet.text));
	send(raw, &packet, 16 + 1, 0);
	sent++;
	packet.index = 0xfffffff0;
	packet.text[10] = '\0';
	send(raw, &packet, 16 + 11, 0);
	packet.kind = 9;
	send(raw, &packet, sizeof(packet), 0);
	send(raw, "\377\377\377\377", 4, 0);
	send(raw, "\1", 1, 0);
	send(raw, "", 0, 0);
	send(raw, "\377\377\377\177payload", 11, 0);
	sent += 5; /* a byte only wakes */
	nothing_is_left();
	assert_int_equal(counts().malformed, sent);
	assert_int_equal(counts().events, 0);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	line_is("user_events:other x=1");
}

static void other_sockets_are_not_captures(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	opts.fd = ends[0];
	assert_int_equal(ue_open(&opts), -ENOTTY);
	assert_int_equal(send(ends[1], "Cap", 3, 0), 3);
	assert_int_equal(ue_open(&opts), -ENOTTY);
	close(ends[1]);
	assert_int_equal(ue_open(&opts), -ENOTTY);
	close(ends[0]);
	opts.fd = ue_capture_poll_fd(capture); /* the wrong end */
	assert_int_equal(ue_open(&opts), -ENOTTY);
}

static int payload_max_of(uint32_t wanted)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD,
		.fd = ue_capture_writer_fd(capture), .payload_max = wanted,
	};
	int session = ue_open(&opts), result = session;

	if (session >= 0) {
		result = ue_payload_max(session);
		assert_int_equal(ue_close(session), 0);
	}
	return result;
}

/* The default is the limit of an ftrace buffer: a page less 32 bytes around the payload. */
static void a_session_has_the_payload_that_was_asked_for(void **state)
{
	const long page = sysconf(_SC_PAGESIZE);

	(void)state;
	assert_int_equal(payload_max_of(UE_PAYLOAD_MAX_LEAST), UE_PAYLOAD_MAX_LEAST);
	assert_int_equal(payload_max_of(UE_PAYLOAD_MAX_PERF), UE_PAYLOAD_MAX_PERF);
	assert_int_equal(payload_max_of(UE_PAYLOAD_MAX_PERF + 1), -EINVAL);
	assert_int_equal(payload_max_of(0), page - 32 < (long)UE_PAYLOAD_MAX_PERF ?
						    page - 32 : (long)UE_PAYLOAD_MAX_PERF);
}

static void a_write_after_close_returns_EBADF(void **state)
{
	static struct ue_event late = UE_EVENT_INIT(late, "late u8 x");
	int second = open_session();

	(void)state;
	assert_int_equal(ue_register(second, &late), 0);
	assert_int_equal(ue_close(second), 0);
	assert_int_equal(ue_write(second, &late, "\1", 1), -EBADF);
	nothing_is_left();
}

static void registering_all_again_is_no_error(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(fd), 0);
	assert_int_equal(ue_register(fd, UE_EVENT_OF(other)), -EALREADY);
	assert_int_equal(UE_WRITE(fd, other, 1), 0);
	line_is("user_events:other x=1");
	nothing_is_left();
}

static int count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int c, lines = 0;

	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void closed_captures_leave_no_resources(void **state)
{
	const int lowest = dup(0), number = fd;
	int before, after;

	(void)state;
	close(lowest);
	for (int i = 0; i < 5; i++) /* the heap and the pools have grown */
		begin_anew(0, 0);
	before = count_lines("/proc/self/maps");
	for (int i = 0; i < 50; i++) {
		begin_anew(0, 0);
		assert_int_equal(UE_WRITE(fd, other, 1), 0);
		line_is("user_events:other x=1");
	}
	after = count_lines("/proc/self/maps");
	assert_true(after <= before + 2);
	assert_int_equal(dup(0), lowest);
	close(lowest);
	assert_int_equal(fd, number);
}

static void malformed_options(void **state)
{
	struct ue_capture_opts opts = { .size = sizeof(opts) - 1 };
	struct ue_capture *none;
	struct {
		struct ue_capture_opts opts;
		char more[64];
	} later = { .opts = { .size = sizeof(later) }, .more = { [63] = 'x' } };

	(void)state;
	errno = 4711;
	assert_int_equal(ue_capture_open(&opts, &none), -EINVAL);
	opts.size = sizeof(opts);
	opts.flags = 8;
	assert_int_equal(ue_capture_open(&opts, &none), -EINVAL);
	assert_int_equal(ue_capture_open(&later.opts, &none), -E2BIG);
	ue_capture_close(NULL);
	assert_int_equal(errno, 4711);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(events_arrive_in_order),
		TEST(an_event_without_fields_is_empty),
		TEST(definitions_arrive_in_canonical_form),
		TEST(fields_are_found_by_name),
		TEST(an_eventheader_event_is_decoded),
		TEST(events_are_enabled_and_disabled),
		TEST(a_tracepoint_is_registered_for_its_events),
		TEST(a_tracepoint_is_enabled_for_its_events),
		TEST(later_events_follow_the_last_rule),
		TEST(a_rule_does_not_match_longer_names),
		TEST(globs_are_limited),
		TEST(a_full_ring_is_counted),
		TEST(an_event_is_registered_in_a_full_ring),
		TEST(an_event_has_its_time_and_its_thread),
		TEST(the_descriptor_is_readable_until_nothing_is_left),
		TEST(a_wait_ends_with_an_event),
		TEST(pages_of_the_dead_hold_up_no_writer),
		TEST(waiting_writes_lose_nothing),
		TEST(a_child_registers_its_own),
		TEST(a_child_has_the_session_to_itself),
		TEST(an_executed_program_finds_the_socket),
		TEST(names_are_sent_to_a_reader_that_wants_them),
		TEST(a_write_at_an_offset_reaches_the_ring),
		TEST(the_end_of_the_writers_is_reported),
		TEST(pages_up_to_the_end_are_read),
		TEST(a_closed_reader_disables_the_events),
		TEST(a_killed_reader_disables_the_events),
		TEST(a_child_that_closes_its_copy_disables_nothing),
		TEST(another_socket_with_the_number_gets_nothing),
		TEST(two_sessions_are_distinguished),
		TEST(a_used_name_has_other_fields),
		TEST(nothing_to_delete),
		TEST(threads_write_whole_events),
		TEST(malformed_packets_are_counted),
		TEST(other_sockets_are_not_captures),
		TEST(a_session_has_the_payload_that_was_asked_for),
		TEST(a_write_after_close_returns_EBADF),
		TEST(registering_all_again_is_no_error),
		TEST(closed_captures_leave_no_resources),
		cmocka_unit_test(malformed_options),
	};

	self = argv[0];
	if (argc == 2 && !strcmp(argv[1], "--write"))
		return write_as_another_program();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
