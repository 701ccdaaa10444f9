/* SPDX-License-Identifier: MIT */
/* The rings that a collector reads: those of files, and those of programs at its door. */
#ifndef UE__TOOLS_COLLECT_FOUND_RINGS_H
#define UE__TOOLS_COLLECT_FOUND_RINGS_H

#include "collected_ring.h"
#include "collector.h"
#include "door/ring_door.h"
#include "read/stream/deliver.h"
#include "recording/ring_recording.h"

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
	int64_t next_look, next_complaint, next_number;
	int has_looked; /* in this round */
	int has_begun;	/* the first look was */
	int64_t end;	/* of reading; 0: not yet known */
	struct bytes copy; /* of the event */
	uint64_t told;	   /* lost events of which the sink knows */
	uint64_t before;   /* lost before this collector */
	int64_t round;	   /* when it began, by the wall clock */
	int64_t next_flush;
};

/* Once a second: files that appeared and those that were removed; programs that ended. */
void rings_look(struct ring_source *source);
/* Let programs in that wait at the door; each ring has a descriptor of its own. */
void rings_admit(struct ring_source *source);
/* Read it no more, count what is left in it, and free it. */
void ring_part_with(struct ring_source *source, struct collected_ring *ring);
/* Whether something came within so many milliseconds. */
int is_readable(int fd, int milliseconds);

#endif
