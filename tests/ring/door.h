/* SPDX-License-Identifier: MIT */
/* A collector's door in a folder of its own, and programs that come to it. */
#ifndef UE__TESTS_RING_DOOR_H
#define UE__TESTS_RING_DOOR_H

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <userevents/abi/ring_socket.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "child.h"
#include "collect/door/ring_door.h"
#include "coarse_clock.h"
#include "socket/descriptor_packet.h"

#define PATH "socket"

static char directory[] = "/tmp/ring-door-XXXXXX";
static struct ring_door *door;
static uint64_t left; /* events in rings that had no place */

static void count_left(void *context, uid_t user, uint64_t events)
{
	assert_int_equal(user, geteuid());
	*(uint64_t *)context += events;
}

static int enter(void **state)
{
	static const struct door_options options = {
		.path = PATH, .mode = 0600, .rings = 6, .rings_of_user = 4,
		.bytes = 4 << 20, .listener = -1,
	};

	char path[64];

	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/" PATH, directory);
	setenv(UE_ENVIRONMENT_SOCKET, path, 1);
	coarse_ms = 0;
	monotonic_ahead = 0;
	door = ring_door_open(&options);
	if (!door)
		return -1;
	left = 0;
	ring_door_report(door, &(struct door_losses){ count_left, &left });
	return 0;
}

static int leave(void **state)
{
	(void)state;
	ring_door_close(door);
	/* rmdir() fails if the socket is left; the file of the lock stays, as another
	 * collector may hold it open */
	return unlink(PATH ".lock") || chdir("/") || rmdir(directory);
}

static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const void *)&address, sizeof(address)), 0);
	return fd;
}

static int make_ring(void)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST, .mode = UE_RING_DROP,
	};

	return ue_ring_create(NULL, &opts);
}

/* A program that is not ours may send any descriptor, and any packet. */
static int offer(int ring, const void *packet, size_t size)
{
	const int fd = dial();

	assert_int_equal(ue__send_descriptor(fd, packet, size, ring), 0);
	return fd;
}

static const struct ue_ring_offer right = { .magic = UE_RING_OFFER_MAGIC };

/* A session of this process, as a guest. */
static struct door_guest *open_as_guest(int *fd)
{
	struct door_guest *guest;

	*fd = ue_open(NULL);
	assert_true(*fd >= 0);
	guest = ring_door_next(door);
	assert_non_null(guest);
	return guest;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

#endif
