/* SPDX-License-Identifier: MIT */
/*
 * Pairs events that start something with those that end it, for all answers and exports alike:
 *
 * - An EventHeader event with the opcode start or stop is a start or an end, unless the user
 *   has names for them.
 * - Its key is its activity, unless that is all zeros; otherwise its thread; or a field.
 * - An end belongs to the newest open start with its key. Calls of a thread nest, so several
 *   of its starts may be open. A further start with another key replaces the one before,
 *   which never ends.
 * - A pair takes as long as the recording's clock says, as the wall clock may be set; without
 *   one the wall clock counts. A pair that ended before it started, or whose times are of
 *   different clocks, has no duration: neither of the two can be in another pair.
 * - An event without a time or a key is neither a start nor an end.
 * - Memory is bounded: the oldest start is dropped. Slots of the hash table are chosen by
 *   random numbers, so no recording can have keys that meet in one slot.
 */
#ifndef UE__TOOLS_COMMON_PAIRS_PAIRS_H
#define UE__TOOLS_COMMON_PAIRS_PAIRS_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "common/events/field.h"
#include "common/events/recorded_event.h"
#include "common/cli/key_table.h"

enum pair_key {
	PAIR_BY_EITHER, /* the activity if the event has one, otherwise the thread */
	PAIR_BY_FIELD,
	PAIR_BY_ACTIVITY,
	PAIR_BY_THREAD,
};

/* Bits: with equal names of start and end, an event is both. */
enum pair_role { PAIR_NEITHER = 0, PAIR_START = 1, PAIR_END = 2 };

/* Why a start leaves. */
enum pair_fate {
	START_ENDED,	   /* after the user got it as struct pair's ended */
	START_REPEATED,    /* another one has its key */
	START_DROPPED,	   /* for want of space */
	START_NEGATIVE,	   /* its end is earlier */
	START_OTHER_CLOCK, /* its end has a time of another clock */
	START_NEVER_ENDED, /* pairs_end() */
	START_FREED,	   /* pairs_free() */
};

/* Limits unless the user has others: open starts; bytes of their keys and data. */
#define PAIRS_MOST 65536u
#define PAIRS_BYTES ((uint64_t)64 << 20)

struct open_start {
	struct value key;
	int is_nested; /* the key is a thread */
	int is_wall_clock, has_clock_time;
	int64_t time, clock_time;
	size_t bytes;
	struct open_start *newer, *older; /* of all */
	/* Own */
	uint64_t hash;
	struct open_start *next, **link; /* with the same slot, the newest first; or spare */
	int is_large; /* as its key is long */
	alignas(max_align_t) uint8_t data[]; /* the user's, then the bytes of the key */
};

/*
 * Zero it, and set the options before the first event. Reading an event of a mapped file may
 * end anywhere (read/source): then the data of a start may be as the user left it, or zeros.
 */
struct pairs {
	/* Options */
	enum pair_key key;
	uint32_t most;	     /* 0: PAIRS_MOST */
	uint64_t bytes_most; /* 0: PAIRS_BYTES */
	size_t data_size;    /* of the user's data of an open start, all zeros at first */
	void *asked;	     /* the argument of these functions: */
	int (*role)(void *asked, struct event *event); /* returns enum pair_role; NULL: opcodes */
	/* The key of PAIR_BY_FIELD: 1, or 0 without one. */
	int (*field)(void *asked, struct event *event, struct value *key);
	void *context;	     /* the argument of leave(), which may be NULL */
	/* A start leaves: the memory of its data is to be freed. */
	void (*leave)(void *context, struct open_start *start, enum pair_fate fate);
	/* Events */
	uint64_t starts, ends;
	uint64_t without_key, without_time;
	uint64_t without_start; /* ends */
	uint64_t by_activity, by_thread; /* ends with a start */
	/* Starts by their fates */
	uint64_t repeated, dropped, negative, other_clock;
	/* Open starts */
	uint32_t count;
	uint64_t bytes; /* of keys and data; users add memory that the data of several shares */
	struct open_start *newest, *oldest;
	/* Own */
	struct open_start *ended; /* the last one, which leaves before the next */
	struct open_start *spare; /* starts that left */
	struct start_block *blocks; /* memory of many starts, the newest first */
	uint32_t carved; /* starts of that one */
	struct open_start **table; /* a power of two of slots */
	uint32_t table_size;
};

