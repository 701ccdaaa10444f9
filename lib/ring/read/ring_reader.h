/* SPDX-License-Identifier: MIT */
/* Read a ring: the records of all pages, by time. Nothing in the memory is trusted. */
#ifndef UE__RING_RING_READER_H
#define UE__RING_RING_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/capture.h>

#include "ring/layout.h"
#include "ring/ring_clock.h"

/* A record as it was read; everything stays until the next call. */
struct ue__ring_event {
	uint32_t index; /* write index; it may be one that was never registered */
	uint32_t length; /* of the payload */
	const char *payload;
	int64_t time; /* CLOCK_MONOTONIC, in nanoseconds */
	int64_t real_time; /* in nanoseconds since 1970, UTC */
	uint32_t owner, pid, tid, cpu;
	uint32_t lost; /* events that its process lost on this processor right before */
	const char *process, *thread; /* names; "" if not known */
	const uint64_t *stack; /* NULL: none */
	uint32_t frames, is_stack_cut, frames_asked;
	int describes; /* code: it is no event of the program */
};

struct ue__ring_copied;

/* The reader's knowledge of a page. */
struct ue__ring_seen {
	uint32_t number; /* of the page when it was last visited */
	uint32_t at;	 /* every record before this was collected */
	uint32_t boot; /* in which it was opened */
	uint32_t waiting; /* collected, and not handed out yet */
	uint32_t handed_out;
	uint32_t described; /* records handed out that describe code */
	int is_young; /* a record that is done has to wait for the next pass */
	uint64_t gone; /* records that had been overwritten here */
	/* a bit for each 8 bytes: a record behind a hole was collected */
	uint64_t *ahead;
};

/* A record that a pass found. */
struct ue__ring_reference {
	uint64_t time; /* by the ring's clock */
	uint32_t boot; /* the order of boots */
	uint32_t number, index; /* of the page */
	uint16_t at;
	uint16_t describes; /* UE__RING_DESCRIBES */
};

/*
 * The events of the last call. Its records are marked as taken out when the caller
 * comes back, so that a reader that is killed before that leaves them to the next one.
 */
struct ue__ring_in_hand {
	uint32_t references; /* those before "next" */
	uint32_t page, end;  /* or all records of a page up to a place, if that is not 0 */
	uint32_t count, described; /* of these */
};

/* Handed out, and taken out of the ring only when the caller says so. */
struct ue__ring_held {
	struct ue__ring_reference *items;
	uint32_t count, size;
};

/* The name of a thread, as it was found last. */
struct ue__ring_name {
	uint32_t owner, tid, turn; /* whose, and ring->next_thread at that time */
	char name[17];
};
#define UE__RING_NAMES 64u

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
	struct ue__ring_in_hand in_hand;
	int is_holding; /* events handed out stay in the ring until ue__ring_release() */
	struct ue__ring_held held;
	struct ue__ring_moment now; /* of the pass */
	uint32_t in_use[UE__RING_SIZES]; /* pages of each size that the pass saw */
	int is_short[UE__RING_SIZES]; /* of pages: those that were read are given back */
	int is_waited_for; /* some writer waited for a page when the pass began */
	int64_t last_time, next_burial;
	int64_t found_at; /* when the last pass began that found a record */
	int64_t ahead; /* the wall clock, of CLOCK_MONOTONIC */
	uint64_t events, malformed;
	uint64_t missed; /* at the last pass */
	/* ue__ring_reader_next_page() uses these: */
	int is_by_page; /* the last call was that */
	int may_bury;	/* in this pass */
	uint32_t page;	/* the one that the pass visits next */
	uint32_t looked_at[UE__RING_SIZES]; /* pages that were opened before the pass */
	uint64_t passes;
	uint32_t descriptions; /* those in the page that was handed out last */
	struct ue__ring_copied *copied; /* the page that was handed out last */
	struct ue__ring_name names[UE__RING_NAMES];
	char process[17];
	struct ue__ring_page header; /* of the record in the copy */
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

/*
 * Defined in capture/ring_pages.c: the records of the next page of a pass, with all that
 * belongs to it but the definitions: 1, 0 at the end of a pass, or -ENOMEM. In a page
 * they are in the order of their times, and each pass begins where the one before
 * ended; nothing else is in order.
 */
int ue__ring_reader_next_page(struct ue__ring_reader *reader,
			      struct ue_captured_page *page);
/* The record of the last ue__ring_reader_next(), once more: 1 or -ENOMEM. */
int ue__ring_reader_same(struct ue__ring_reader *reader, struct ue_captured_page *page);

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

/* The state of a reader of pages: capture/ring_pages.c. */

/* Begin a pass with the first page; 1 if dead processes are to be looked for. */
int ue__ring_begin_pass(struct ue__ring_reader *reader);
/* Note in the ring that its reader is there, if it takes events out. */
void ue__ring_note_reader(struct ue__ring_reader *reader);
/* Look who has a page. 1 with its word if there may be records to read, else 0. */
int ue__ring_look(struct ue__ring_reader *reader, uint32_t index, uint64_t *word);
/* Collect references to finished records of the page. 0 or -ENOMEM. */
int ue__ring_collect(struct ue__ring_reader *reader, uint32_t index, uint64_t word,
		     int may_bury);

/* Times of another clock than the reader's (time_namespaces(7)) are not waited for. */
#define UE__RING_SOON 10000000000u

/* Has a record of this time to wait for the next pass? */
static inline int ue__ring_is_too_young(const struct ue__ring_reader *reader,
					uint32_t boot, uint64_t time)
{
	return time - reader->now.counter - 1 < UE__RING_SOON - 1 && !reader->is_final &&
	       boot == reader->boots.current;
}

/*
 * The next so many references, all of one page, are done with: they are in the caller's
 * hand, or were overwritten.
 */
void ue__ring_take(struct ue__ring_reader *reader, uint32_t count, int is_handed_out);
/* The caller comes back, and so have the pages in its hand. */
void ue__ring_let_go(struct ue__ring_reader *reader);
/*
 * The same as find_shortage(), of the pages that the last pass saw in use, and of this
 * moment.
 */
int ue__ring_is_short(const struct ue__ring_reader *reader);
/* Take held events out of the ring. */
void ue__ring_release(struct ue__ring_reader *reader);
/* The order of references. */
int ue__ring_compare(const void *a, const void *b);
/* Nanoseconds a count, at the moment when a page was opened. */
double ue__ring_page_rate(struct ue__ring_reader *reader,
			  const struct ue__ring_page *page);
/* The wall clock at this time of CLOCK_MONOTONIC, as a page has it. */
int64_t ue__ring_wall_time(struct ue__ring_reader *reader,
			   const struct ue__ring_page *page, int64_t time);
uint32_t ue__ring_boot_of_page(const struct ue__ring_reader *reader,
			       const struct ue__ring_page *page);
/*
 * The name of a thread of a process, the owner of pages; valid until many others were
 * asked for.
 */
const char *ue__ring_thread_name(struct ue__ring_reader *reader, uint32_t owner,
				 uint32_t tid);
/* Copy the name of a process or a thread, of 16 bytes, and end it. */
void ue__ring_copy_name(char *to, const char *from);
/* Does the page still have this number? If so, earlier reads of it are right. */
int ue__ring_is_page(const struct ue__ring_reader *reader, uint32_t index,
		     uint32_t number);
/* Events of this page that were lost and not reported yet. */
uint32_t ue__ring_loss_before(const struct ue__ring_reader *reader, uint32_t index,
			      const struct ue__ring_page *page);

#endif
