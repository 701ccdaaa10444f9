/* SPDX-License-Identifier: MIT */
/* Results of ue_open() without kernel support. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <userevents/bindings.h>
#include <userevents/userevents.h>

static int open_fd(int fd)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = fd
	};

	errno = 4711;
	fd = ue_open(&opts);
	assert_int_equal(errno, 4711);
	return fd;
}

static void malformed_options(void **state)
{
	struct ue_open_opts opts = { 0 };

	(void)state;
	assert_int_equal(ue_open(&opts), -EINVAL);
	opts.size = sizeof(opts);
	opts.flags = 1u << 31;
	assert_int_equal(ue_open(&opts), -EINVAL);
	opts.flags = UE_OPEN_FD;
	opts.path = "/dev/null";
	assert_int_equal(ue_open(&opts), -EINVAL);
	opts.flags = 0;
	opts.payload_max = UE_PAYLOAD_MAX_LEAST - 1;
	assert_int_equal(ue_open(&opts), -EINVAL);
	opts.payload_max = UE_PAYLOAD_MAX_PERF + 1;
	assert_int_equal(ue_open(&opts), -EINVAL);
	opts.payload_max = 0;
	opts.spare = 1;
	assert_int_equal(ue_open(&opts), -EINVAL);
}

/* Options of a later version: accepted if the unknown part is unused. */
static void larger_options(void **state)
{
	struct {
		struct ue_open_opts opts;
		char more[8];
	} later = { .opts = { .size = sizeof(later), .path = "/nonexistent" } };

	(void)state;
	assert_int_equal(ue_open(&later.opts), -ENOENT);
	later.more[7] = 1;
	assert_int_equal(ue_open(&later.opts), -E2BIG);
}

static void other_files(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .path = "/dev/null" };

	(void)state;
	assert_int_equal(ue_open(&opts), -ENOTTY);
	opts.path = "/";
	assert_int_equal(ue_open(&opts), -ENOTTY);
	opts.path = "/proc/self/mounts/x";
	assert_int_equal(ue_open(&opts), -ENOTDIR);
}

static void other_descriptors(void **state)
{
	int pipes[2], pair[2], null = open("/dev/null", O_WRONLY);

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(open_fd(null), -ENOTTY);
	assert_int_equal(open_fd(pipes[1]), -ENOTTY);
	assert_int_equal(open_fd(pair[0]), -ENOTTY);
	assert_int_equal(open_fd(-1), -EBADF);
	close(null);
	assert_int_equal(open_fd(null), -EBADF);
	close(pipes[0]);
	close(pipes[1]);
	close(pair[0]);
	close(pair[1]);
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void nothing_leaks(void **state)
{
	const int before = count_descriptors();

	(void)state;
	for (int i = 0; i < 10; i++) {
		ue_close(ue_open(NULL));
		open_fd(0);
	}
	assert_int_equal(before, count_descriptors());
}

static void the_environment(void **state)
{
	const struct ue_open_opts no_environment = {
		.size = sizeof(no_environment), .flags = UE_OPEN_NO_ENVIRONMENT,
	};
	int normal = ue_open(NULL);
	char number[16];
	int null = open("/dev/null", O_WRONLY);

	(void)state;
	setenv(UE_ENVIRONMENT_FD, "three", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	setenv(UE_ENVIRONMENT_FD, "", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	setenv(UE_ENVIRONMENT_FD, "-1", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	setenv(UE_ENVIRONMENT_FD, "99999999999999999999", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	setenv(UE_ENVIRONMENT_FD, "1x", 1);
	assert_int_equal(ue_open(NULL), -EINVAL);
	setenv(UE_ENVIRONMENT_FD, "1234", 1);
	assert_int_equal(ue_open(NULL), -EBADF);
	snprintf(number, sizeof(number), "%d", null);
	setenv(UE_ENVIRONMENT_FD, number, 1);
	assert_int_equal(ue_open(NULL), -ENOTTY);
	if (normal < 0)
		assert_int_equal(ue_open(&no_environment), normal);
	unsetenv(UE_ENVIRONMENT_FD);
	ue_close(normal);
	close(null);
}

static void calls_on_no_session(void **state)
{
	struct ue_event event;

	(void)state;
	assert_int_equal(ue_event_init(&event, "tick u32 a", 0), 0);
	assert_int_equal(ue_register(1, &event), -EBADF);
	assert_int_equal(ue_register(-1, &event), -EBADF);
	assert_int_equal(ue_unregister(&event), -ENOENT);
	assert_int_equal(ue_close(1), -EBADF);
	assert_int_equal(ue_close(-1), -EBADF);
	assert_int_equal(ue_abi(1), -EBADF);
	assert_int_equal(ue_payload_max(1), -EBADF);
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(1, &event, NULL, 0), 0);
}

static void malformed_events(void **state)
{
	struct {
		struct ue_event event;
		char more[8];
	} later;
	struct ue_event *event = &later.event;

	(void)state;
	memset(&later, 0, sizeof(later));
	assert_int_equal(ue_register(1, event), -EINVAL);
	assert_int_equal(ue_event_init(event, "tick char a[4]", 0), -EINVAL);
	assert_int_equal(ue_register(1, event), -EINVAL);
	assert_int_equal(ue_event_init(event, "tick", 1u << 31), -EINVAL);
	assert_int_equal(ue_register(1, event), -EINVAL);
	assert_int_equal(ue_event_init(event, "tick", 0), 0);
	event->word = NULL;
	assert_int_equal(ue_register(1, event), -EINVAL);
	event->word = (uint32_t *)((char *)&event->ue__own_word + 1);
	assert_int_equal(ue_register(1, event), -EINVAL);
	event->word = &event->ue__own_word;
	event->size = sizeof(later);
	assert_int_equal(ue_register(1, event), -EBADF);
	later.more[0] = 1;
	assert_int_equal(ue_register(1, event), -E2BIG);
}

UE_EVENT(disagrees, UE_DECLARED(uint64_t, x, "u32 x"), UE_U32(y));
UE_EVENT(agrees, UE_DECLARED(uint32_t, x, "u32 x"), UE_BLOB(y), UE_U32(y_length));

static void text_and_types_that_differ(void **state)
{
	(void)state;
	assert_int_equal(ue_register(1, UE_EVENT_OF(disagrees)), -EINVAL);
	assert_int_equal(ue_register(1, UE_EVENT_OF(agrees)), -EBADF);
}

static void names_to_delete(void **state)
{
	(void)state;
	assert_int_equal(ue_delete("", NULL), -EINVAL);
	assert_int_equal(ue_delete("tick u32 a", NULL), -EINVAL);
	assert_int_equal(ue_delete("a/b", NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_options),
		cmocka_unit_test(larger_options),
		cmocka_unit_test(other_files),
		cmocka_unit_test(other_descriptors),
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(the_environment),
		cmocka_unit_test(calls_on_no_session),
		cmocka_unit_test(malformed_events),
		cmocka_unit_test(text_and_types_that_differ),
		cmocka_unit_test(names_to_delete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
