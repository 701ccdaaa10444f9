/* SPDX-License-Identifier: MIT */
/* The tracks that events were written to lately. */
#ifndef UE__TOOLS_EXPORT_PERFETTO_TABLE_H
#define UE__TOOLS_EXPORT_PERFETTO_TABLE_H

#include <stdint.h>

#include "export/tree/hash_seed.h"

enum perfetto_track_kind {
	TRACK_OF_PROCESS,
	TRACK_OF_THREAD,
	TRACK_OF_ACTIVITY,
};

struct perfetto_track {
	uint64_t key[2]; /* of its kind */
	uint64_t uuid;	 /* 0: not in use */
	uint64_t parent; /* uuid; 0: none */
	uint64_t name_hash; /* of a thread or a process, whose names change */
	uint64_t label_hash; /* of a process, whose pid may return in another container */
	char name[32]; /* of a process: a thread's, as its own is not known; or "" */
	uint32_t open; /* slices of an activity */
	uint8_t kind; /* enum perfetto_track_kind */
	uint8_t depth; /* of an activity: those that it is within */
};

/* Memory is bounded: tracks without an event among the last TRACKS_MAX or so are forgotten. */
#define TRACKS_MAX 32768u

/* A hash table. */
struct perfetto_slots {
	struct perfetto_track *at;
	uint32_t count; /* a power of two, or 0 */
	uint32_t used;
	struct hash_seed seed;
};

/* When the young one is full, the old one is forgotten. Zero it before the first use. */
struct perfetto_table {
	struct perfetto_slots young, old;
};

/* The track of this kind and key. NULL: it is new, or was forgotten. Valid until the next call. */
struct perfetto_track *perfetto_table_find(struct perfetto_table *table,
					   const struct perfetto_track *like);
/* Add a track that was not found. Valid until the next call. */
struct perfetto_track *perfetto_table_add(struct perfetto_table *table,
					  const struct perfetto_track *track);
/* Call it for each track that is not forgotten; it may change the track. */
void perfetto_table_each(struct perfetto_table *table,
			 void (*call)(struct perfetto_track *track, void *argument),
			 void *argument);
void perfetto_table_free(struct perfetto_table *table);

#endif
