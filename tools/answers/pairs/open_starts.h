/* SPDX-License-Identifier: MIT */
/*
 * Events that started something which has not ended yet, found by a key. Several may have the
 * same key. When there is no room for another one, the oldest is dropped.
 */
#ifndef UE__TOOLS_ANSWERS_PAIRS_OPEN_STARTS_H
#define UE__TOOLS_ANSWERS_PAIRS_OPEN_STARTS_H

#include "common/cli/memory.h"
#include "common/events/field.h"
#include "common/records/record.h"

/* Bytes of the events and of their keys; with structs around them about twice as much. */
#define OPEN_STARTS_BYTES ((uint64_t)64 << 20)
/*
 * Hostile keys may all have one hash. A search that passes so many others drops the next one,
 * so that it does not take long.
 */
#define OPEN_STARTS_PASSED_MAX 1000u

struct open_start {
	uint64_t hash;
	struct value key;
	struct value by;      /* the group; VALUE_NONE without one */
	struct record record; /* a copy */
	uint8_t *memory;      /* that all of these use */
	size_t size;
	/* Indexes, each 1 higher; 0: none */
	uint32_t next, previous; /* with the same place in the table, the newest first */
	uint32_t newer, older;	 /* of all; of unused ones newer is the next */
};

struct open_starts {
	uint32_t most;
	uint32_t count;	  /* that are open */
	uint64_t dropped; /* for want of room */
	uint64_t bytes;
	struct open_start *items;
	uint32_t used; /* items that are or were open */
	uint32_t unused;
	uint32_t newest, oldest;
	uint32_t *table; /* a power of two of indexes */
	uint32_t table_size;
};

/* The newest one with this key, or NULL; valid until the next one is added. */
struct open_start *open_starts_find(struct open_starts *starts, const struct value *key);
/* Add one, with copies of all this. */
void open_starts_add(struct open_starts *starts, const struct value *key,
		     const struct value *by, const struct record *record);
void open_starts_remove(struct open_starts *starts, struct open_start *start);
void open_starts_free(struct open_starts *starts);

/* The pairs of events that took longest, with their text. */

#define SLOWEST_MAX 1000u

struct slow_pair {
	int64_t nanoseconds;
	struct bytes start; /* a line of text, or a JSON object */
	struct bytes end;
};

struct slowest_pairs {
	uint32_t most;
	int is_json;
	uint32_t count;
	struct slow_pair *items; /* the slowest first */
};

/* Keep a pair if it is one of the slowest. */
void slowest_pairs_offer(struct slowest_pairs *slowest, int64_t nanoseconds,
			 const struct record *start, const struct record *end);
void slowest_pairs_free(struct slowest_pairs *slowest);

#endif
