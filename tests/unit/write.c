/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a write, received through a packet socket in place of user_events_data.
 * The test binds events by hand; everything else is the real path.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <userevents/userevents.h>

#include "../support/packet_socket.h"
#include "state/binding.h"

static struct ue_event event = UE_EVENT_INIT(event, "tick");
static char source[16384];

static int connect_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (char)(i * 31 + i / 256);
	if (open_socket())
		return -1;
	listen_to(&event, UE_PAYLOAD_MAX_PERF);
	return 0;
}

/* One packet arrived: the index, then length bytes of source. */
static void arrived(size_t length)
{
	assert_int_equal(receive(), length);
	assert_memory_equal(got + 4, source, length);
}

static void any_length(void **state)
{
	(void)state;
	for (size_t length = 0; length <= UE_PAYLOAD_MAX_PERF; length++) {
		assert_int_equal(ue_write(ends[0], &event, source, length), 0);
		arrived(length);
	}
}

/* Cut source into pieces of up to max bytes, empty ones among them. */
static int cut(struct iovec *iov, size_t length, size_t max)
{
	size_t at = 0;
	int count = 0;

	while (at < length) {
		size_t piece = (size_t)rand() % (max + 1);

		if (piece > length - at)
			piece = length - at;
		iov[count++] = (struct iovec){ piece ? source + at : NULL, piece };
		at += piece;
	}
	return count;
}

static void any_pieces(void **state)
{
	static struct iovec iov[32768];
	static const size_t max[] = { 20, 100, 260, 300, 1000, 8184 };

	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		size_t length = (size_t)rand() % (UE_PAYLOAD_MAX_PERF + 1);
		int count = cut(iov, length, max[round % 6]);

		if (count > 1024)
			continue;
		assert_int_equal(ue_writev(ends[0], &event, iov, count), 0);
		arrived(length);
	}
}

static void too_much(void **state)
{
	struct iovec iov[2] = { { source, 5000 }, { source, 5000 } };

	(void)state;
	assert_int_equal(ue_write(ends[0], &event, source, UE_PAYLOAD_MAX_PERF + 1),
			 -EMSGSIZE);
	assert_int_equal(ue_writev(ends[0], &event, iov, 2), -EMSGSIZE);
	iov[0].iov_len = SIZE_MAX;
	assert_int_equal(ue_writev(ends[0], &event, iov, 2), -EMSGSIZE);
	assert_int_equal(ue_writev(ends[0], &event, iov, -1), -EINVAL);
	assert_int_equal(ue_writev(ends[0], &event, iov, 1025), -EINVAL);
	assert_int_equal(ue_write(ends[0], &event, NULL, 4), -EFAULT);
	nothing_arrived();
}

static void another_session(void **state)
{
	(void)state;
	assert_int_equal(ue_write(ends[1], &event, source, 4), -EXDEV);
	nothing_arrived();
}

static void disabled(void **state)
{
	(void)state;
	event.ue__own_word = 0;
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(ends[0], &event, source, 4), 0);
	nothing_arrived();
}

static void not_registered_and_closed(void **state)
{
	(void)state;
	event.ue__binding = UE__BINDING_NONE;
	assert_int_equal(ue_write(ends[0], &event, source, 4), 0);
	event.ue__binding = UE__BINDING_CLOSED;
	assert_int_equal(ue_write(ends[0], &event, source, 4), -EBADF);
	nothing_arrived();
}

/* Linux up to 6.3: the bit is in the status page; no empty payload. */
static void status_page_kernels(void **state)
{
	static uint8_t status;

	(void)state;
	event.ue__own_word = UE__WORD_ASK | 4;
	event.ue__status_byte = &status;
	source[0] = 0;
	status = 0xfb;
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(ends[0], &event, source, 4), 0);
	nothing_arrived();
	status = 4;
	assert_int_equal(ue_enabled(&event), 1);
	assert_int_equal(ue_write(ends[0], &event, NULL, 0), 0);
	arrived(1);
	assert_int_equal(ue_write(ends[0], &event, source, 4), 0);
	arrived(4);
}

static void errno_does_not_change(void **state)
{
	(void)state;
	errno = 4711;
	close(ends[0]);
	assert_int_equal(ue_write(ends[0], &event, source, 4), -EBADF);
	assert_int_equal(errno, 4711);
}

#define SOCKET_TEST(f) \
	cmocka_unit_test_setup_teardown(f, connect_event, close_socket)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOCKET_TEST(any_length),
		SOCKET_TEST(any_pieces),
		SOCKET_TEST(too_much),
		SOCKET_TEST(another_session),
		SOCKET_TEST(disabled),
		SOCKET_TEST(not_registered_and_closed),
		SOCKET_TEST(status_page_kernels),
		SOCKET_TEST(errno_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
