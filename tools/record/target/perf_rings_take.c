/* SPDX-License-Identifier: MIT */
/* Waits for perf's rings, takes their records and counts, and leaves those of a processor. */
#include "perf_rings.h"

#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/clock.h"

/* An event counts occurrences, and losses if the kernel counts them. */
static void read_counts(int fd, uint64_t *counted, uint64_t *lost)
{
	uint64_t values[2] = { 0, 0 };

	if (read(fd, values, sizeof(values)) <= 0)
		return;
	*counted += values[0];
	*lost += values[1];
}

void perf_rings_detach(struct perf_rings *rings, size_t ring)
{
	size_t kept = 0;

	for (size_t i = 0; i < rings->fd_count; i++) {
		const struct perf_fd fd = rings->fds[i];

		if (fd.ring != ring) {
			rings->fds[kept++] = fd;
			continue;
		}
		read_counts(fd.fd, &rings->counted_before, &rings->lost_before);
		close(fd.fd);
	}
	rings->fd_count = kept;
}

#define POLLED 64u

void perf_rings_wait(struct perf_rings *rings, int other, int milliseconds)
{
	struct pollfd polls[POLLED + 1];
	nfds_t count = rings->count < POLLED ? rings->count : POLLED;

	for (nfds_t i = 0; i < count; i++) {
		int fd = rings->rings[i].is_over ? -1 : rings->rings[i].fd;

		polls[i] = (struct pollfd){ fd, POLLIN, 0 };
	}
	polls[count] = (struct pollfd){ other, POLLIN, 0 };
	if (poll(polls, count + 1, milliseconds) <= 0)
		return;
	for (nfds_t i = 0; i < count; i++)
		rings->rings[i].is_over |= !!(polls[i].revents & (POLLHUP | POLLERR));
}

void perf_rings_stop(struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->fd_count; i++)
		ioctl(rings->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	/* records in a ring that is overwritten must not be replaced any more */
	for (size_t i = 0; i < rings->count && rings->is_overwritten; i++)
		ioctl(rings->rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	rings->is_stopped = 1;
}

static void count_all(const struct perf_rings *rings, uint64_t *counted, uint64_t *lost)
{
	*counted = rings->counted_before;
	*lost = rings->lost_before;
	for (size_t i = rings->dummy_fds; i < rings->fd_count; i++)
		read_counts(rings->fds[i].fd, counted, lost);
}

uint64_t perf_rings_lost(const struct perf_rings *rings)
{
	uint64_t counted, lost;

	count_all(rings, &counted, &lost);
	return lost;
}

uint64_t perf_rings_counted(const struct perf_rings *rings)
{
	uint64_t counted, lost;

	count_all(rings, &counted, &lost);
	return counted;
}

/* Copy from any place of a ring. */
static void copy_from(const struct perf_rings *rings, const struct perf_ring *ring,
		      uint64_t begin, size_t length, struct bytes *to)
{
	size_t at = (size_t)begin & (rings->size - 1), first = rings->size - at;

	if (first > length)
		first = length;
	bytes_add(to, ring->data + at, first);
	bytes_add(to, ring->data, length - first);
}

static void take_all(const struct perf_rings *rings, const struct perf_ring *ring,
		     struct bytes *to)
{
	uint64_t end = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t begin = ring->page->data_tail;

	copy_from(rings, ring, begin, (size_t)(end - begin), to);
	__atomic_store_n(&ring->page->data_tail, end, __ATOMIC_RELEASE);
}

/*
 * A ring that is overwritten. The kernel writes it backward: each record stands before
 * the one that came before it, and the head moves down, so the newest is always found,
 * and those behind it follow. While they are copied, the kernel goes on, from the other
 * end. So the head is read again afterwards, and records that were overwritten meanwhile,
 * or may just be, are dropped. No event is lost for that, as it would be if the ring were
 * paused.
 */

/* A task, a softirq, an interrupt and an NMI may each be writing a record. */
#define BEING_WRITTEN ((size_t)4 * 8448)

/* How many bytes of those from begin on are still whole. */
static size_t whole_bytes(const struct perf_rings *rings, const struct perf_ring *ring,
			  uint64_t begin, size_t length)
{
	const size_t most = rings->size - (rings->is_stopped ? 0 : BEING_WRITTEN);
	uint64_t head;
	size_t moved;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	moved = (size_t)(begin - head);
	if (moved >= most)
		return 0;
	return length < most - moved ? length : most - moved;
}

/* Add the records in the order in which they were written; the last one may be cut. */
static void add_reversed(const struct bytes *newest, size_t length, struct bytes *to)
{
	struct perf_event_header header;
	size_t end = 0;
	uint8_t *at;

	while (end + sizeof(header) <= length) {
		memcpy(&header, newest->at + end, sizeof(header));
		if (header.size < sizeof(header) || end + header.size > length)
			break;
		end += header.size;
	}
	at = (uint8_t *)bytes_room(to, end) + end;
	to->length += end;
	for (size_t from = 0; from < end; from += header.size) {
		memcpy(&header, newest->at + from, sizeof(header));
		at -= header.size;
		memcpy(at, newest->at + from, header.size);
	}
}

static int take_newest(struct perf_rings *rings, struct perf_ring *ring, struct bytes *to)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const size_t written = (size_t)(ring->taken - head);
	size_t length = written < rings->size ? written : rings->size;

	ring->taken = head;
	/* Records before the head have an earlier time; later ones are taken next. */
	ring->taken_at = (uint64_t)clock_now(CLOCK_MONOTONIC);
	rings->newest.length = 0;
	copy_from(rings, ring, head, length, &rings->newest);
	length = whole_bytes(rings, ring, head, length);
	add_reversed(&rings->newest, length, to);
	return length < written;
}

int perf_ring_take(struct perf_rings *rings, struct perf_ring *ring, struct bytes *to)
{
	if (!ring->page)
		return 0;
	if (rings->is_overwritten)
		return take_newest(rings, ring, to);
	take_all(rings, ring, to);
	return 0;
}
