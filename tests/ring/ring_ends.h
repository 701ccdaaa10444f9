/* SPDX-License-Identifier: MIT */
/* A ring in memory, with a writer and a reader in the test's own process. */
#ifndef UE__TESTS_RING_RING_ENDS_H
#define UE__TESTS_RING_RING_ENDS_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"
#include "test.h"

struct ring {
	int fd;
	struct ue__ring_writer writer;
	struct ue__ring_reader reader;
};

static struct ring *open_ring(uint32_t mode, uint64_t size)
{
	const struct ue__ring_plan plan = { .size = size, .mode = mode };
	struct ring *ring = calloc(1, sizeof(*ring));

	ring->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ue__ring_format(ring->fd, &plan, 1), 0);
	assert_int_equal(ue__ring_attach(&ring->writer, ring->fd, -1), 0);
	assert_int_equal(ue__ring_reader_begin(&ring->reader, ring->fd, 1), 0);
	return ring;
}

static void close_ring(struct ring *ring)
{
	ue__ring_reader_end(&ring->reader);
	ue__ring_detach(&ring->writer);
	close(ring->fd);
	free(ring);
}

#endif
