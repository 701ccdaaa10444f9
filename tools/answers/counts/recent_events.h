/* SPDX-License-Identifier: MIT */
/*
 * The last events: copies, in a ring that grows, until the user forgets the oldest. Those with
 * the same key are in a chain, the newest first, in which others whose hash is the same are
 * passed over.
 */
#ifndef UE__TOOLS_ANSWERS_COUNTS_RECENT_EVENTS_H
#define UE__TOOLS_ANSWERS_COUNTS_RECENT_EVENTS_H

#include "common/events/field.h"
#include "common/records/record.h"

#define RECENT_CHAINS 65536u

/* For context.c: the last match of an event's key, it or one before it. */
struct match_before {
	int is_found;
	uint64_t since; /* events of its key since that */
	int64_t time;
};

struct recent_event {
	struct kept_record copy;
	size_t size;
	struct value key; /* with its text in the copy */
	uint64_t hash;
	uint64_t previous; /* of the chain, 1 higher; 0: none */
	/* For context.c: */
	uint64_t of; /* the first copy of this event, 1 higher; 0: it is itself */
	int is_passed_on;
	int is_covered; /* what may be wanted before it, of its chain, was passed on */
	struct match_before match;
	/* For gather_before.c of the report: */
	uint32_t depth;	     /* of its activity below the one that is the key; 0: it is another key */
	uint32_t generation; /* that of the key's activity then, or otherwise of its own */
};

/* Zeros are an empty one. */
struct recent_events {
	uint64_t oldest, next; /* numbers of those that are kept */
	uint64_t bytes;
	/* Own */
	struct recent_event *items; /* by number */
	uint64_t room;		    /* a power of two */
	uint64_t *chains;	    /* the newest with a hash, 1 higher; 0: none */
};

/* Events move when others are kept; numbers stay. */
struct recent_event *recent_at(const struct recent_events *recent, uint64_t number);
uint64_t recent_number(const struct recent_events *recent, const struct recent_event *kept);
/* The newest one from a place of a chain on that has the key; NULL: it is not kept. */
struct recent_event *recent_find(const struct recent_events *recent, uint64_t *place,
				 const struct value *key);
/* The newest one with the key, or NULL. */
struct recent_event *recent_last(const struct recent_events *recent, const struct value *key);
struct recent_event *recent_keep(struct recent_events *recent, const struct record *record,
				 const struct value *key);
/* There is one. */
void recent_forget(struct recent_events *recent);
void recent_forget_all(struct recent_events *recent);
void recent_free(struct recent_events *recent);

#endif
