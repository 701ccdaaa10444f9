/* SPDX-License-Identifier: MIT */
/* Read a ring: the records of all pages, by time. Nothing in the memory is trusted. */
#ifndef UE__RING_RING_READER_H
#define UE__RING_RING_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "layout.h"
#include "ring_clock.h"

/* A record as it was read; everything stays until the next call. */
struct ue__ring_event {
	uint32_t index; /* write index; it may be one that was never registered */
	uint32_t length; /* of the payload */
	const char *payload;
	int64_t time; /* CLOCK_MONOTONIC, in nanoseconds */
	int64_t real_time; /* in nanoseconds since 1970, UTC */
	uint32_t pid, tid, cpu;
	uint32_t lost; /* events that its process lost on this processor right before */
	const char *process, *thread; /* names; "" if not known */
};

struct ue__ring_seen;
struct ue__ring_reference;

struct ue__ring_reader {
	struct ue__ring_memory memory;
	int fd; /* with an open file description of its own, if there is /proc */
	int is_consumer; /* frees pages that were read */
	pid_t pid;	 /* that is in the ring as its reader's */
	int is_final; /* nobody writes any more: take records of any time */
	struct ue__ring_boots boots;
	uint32_t created_in; /* the boot */
	int is_woken; /* by writers, when it sleeps */
	struct ue__ring_seen *seen; /* of each page */
	struct ue__ring_reference *found; /* a pass found these; sorted by time */
	size_t found_count, found_size, next;
	struct ue__ring_moment now; /* of the pass */
	uint32_t in_use[UE__RING_SIZES]; /* pages of each size that the pass saw */
	int is_short[UE__RING_SIZES]; /* of pages: those that were read are given back */
	int64_t last_time, next_burial;
	int64_t ahead; /* the wall clock, of CLOCK_MONOTONIC */
	uint64_t events, malformed;
	uint64_t missed; /* at the last pass */
	uint32_t thread_id, thread_tid, thread_turn; /* whose name this is: */
	char process[17], thread[17];
	union {
		struct ue__ring_record record;
		char room[UE__RING_LARGE];
	} copy;
};

/*
 * Begin to read the ring of an open file, which stays the caller's. is_consumer: pages that
 * were read are freed; of a ring that overwrites nobody frees pages.
 *
 * 0, or an error of ue__ring_map(); -EBUSY: it has such a reader already; -EACCES: it cannot
 * free pages, as fd is open for reading alone; -ENOMEM, -EMFILE.
 */
int ue__ring_reader_begin(struct ue__ring_reader *reader, int fd, int is_consumer);
void ue__ring_reader_end(struct ue__ring_reader *reader);

/*
 * The next record: 1, 0 if there is none now, or -ENOMEM. It returns even if another process
 * changes the memory all the time.
 */
int ue__ring_reader_next(struct ue__ring_reader *reader, struct ue__ring_event *event);

/* Is there anything to read? */
int ue__ring_has_more(struct ue__ring_reader *reader);

/*
 * Announce that the reader is about to sleep, so that the next write wakes it. Milliseconds
 * that it may sleep; 0 if there is something to read.
 */
int ue__ring_fall_asleep(struct ue__ring_reader *reader, enum ue__ring_sleep how);
void ue__ring_wake_up(struct ue__ring_reader *reader);
/* Sleep until a write, or for so many milliseconds; -1: any time. Signals end it. */
void ue__ring_sleep(struct ue__ring_reader *reader, int milliseconds);

/*
 * The number of records that were overwritten before this reader read them, as far as its
 * last pass saw: so it is never too many, and all of them after a pass that found
 * nothing.
 */
uint64_t ue__ring_missed(const struct ue__ring_reader *reader);

#endif