/* An event's part in pairs. */
struct pair {
	int role;     /* bits of enum pair_role */
	int is_keyed; /* it has a time and a key, so it was counted as a start or an end */
	struct open_start *ended; /* an end: its start, valid until the next start or end */
	int64_t nanoseconds;	  /* from that to the end */
	struct open_start *opened; /* a start: whose data is to be filled */
};

/* The opcodes start and stop. */
static inline int pair_role_of(const struct event *event)
{
	const int opcode = event->info ? event->info->opcode : UE_OPCODE_INFO;

	return opcode == UE_OPCODE_ACTIVITY_START ? PAIR_START :
	       opcode == UE_OPCODE_ACTIVITY_STOP  ? PAIR_END : PAIR_NEITHER;
}

/* An event with a role. */
void pairs_take_part(struct pairs *pairs, struct event *event, struct pair *pair);

/* Take an event: its role. Inline, as most events have none. */
static inline int pairs_take(struct pairs *pairs, struct event *event, struct pair *pair)
{
	*pair = (struct pair){
		.role = pairs->role ? pairs->role(pairs->asked, event) : pair_role_of(event),
	};
	if (pair->role)
		pairs_take_part(pairs, event, pair);
	return pair->role;
}

/* Say how many more bytes the data of an open start has; drops starts for which that is too much. */
void pairs_weigh(struct pairs *pairs, struct open_start *start, size_t bytes);
/*
 * The thread of an event as a key, with its process, as several files may come from machines
 * that have threads of one number: 1, or 0 without one.
 */
int event_thread(const struct event *event, struct value *key);
/* The newest open start with the key of an event, which happened within it; or NULL. */
struct open_start *pairs_around(struct pairs *pairs, struct event *event);
/* The open start of an activity, unless starts have other keys; or NULL. */
struct open_start *pairs_of_activity(const struct pairs *pairs, const uint8_t *id);
/* The start of the same thread that one is within; or NULL. */
struct open_start *open_start_around(const struct open_start *start);
/* How long it is open at the time of a record: 0, or -1 if the times cannot be compared. */
int open_start_age(const struct open_start *start, const struct record *now,
		   int64_t *nanoseconds);
/* Called after the last event: all open starts leave, the oldest first. */
void pairs_end(struct pairs *pairs);
/* Report dropped starts. advice: "; --max-open N keeps more", or "". */
void pairs_report(const struct pairs *pairs, const char *advice);
void pairs_free(struct pairs *pairs);

/*
 * Which activity is a child of which: an event that names a related activity makes its own a
 * child of that, usually its start.
 *
 * A recording chooses the ids. So an activity has the first parent that it names, never itself
 * or one of its descendants, and FAMILY_DEPTH ancestors are followed at most. Ids may be reused:
 * a start after the end, or one that names another parent, begins a new activity, of which the
 * children of the former one are not. Memory is bounded: of FAMILIES_MOST activities, those that
 * ended leave first.
 */

#define FAMILIES_MOST 131072u
#define FAMILY_DEPTH 16u
#define FAMILY_NONE UINT32_MAX

struct family_member {
	uint8_t id[ACTIVITY_SIZE];
	uint32_t parent;	    /* its place; FAMILY_NONE: it has none */
	uint32_t parent_generation; /* another one is at that place now unless they are equal */
	uint32_t generation;
	int is_ended;
};

/* Zero it before the first use. */
struct families {
	uint64_t forgotten; /* activities that had not ended */
	uint64_t circles, too_deep; /* events of which a parent was not followed */
	/* Own */
	struct family_member *members;
	uint32_t count, hand;
	struct key_table by_id;
};

/* Take an event, before its place is asked for. */
void families_see(struct families *families, const struct event *event);
/* The place of an event's activity, if it has a parent or a child; or FAMILY_NONE. */
uint32_t family_of(const struct families *families, const struct event *event);
/* That of the parent, or FAMILY_NONE. */
uint32_t family_parent(const struct families *families, uint32_t member);
static inline const uint8_t *family_id(const struct families *families, uint32_t member)
{
	return families->members[member].id;
}
/* It changes when the id is reused. FAMILY_NONE: 0. */
uint32_t family_generation(const struct families *families, uint32_t member);
/* Report activities that were not followed. */
void families_report(const struct families *families);
void families_free(struct families *families);

#endif
