/* SPDX-License-Identifier: MIT */
/*
 * Wake the reader, and wait for it to free a page.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring/ring_lock.h"
#include "util/errno_guard.h"
#include "wait_for_page.h"

/* The call exists since Linux 5.3; glibc 2.28 does not know it. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define WAIT_NS 100000000

/* The program may have closed the number, and opened something else. */
static int is_its_socket(const struct ue__ring_writer *writer)
{
	struct stat file;

	return !fstat(writer->socket, &file) && file.st_dev == writer->device &&
	       file.st_ino == writer->inode;
}

/* Its reader has closed the other end. */
static int is_hung_up(const struct ue__ring_writer *writer)
{
	struct pollfd end = { .fd = writer->socket };

	return is_its_socket(writer) && poll(&end, 1, 0) == 1 && end.revents & POLLHUP;
}

/*
 * A capture whose reader is gone gets no other: its events are disabled, for all
 * processes.
 */
void ue__ring_disable_all(struct ue__ring_writer *writer)
{
	for (uint32_t i = 0; i < writer->memory.event_count / 8; i++)
		__atomic_store_n(&writer->memory.enabled[i], 0, __ATOMIC_RELAXED);
}

static void send_byte(struct ue__ring_writer *writer)
{
	if (send(writer->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    (errno == EPIPE || errno == ECONNRESET))
		ue__ring_disable_all(writer);
}

static void wake(struct ue__ring_writer *writer)
{
	UE__KEEP_ERRNO;
	uint32_t *sleeping = &writer->memory.ring->sleeping;

	switch (__atomic_exchange_n(sleeping, UE__RING_AWAKE, __ATOMIC_SEQ_CST)) {
	case UE__RING_IN_FUTEX:
		syscall(SYS_futex, sleeping, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		break;
	case UE__RING_IN_POLL:
		if (is_its_socket(writer))
			send_byte(writer);
		break;
	default:
		break;
	}
}

/*
 * A reader looks at the ring now and then. It is woken when half of the pages of a size
 * were opened since, so that no write does anything for it but one that takes a page.
 */
void ue__ring_wake_for_half(struct ue__ring_writer *writer, int is_large, uint32_t number)
{
	const struct ue__ring *ring = writer->memory.ring;
	const uint32_t looked_at =
		__atomic_load_n(&ring->looked_at[is_large], __ATOMIC_RELAXED);

	if (__atomic_load_n(&ring->sleeping, __ATOMIC_RELAXED) != UE__RING_AWAKE &&
	    number - looked_at >= ue__ring_count_of(&writer->memory, is_large) / 2)
		wake(writer);
}

/*
 * Has a process ended, also one that nobody waited for? A sandbox may deny pidfd_open(2).
 */
static int has_ended(pid_t pid)
{
	struct pollfd process = { .fd = (int)syscall(SYS_pidfd_open, pid, 0),
				  .events = POLLIN };
	int result;

	if (process.fd < 0)
		return errno == ESRCH;
	result = poll(&process, 1, 0) == 1;
	close(process.fd);
	return result;
}

/* A reader that becomes a daemon ends, and its child goes on. */
#define LOOKS 5u

/*
 * Children of the reader have copies of all that stands for it: of the lock's
 * description, and of the socket. So a process asks for the reader's own process, too, if
 * they know the same pids.
 */
static int is_reader_gone(struct ue__ring_writer *writer)
{
	const uint64_t reader =
		__atomic_load_n(&writer->memory.ring->reader, __ATOMIC_ACQUIRE);

	if (!(uint32_t)reader || !writer->memory.pid_namespace ||
	    reader >> 32 != writer->memory.pid_namespace || !has_ended((pid_t)reader)) {
		__atomic_store_n(&writer->without_reader, 0, __ATOMIC_RELAXED);
		return 0;
	}
	if (__atomic_load_n(&writer->without_reader, __ATOMIC_RELAXED) >= LOOKS)
		return 1;
	return __atomic_add_fetch(&writer->without_reader, 1, __ATOMIC_RELAXED) >= LOOKS;
}

/*
 * Without /proc a capture's reader and this process share an open file description, and so
 * the lock, which says nothing then. The socket does.
 */
int ue__ring_has_reader(struct ue__ring_writer *writer)
{
	UE__KEEP_ERRNO;

	if (writer->socket >= 0 && is_hung_up(writer))
		return 0;
	if (is_reader_gone(writer))
		return 0;
	if (writer->socket >= 0 && ue__ring_id_of(writer->owner) & UE__RING_UNLOCKED)
		return is_its_socket(writer);
	return ue__ring_can_ask(writer) &&
	       ue__ring_is_locked(writer->lock_fd, UE__RING_READER_LOCK);
}

/* 1 if there may be a page now; 0 if nobody is there to free one. */
int ue__ring_wait_for_page(struct ue__ring_writer *writer, uint32_t freed)
{
	UE__KEEP_ERRNO;
	struct ue__ring *ring = writer->memory.ring;
	const struct timespec time = { .tv_nsec = WAIT_NS };

	if (!ue__ring_has_reader(writer))
		return 0;
	__atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);
	/* It may have read everything, and sleep: now it is to give pages back. */
	if (__atomic_load_n(&ring->sleeping, __ATOMIC_SEQ_CST) != UE__RING_AWAKE)
		wake(writer);
	if (syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed, &time, NULL, 0) &&
	    errno == ENOSYS)
		sched_yield();
	return 1;
}
