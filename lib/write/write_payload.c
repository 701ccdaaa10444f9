/* SPDX-License-Identifier: MIT */
/*
 * Write an event.
 *
 * A record is the write index (4 bytes) and the payload, and is sent with one system
 * call. Its cost depends on the number of pieces: a second iovec costs the kernel as much
 * as copying some 4 KiB costs the library, and for more than 8 the kernel allocates
 * memory (doc/performance.md). So the library copies a payload of ordinary size behind
 * its index on the stack, and refers only to large pieces of a large payload. A stack may
 * be small, so many pieces of medium size, which would take more than 2 KiB of it, are
 * copied into mapped memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include <userevents/session.h>
#include <userevents/classic_event.h>
#include <userevents/write.h>

#include "ring/write/ring_writer.h"
#include "util/errno_guard.h"
#include "state/binding.h"
#include "state/loss.h"
#include "write.h"

/* The limit of writev(2), UIO_MAXIOV. */
#define UE__IOV_MAX 1024

/* A payload up to this size is copied whole. A small stack has room for it. */
#define COPY_MAX 1280u

/*
 * The event is not registered on this session. A closed session has an error of its
 * own, so that a program learns that it writes too late.
 */
int ue__end_unbound(int fd, struct ue_event *event, uint64_t binding,
		    uint32_t *writers)
{
	int result = 0;

	/* The ring is being closed, or the session has no descriptor. */
	if (binding == UE__BINDING_CLOSED || ue__is_in_ring_of(binding, fd))
		result = -EBADF;
	else if (ue__is_bound(binding) && !ue__is_bound_to(binding, fd))
		result = -EXDEV;
	if (result && ue_enabled(event))
		ue__lost(fd, event, result);
	ue__leave(writers);
	return result;
}

/*
 * The kernel answers EBADF if the last listener has just left, which is no error, and
 * if the descriptor is not open for writing.
 */
static int is_writable(int fd)
{
	UE__KEEP_ERRNO;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY;
}

int ue__end_failed(int fd, struct ue_event *event, long error, uint32_t *writers)
{
	int result = error == -EBADF && is_writable(fd) ? 0 : (int)error;

	if (result)
		ue__lost(fd, event, result);
	ue__leave(writers);
	return result;
}

/*
 * Before Linux 6.4 the kernel refuses an event without payload with EFAULT. There one
 * byte of padding follows the index.
 */
static size_t least_payload(const struct ue_event *event, size_t length)
{
	uint32_t word = __atomic_load_n(event->word, __ATOMIC_RELAXED);

	if (length || (word & (UE__WORD_ASK | UE__WORD_EMPTY)) != UE__WORD_ASK)
		return length;
	return 1;
}

/* All pieces into one record. */
static inline long write_copied(int fd, struct ue_event *event, char *record,
				uint32_t index, const struct iovec *iov, int count)
{
	size_t length = INDEX_SIZE;

	memcpy(record, &index, INDEX_SIZE);
	record[length] = 0; /* the padding of an empty payload */
	for (int i = 0; i < count; i++)
		if (iov[i].iov_len) {
			memcpy(record + length, iov[i].iov_base, iov[i].iov_len);
			length += iov[i].iov_len;
		}
	length = INDEX_SIZE + least_payload(event, length - INDEX_SIZE);
	return ue__send_record(fd, event, record, length);
}

static int add_reference(struct ue__gathered *g, const void *at, size_t length)
{
	if (g->count == IOV_MAX_FAST)
		return 0;
	g->iov[g->count++] = (struct iovec){ (void *)at, length };
	return 1;
}

/* Append to the last copy, if no reference follows it. */
static int add_copy(struct ue__gathered *g, const void *at, size_t length)
{
	char *to = g->record + g->used;
	struct iovec *last = g->count ? &g->iov[g->count - 1] : NULL;

	memcpy(to, at, length);
	g->used += length;
	if (last && (char *)last->iov_base + last->iov_len == to) {
		last->iov_len += length;
		return 1;
	}
	return add_reference(g, to, length);
}

