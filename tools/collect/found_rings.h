/* SPDX-License-Identifier: MIT */
/*
 * The rings that a collector reads: those of files, and those of programs at its door. Their
 * programs are not trusted.
 */
#ifndef UE__TOOLS_COLLECT_FOUND_RINGS_H
#define UE__TOOLS_COLLECT_FOUND_RINGS_H

#include <userevents/capture.h>
#include <userevents/loss.h>

#include "collector.h"
#include "common/cli/memory.h"
#include "common/records/ring_record.h"
#include "door/ring_door.h"
#include "metrics/metrics.h"
#include "read/stream/stream.h"
#include "recording/ring_recording.h"

struct collected_ring {
	char *path; /* or its name in a message */
	dev_t device;
	ino_t inode;
	int64_t since; /* wall clock: older events of a ring that overwrites are not read */
	int fd;	       /* -1: it could not be read */
	int error;     /* why, as was reported; 0: it could be */
	int64_t tried; /* when that was, by CLOCK_MONOTONIC */
	struct ue_capture *capture;
	int may_hold;	/* events stay in it until the collector has them in files */
	int is_holding; /* and it does */
	uint64_t held;	/* bytes of these, about */
	int is_short;	/* of space, when that was looked at */
	uint64_t bytes; /* of the ring */
	struct ring_events events;
	struct ring_recording *recording; /* NULL: none */
	struct written_ring *written;	  /* in that, while there is a capture */
	int64_t pass;	/* when the pass over it began, by the wall clock; 0: none */
	int is_passed;	/* it ended in this turn */
	int has_passed; /* one that began in this round has ended */
	struct kept_ring *kept;	     /* what it had lost when that was counted; NULL: not yet */
	struct kept_ring own;	     /* if there is no room for that */
	struct source_losses losses; /* that the capture saw by itself, counted so far */
	struct source_losses turn;   /* lost, and not yet counted for the collector */
	int is_damaged;		     /* its contents contradict each other */
	const char *why_damaged;     /* which was not reported yet; NULL: it was */
	uint64_t believed;	     /* losses of a damaged ring so far */
	uint64_t capacity;	     /* events that it can hold at most */
	uint64_t room;		     /* losses that it can have had, and not counted yet */
	int64_t room_at;	     /* when that was so, by CLOCK_MONOTONIC */
	int is_counted;		     /* the rest in it, by collected_ring_count_left() */
	uint64_t untold;	     /* losses that were counted, and no event said so */
	uint64_t definitions;	     /* of events, so far */
	int64_t last;		     /* when it was found, or an event came: CLOCK_MONOTONIC */
	struct door_guest *guest;    /* whose ring it is; NULL: that of a file */
	int is_over;		     /* no program will write to it any more */
	int is_done;		     /* nor is anything left in it */
};

/* Between these, memory that becomes shorter ends only the reading of its ring. */
void collected_rings_guard(void);
void collected_rings_unguard(void);

/* Begin to read ring->fd; a file's losses are kept. 0 or -errno. */
int collected_ring_open(struct collected_ring *ring, struct kept_counts *kept);
/* The next event, its payload in copy: 1, or 0 if there is none. */
int collected_ring_next(struct collected_ring *ring, struct bytes *copy,
			struct ue_captured *event);
/* The same of a page, which is a copy: programs cannot change it. */
int collected_ring_next_page(struct collected_ring *ring, struct ue_captured_page *page);
/* Wait for an event, for so many milliseconds at most. */
void collected_ring_wait(struct collected_ring *ring, int milliseconds);
/* The events that were read leave the ring. */
void collected_ring_release(struct collected_ring *ring);
/* Find the losses of the ring since the last call. */
void collected_ring_count(struct collected_ring *ring);
/*
 * Add the findings at the end of a turn: as damaged, if the ring is; then no
 * more in all than it can hold.
 */
void collected_ring_settle(struct collected_ring *ring, struct metrics *metrics);
/*
 * What an event or a page says that was lost before it: no more than was counted. It may count for that,
 * and so leave the ring (ring->capture NULL), whose event ends with it.
 */
uint32_t collected_ring_loss_of(struct collected_ring *ring, uint64_t lost);
/* Whether a reader that takes events has left some. */
int collected_ring_has_events(struct collected_ring *ring);
/*
 * The same as collected_ring_count(), and for a ring that nobody reads afterwards, once: events
 * that programs were writing when they were killed, and those that are in it.
 */
void collected_ring_count_left(struct collected_ring *ring);
/* Read it no more, and close ring->fd. */
void collected_ring_leave(struct collected_ring *ring);

/* All of them */

/* A user whose programs have too much is reported no more often than this. */
#define SILENCE_NS ((int64_t)60 * 1000000000)

struct ring_source {
	struct collector *collector;
	const struct words *patterns;
	struct ring_door *door; /* NULL: none */
	struct ring_recording *recording; /* NULL: none */
	struct collected_ring **rings;
	size_t count;
	struct ticks ticks;
	int64_t next_look, next_complaint, next_number, next_damage;
	int has_looked; /* in this round */
	int has_begun;	/* the first look was */
	int64_t end;	/* of reading; 0: not yet known */
	struct bytes copy; /* of the event */
	uint64_t told;	   /* lost events of which the sink knows */
	uint64_t before;   /* lost before this collector */
	int64_t round;	   /* when it began, by the wall clock */
	uint64_t rounds;   /* that have ended */
	int64_t next_flush;
	int is_filling; /* some ring, fast, at the last look */
	int64_t next_store; /* into files, if rings hold events */
	uint64_t puts;	    /* requests when that was done last */
};

/* If rings hold events: all of them are in files then, and leave their rings. 0 or -1. */
int rings_store(struct ring_source *source);
/* Once a second: files that appeared and those that were removed; programs that ended. */
void rings_look(struct ring_source *source);
/* Those that the service manager kept for this collector. */
void rings_adopt(struct ring_source *source);
/* Let programs in that wait at the door; each ring has a descriptor of its own. */
void rings_admit(struct ring_source *source);
/*
 * Called at the end: let all in that wait, as their programs may have ended, and nobody else
 * will ever read them, in place of rings that are read to their end. Whether more of these
 * follow after another look at each.
 */
int rings_exchange(struct ring_source *source);
/* Called at the end: the service manager hears of rings that it did not yet hear of. */
void rings_tell_all(struct ring_source *source);
/*
 * Read it no more, count what is left in it, and free it: rings_store() was called since its last
 * event.
 */
void ring_part_with(struct ring_source *source, struct collected_ring *ring);
/* Whether something came within so many milliseconds. */
int is_readable(int fd, int milliseconds);

#endif
