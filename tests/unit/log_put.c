/* SPDX-License-Identifier: MIT */
/* A string that another thread extends during the write. */
#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <userevents/userevents.h>

#include "../support/packet_socket.h"

/* Of libcs, glibc alone has another function for offsets of 64 bits. */
#ifdef __GLIBC__
#define REAL __real_mmap64
#define WRAP __wrap_mmap64
#else
#define REAL __real_mmap
#define WRAP __wrap_mmap
#endif
void *REAL(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *WRAP(void *at, size_t size, int protection, int flags, int fd, off_t offset);

UE_PROVIDER(p, "P");
UE_TRACEPOINT(t, p, UE_LEVEL_VERBOSE, 0);
UE_EVENTHEADER(t, text, UE_STRING(a), UE_U64(b), UE_STRING(c));

static char first[1 << 16], second[1 << 16];
static size_t grown_to; /* 0: no longer */
static int rooms;

static void set_length(char *string, size_t length)
{
	memset(string, 'x', length);
	string[length] = '\0';
}

/* The library allocates room and measures the strings again. */
void *WRAP(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *room = REAL(at, size, protection, flags, fd, offset);

	rooms++;
	if (grown_to) {
		set_length(first, grown_to);
		set_length(second, grown_to);
	}
	/* a library that continues to allocate finally gets a string that fits */
	if (rooms > 100) {
		set_length(first, 1);
		set_length(second, 1);
		grown_to = 0;
	}
	return room;
}

static int connect_event(void **state)
{
	(void)state;
	if (open_socket())
		return -1;
	listen_to(UE_EVENT_OF(t), UE_PAYLOAD_MAX_PERF);
	return 0;
}

static int write_growing(size_t length)
{
	set_length(first, 3000);
	set_length(second, 3000);
	grown_to = length;
	rooms = 0;
	return UE_WRITE(ends[0], text, first, 1, second);
}

static void test_grows_and_fits(void **state)
{
	(void)state;
	assert_int_equal(write_growing(4000), 0);
	assert_int_equal(rooms, 1);
	assert_true(receive() > 8000);
	nothing_arrived();
}

static void test_grows_and_does_not_fit(void **state)
{
	(void)state;
	for (size_t length = 4100; length < sizeof(first); length += 997) {
		assert_int_equal(write_growing(length), -EMSGSIZE);
		assert_int_equal(rooms, 1);
	}
	nothing_arrived();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_grows_and_fits, connect_event,
						close_socket),
		cmocka_unit_test_setup_teardown(test_grows_and_does_not_fit, connect_event,
						close_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
