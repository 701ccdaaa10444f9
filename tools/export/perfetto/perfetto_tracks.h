/* SPDX-License-Identifier: MIT */
/* The tracks that events were written to lately. */
#ifndef UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACKS_H
#define UE__TOOLS_EXPORT_PERFETTO_PERFETTO_TRACKS_H

#include <stdint.h>

#include "export/tree/exported_event.h"
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

/*
 * The tracks of a trace: one for each process, thread and activity, described when its first
 * event arrives. A thread's track is under its process's, an activity's under that of its
 * parent, or of the thread that began it.
 */

/*
 * Activities deeper than this stand beside their parents: the page of Perfetto has to show
 * them, and old versions follow no more than ten parents.
 */
#define ACTIVITY_DEPTH_MAX 8

struct perfetto_tracks {
	struct hash_seed seed;
	struct perfetto_table threads; /* and processes */
	struct perfetto_table activities;
	uint64_t activity_count; /* so far */
	int is_other_known, is_lost_known; /* these tracks are described */
	/* The thread of the event before, as that of the next is often the same: */
	uint64_t last_origin; /* its serial; 0: there was none */
	uint32_t last_tid;
	char last_comm[32];
	uint64_t last_thread; /* uuid */
	struct clean_texts comms;
};

void perfetto_tracks_begin(struct perfetto_tracks *tracks);
/*
 * The track of the event's thread. Appends descriptions of it and of its process if they are
 * new, or have other names.
 */
uint64_t perfetto_thread_track(struct perfetto_tracks *tracks,
			       const struct exported_event *event, struct bytes *trace);
/*
 * The track of the event's activity, of which it must have one; valid until the next call.
 * thread: the track of the event's thread.
 */
struct perfetto_track *perfetto_activity_track(struct perfetto_tracks *tracks,
					       const struct exported_event *event,
					       uint64_t thread, struct bytes *trace);
/* The track that shows where events are missing. */
uint64_t perfetto_lost_track(struct perfetto_tracks *tracks, struct bytes *trace);
/*
 * After the last event: name the processes of which only other threads than the first were
 * seen, by one of those, as Perfetto keeps the first name of a process.
 */
void perfetto_name_processes(struct perfetto_tracks *tracks, struct bytes *trace);
void perfetto_tracks_free(struct perfetto_tracks *tracks);

#endif
