/* SPDX-License-Identifier: MIT */
/* Ready payloads and typed ones are written by these. */
#ifndef UE__WRITE_WRITE_H
#define UE__WRITE_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <userevents/abi/event_state.h>
#include <userevents/session.h>

#include "kernel/system_call.h"
#include "state/in_flight.h"

/* The write index, before the payload. */
#define INDEX_SIZE sizeof(uint32_t)

/* Another thread may register the event anew while a writer reads this. */
static inline uint32_t ue__payload_max_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__payload_max, __ATOMIC_RELAXED);
}

static inline uint32_t ue__write_call_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__write_call, __ATOMIC_RELAXED);
}

/*
 * Every write begins with ue__enter(), and ends with one of these. elsewhere: the event's
 * binding is not one to fd in the kernel, but perhaps to fd in a ring, which gets the record;
 * unbound: nor to a ring. failed: the system call's, or the library's own, -errno;
 * unsent: the same of the first attempt to send a record. They return what the caller
 * gets: 0 or -errno. elsewhere and unsent have the event in the same place, so that the callers,
 * which call nothing else, need no register that they have to save.
 */
int ue__end_elsewhere(int fd, char *record, size_t size, uint64_t binding,
		      struct ue_event *event, uint32_t *writers);
int ue__end_unbound(int fd, struct ue_event *event, uint64_t binding,
		    uint32_t *writers);
int ue__end_failed(int fd, struct ue_event *event, long error, uint32_t *writers);
int ue__end_unsent(int fd, const void *record, size_t size, long error,
		   struct ue_event *event, uint32_t *writers);

static inline int ue__end(int fd, struct ue_event *event, long result,
			  uint32_t *writers)
{
	if (__builtin_expect(result < 0, 0))
		return ue__end_failed(fd, event, result, writers);
	ue__leave(writers);
	return 0;
}

/* Send a complete record, and end the write. */
static inline int ue__end_with(int fd, const void *record, size_t size,
			       struct ue_event *event, uint32_t *writers)
{
	long result = ue__system_write(ue__write_call_of(event), fd, record, size);

	if (__builtin_expect(result < 0, 0))
		return ue__end_unsent(fd, record, size, result, event, writers);
	ue__leave(writers);
	return 0;
}

/*
 * The same in cold code, without ending the write (fall_back.c). They return the kernel's
 * result.
 */
long ue__send_record(int fd, struct ue_event *event, const void *record, size_t size);
long ue__send_gathered(int fd, struct ue_event *event, const struct iovec *iov,
		       int count);

struct ue__ring_writer;

/* The ring that an event is bound to, which fd leads to; NULL if there is none. */
struct ue__ring_writer *ue__ring_of(uint64_t binding, int fd);
/*
 * Put pieces of length bytes into that ring, with the stack if it is wanted. caller: what the
 * calling function returns to, if it keeps no frame pointer; else NULL. 0 or -errno.
 */
int ue__put_pieces(int fd, uint64_t binding, const struct iovec *iov, int count,
		   uint32_t length, const void *caller);
/* The rest of ue__end_elsewhere(): if there is no ring, or stacks are wanted. */
int ue__end_with_stack(int fd, char *record, size_t size, uint64_t binding,
		       struct ue_event *event, uint32_t *writers);

/* In a larger payload, pieces up to this size are copied. */
#define SMALL_PIECE 256u

/* For more pieces the kernel allocates memory (UIO_FASTIOV, include/linux/uio.h). */
#define IOV_MAX_FAST 8

/* Small pieces are copied into record, one after the other; large ones stay in place. */
struct ue__gathered {
	char *record;
	size_t room, used;
	struct iovec iov[IOV_MAX_FAST];
	int count;
};

/* 1, or 0 if that takes more than 8 pieces. */
int ue__gather(struct ue__gathered *g, const void *data, size_t length);

struct ue_activity;

/* Put the extension with an activity, if any, and return its end. */
char *ue__put_activity(char *at, const struct ue_activity *activity,
		       const struct ue_activity *related);

/* An EventHeader event as a program passes it (abi/write_calls.h). */
struct ue__written {
	const char *described;
	const void *values;
	const struct ue_activity *activity, *related;
};

/* Pack and send any event. record: UE__SMALL_RECORD bytes to pack it in, if it fits. */
int ue__send_written(int fd, struct ue_event *event, const struct ue__written *written,
		     char *record);

/*
 * Map memory for the largest record: for rare records that do not fit on a small stack. NULL
 * without memory. Signal handlers may call this, too.
 */
#define UE__MAPPED_SIZE (INDEX_SIZE + UE_PAYLOAD_MAX_PERF)
char *ue__map_record(void);
void ue__unmap_record(char *record);

#endif
