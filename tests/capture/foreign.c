/* SPDX-License-Identifier: MIT */
/*
 * A socket that an environment or a caller hands over need not be a capture's, and its ring
 * may be made to end the program. The parts of a capture are put together here, one of them
 * wrong at a time.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The parts of a capture. */
struct parts {
	int type; /* of the socket */
	int seals;
	off_t size; /* of the ring */
	uint32_t packet; /* bytes beside the descriptor */
	char header[12288]; /* of the ring: 8 bytes of magic, byte order, version */
};

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static void take_apart(struct ue_capture *capture, struct parts *parts)
{
	union control control;
	struct iovec piece = { &parts->packet, sizeof(parts->packet) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct stat file;
	int memory;

	assert_int_equal(recvmsg(ue_capture_writer_fd(capture), &message, MSG_PEEK), 4);
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	assert_int_equal(fstat(memory, &file), 0);
	assert_int_equal(pread(memory, parts->header, sizeof(parts->header), 0),
			 sizeof(parts->header));
	parts->type = SOCK_SEQPACKET;
	parts->seals = SEALS;
	parts->size = file.st_size;
	close(memory);
}

/* As ue_capture_open() makes them. */
static struct parts usual_parts(void)
{
	struct ue_capture *capture;
	struct parts parts;

	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	take_apart(capture, &parts);
	ue_capture_close(capture);
	return parts;
}

static int make_ring(const struct parts *parts)
{
	int memory = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(memory >= 0);
	assert_int_equal(ftruncate(memory, parts->size), 0);
	assert_int_equal(pwrite(memory, parts->header, sizeof(parts->header), 0),
			 sizeof(parts->header));
	assert_int_equal(fcntl(memory, F_ADD_SEALS, parts->seals), 0);
	return memory;
}

static void send_ring(int fd, const struct parts *parts)
{
	union control control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	uint32_t packet = parts->packet;
	struct iovec piece = { &packet, sizeof(packet) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int memory = make_ring(parts);

	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	assert_int_equal(sendmsg(fd, &message, 0), sizeof(packet));
	close(memory);
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* The result of ue_open() for a socket with these parts. */
static int open_with(const struct parts *parts)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	int ends[2], before, result;

	assert_int_equal(socketpair(AF_UNIX, parts->type, 0, ends), 0);
	send_ring(ends[0], parts);
	opts.fd = ends[1];
	before = count_descriptors();
	result = ue_open(&opts);
	/* its own, and one for a lock on the ring */
	assert_int_equal(count_descriptors(), before + 2 * (result >= 0));
	if (result >= 0)
		assert_int_equal(ue_close(result), 0);
	close(ends[0]);
	close(ends[1]);
	return result;
}

/* Else the other tests would test nothing. */
static void the_same_parts_make_a_capture(void **state)
{
	const struct parts parts = usual_parts();

	(void)state;
	assert_true(open_with(&parts) >= 0);
}

static void a_ring_that_may_shrink_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.seals = F_SEAL_GROW | F_SEAL_SEAL;
	assert_int_equal(open_with(&parts), -ENOTTY);
}

static void a_ring_of_another_size_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.size -= 1;
	assert_int_equal(open_with(&parts), -EBADMSG);
	parts.size = 16384;
	assert_int_equal(open_with(&parts), -EBADMSG);
}

static void a_ring_of_another_version_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.header[12]++;
	assert_int_equal(open_with(&parts), -EPROTONOSUPPORT);
}

static void a_ring_of_something_else_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.header[0]++;
	assert_int_equal(open_with(&parts), -ENOTTY);
}

static void a_descriptor_that_comes_with_another_packet_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.packet++;
	assert_int_equal(open_with(&parts), -ENOTTY);
}

/* Its writes have no boundaries. */
static void a_stream_is_refused(void **state)
{
	struct parts parts = usual_parts();

	(void)state;
	parts.type = SOCK_STREAM;
	assert_int_equal(open_with(&parts), -ENOTTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_parts_make_a_capture),
		cmocka_unit_test(a_ring_that_may_shrink_is_refused),
		cmocka_unit_test(a_ring_of_another_size_is_refused),
		cmocka_unit_test(a_ring_of_another_version_is_refused),
		cmocka_unit_test(a_ring_of_something_else_is_refused),
		cmocka_unit_test(a_descriptor_that_comes_with_another_packet_is_refused),
		cmocka_unit_test(a_stream_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
