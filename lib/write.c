/* SPDX-License-Identifier: MIT */
/*
 * Write an event.
 *
 * A record is the write index (4 bytes), then the payload, and leaves with one
 * write(). What costs is the number of pieces: a second iovec costs the kernel as
 * much as copying some 4 KiB costs us, and more than 8 make it allocate
 * (doc/performance.md). So a payload of ordinary size is copied behind its index
 * on the stack, and only large pieces of a large payload go by reference.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <userevents/session.h>
#include <userevents/write.h>

#include "capture_session.h"
#include "errno_guard.h"
#include "event.h"
#include "system_call.h"
#include "write.h"

/* What writev(2) takes, UIO_MAXIOV. */
#define UE__IOV_MAX 1024

/* A payload up to this size is copied whole; it is also what the stack bears. */
#define COPY_MAX 1280u

/* In a larger payload, pieces up to this size are copied. */
#define SMALL_PIECE 256u

/* More than this and the kernel allocates (UIO_FASTIOV, include/linux/uio.h). */
#define IOV_MAX_FAST 8

UE_API int ue__is_listened(const struct ue_event *event)
{
	uint32_t word = __atomic_load_n(event->word, __ATOMIC_ACQUIRE);

	return word && UE__WORD_SAYS(word, event);
}

/*
 * Nobody listens, or the event is not this session's. Closed differs from never
 * registered, so that a program that writes too late can be told.
 */
int ue__not_written(int fd, uint64_t binding)
{
	if (binding == UE__BINDING_NONE)
		return 0;
	if (binding == UE__BINDING_CLOSED)
		return -EBADF;
	return ue__binding_fd(binding) == fd ? 0 : -EXDEV;
}

/*
 * The kernel says EBADF both when the last listener left meanwhile, which is no
 * error, and when the descriptor is not open for writing.
 */
int ue__write_failed(int fd, long error)
{
	UE__KEEP_ERRNO;
	int flags;

	if (error == -EAGAIN)
		ue__capture_count_lost(fd);
	if (error != -EBADF)
		return (int)error;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	return 0;
}

/*
 * Before Linux 6.4 an event without payload is refused with EFAULT; there, one
 * byte of padding follows the index.
 */
static size_t least_payload(const struct ue_event *event, size_t length)
{
	uint32_t word = __atomic_load_n(event->word, __ATOMIC_RELAXED);

	return length || (word & (UE_WORD_ASK | UE_WORD_EMPTY)) != UE_WORD_ASK ? length :
										 1;
}

/* All pieces into one record. */
static inline int write_copied(int fd, const struct ue_event *event, char *record,
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
	return ue__write_result(fd, ue__system_write(fd, record, length));
}

/* Small pieces in record, one after the other, large ones where they are. */
struct gathered {
	char *record;
	size_t used;
	struct iovec iov[IOV_MAX_FAST];
	int count;
};

static int add_reference(struct gathered *g, void *at, size_t length)
{
	if (g->count == IOV_MAX_FAST)
		return 0;
	g->iov[g->count++] = (struct iovec){ at, length };
	return 1;
}

static int add_copy(struct gathered *g, const void *at, size_t length)
{
	char *to = g->record + g->used;
	struct iovec *last = g->count ? &g->iov[g->count - 1] : NULL;

	if (g->used + length > INDEX_SIZE + COPY_MAX)
		return 0;
	memcpy(to, at, length);
	g->used += length;
	if (last && (char *)last->iov_base + last->iov_len == to) {
		last->iov_len += length;
		return 1;
	}
	return add_reference(g, to, length);
}

/* 1, or 0 when that takes more than 8 pieces or more room than there is. */
static int gather(struct gathered *g, uint32_t index, const struct iovec *iov,
		  int count)
{
	g->used = 0;
	g->count = 0;
	add_copy(g, &index, INDEX_SIZE);
	for (int i = 0; i < count; i++) {
		int fits = !iov[i].iov_len;

		if (!fits)
			fits = iov[i].iov_len <= SMALL_PIECE ?
				       add_copy(g, iov[i].iov_base, iov[i].iov_len) :
				       add_reference(g, iov[i].iov_base, iov[i].iov_len);
		if (!fits)
			return 0;
	}
	return 1;
}

/* A payload of many pieces of middle size. */
static __attribute__((noinline)) int write_large(int fd, const struct ue_event *event,
						 uint32_t index,
						 const struct iovec *iov, int count)
{
	char record[INDEX_SIZE + UE_PAYLOAD_MAX_PERF];

	return write_copied(fd, event, record, index, iov, count);
}

int ue__write_gathered(int fd, const struct ue_event *event, uint32_t index,
			const struct iovec *iov, int count, size_t length)
{
	char record[INDEX_SIZE + COPY_MAX];
	struct gathered gathered = { .record = record };

	if (length <= COPY_MAX)
		return write_copied(fd, event, record, index, iov, count);
	if (!gather(&gathered, index, iov, count))
		return write_large(fd, event, index, iov, count);
	return ue__write_result(fd, ue__system_writev(fd, gathered.iov, gathered.count));
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

UE_API int ue_writev(int fd, const struct ue_event *event, const struct iovec *iov,
		     int count)
{
	uint64_t binding = ue__binding_of(event);
	size_t length;
	int result;

	if (count < 0 || count > UE__IOV_MAX)
		return -EINVAL;
	if (binding <= UE__BINDING_CLOSED || ue__binding_fd(binding) != fd)
		return ue__not_written(fd, binding);
	if (!ue_enabled(event))
		return 0;
	result = measure(iov, count, event->ue__payload_max, &length);
	if (result)
		return result;
	return ue__write_gathered(fd, event, ue__binding_index(binding), iov, count, length);
}

UE_API int ue_write(int fd, const struct ue_event *event, const void *data,
		    size_t length)
{
	const struct iovec piece = { (void *)data, length };

	return ue_writev(fd, event, &piece, 1);
}