int ue__gather(struct ue__gathered *g, const void *data, size_t length)
{
	if (!length)
		return 1;
	if (length <= SMALL_PIECE && g->used + length <= g->room)
		return add_copy(g, data, length);
	return add_reference(g, data, length);
}

static int gather_all(struct ue__gathered *g, uint32_t index, const struct iovec *iov,
		      int count)
{
	ue__gather(g, &index, INDEX_SIZE);
	for (int i = 0; i < count; i++)
		if (!ue__gather(g, iov[i].iov_base, iov[i].iov_len))
			return 0;
	return 1;
}


char *ue__map_record(void)
{
	UE__KEEP_ERRNO;
	void *record = mmap(NULL, UE__MAPPED_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return record == MAP_FAILED ? NULL : record;
}

void ue__unmap_record(char *record)
{
	UE__KEEP_ERRNO;

	munmap(record, UE__MAPPED_SIZE);
}

/* A payload of many pieces of medium size. */
static __attribute__((noinline)) long write_mapped(int fd, struct ue_event *event,
						   uint32_t index,
						   const struct iovec *iov, int count)
{
	char *record = ue__map_record();
	long result;

	if (!record)
		return -ENOMEM;
	result = write_copied(fd, event, record, index, iov, count);
	ue__unmap_record(record);
	return result;
}

static long write_pieces(int fd, struct ue_event *event, uint32_t index,
			 const struct iovec *iov, int count, size_t length)
{
	char record[INDEX_SIZE + COPY_MAX];
	struct ue__gathered gathered = { .record = record, .room = sizeof(record) };

	if (length <= COPY_MAX)
		return write_copied(fd, event, record, index, iov, count);
	if (!gather_all(&gathered, index, iov, count))
		return write_mapped(fd, event, index, iov, count);
	return ue__send_gathered(fd, event, gathered.iov, gathered.count);
}

/* Sum of the pieces, 0 or -errno. */
static int measure(const struct iovec *iov, int count, size_t max, size_t *length)
{
	*length = 0;
	for (int i = 0; i < count; i++) {
		if (!iov[i].iov_base && iov[i].iov_len)
			return -EFAULT;
		if (__builtin_add_overflow(*length, iov[i].iov_len, length) ||
		    *length > max)
			return -EMSGSIZE;
	}
	return 0;
}

static long write_bound(int fd, struct ue_event *event, int is_in_ring, uint64_t binding,
			const struct iovec *iov, int count)
{
	size_t length;
	int result;

	if (!ue_enabled(event))
		return 0;
	if (count < 0 || count > UE__IOV_MAX)
		return -EINVAL;
	result = measure(iov, count, ue__payload_max_of(event), &length);
	if (result)
		return result;
	if (is_in_ring)
		return ue__put_pieces(fd, binding, iov, count, (uint32_t)length, NULL);
	return write_pieces(fd, event, ue__binding_index(binding), iov, count, length);
}

UE__PUBLIC int ue_writev(int fd, struct ue_event *event, const struct iovec *iov,
		     int count)
{
	uint32_t *writers = ue__enter(&writers);
	uint64_t binding = ue__binding_of(event);
	const int is_in_ring = ue__ring_of(binding, fd) != NULL;
	long result;

	if (!is_in_ring && (!ue__is_bound(binding) || !ue__is_bound_to(binding, fd)))
		return ue__end_unbound(fd, event, binding, writers);
	result = write_bound(fd, event, is_in_ring, binding, iov, count);
	return ue__end(fd, event, result, writers);
}

UE__PUBLIC int ue_write(int fd, struct ue_event *event, const void *data,
		    size_t length)
{
	const struct iovec piece = { (void *)data, length };

	return ue_writev(fd, event, &piece, 1);
}
