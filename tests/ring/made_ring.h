/* SPDX-License-Identifier: MIT */
/* A ring in memory of a test's own, and its writers. */
#ifndef UE__TESTS_RING_MADE_RING_H
#define UE__TESTS_RING_MADE_RING_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"
#include "test.h"

static int make_ring(uint32_t mode, uint64_t size)
{
	const struct ue__ring_plan plan = { .size = size, .mode = mode };
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ue__ring_format(fd, &plan, 1), 0);
	return fd;
}

/* A process of its own: it has a slot, a lock, and a mapping. */
static struct ue__ring_writer *attach(int fd)
{
	struct ue__ring_writer *writer =
		aligned_alloc(_Alignof(struct ue__ring_writer), sizeof(*writer));

	assert_int_equal(ue__ring_attach(writer, fd, -1), 0);
	return writer;
}

static void detach(struct ue__ring_writer *writer)
{
	ue__ring_detach(writer);
	free(writer);
}

#endif
