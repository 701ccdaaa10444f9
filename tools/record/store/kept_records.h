/* SPDX-License-Identifier: MIT */
/* Names of threads and groups, the records that give them, and the last records. */
#ifndef UE__TOOLS_RECORD_STORE_KEPT_RECORDS_H
#define UE__TOOLS_RECORD_STORE_KEPT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "read/perf/perf_input.h"

/*
 * The names of threads after some records of perf: those that a file that begins there
 * must repeat, as the records that gave the names are not in it.
 *
 * The rings of processors are read one after the other, so a record may come after a later
 * one of another processor, and the end of a thread before its begin. The later name counts,
 * and the name of a thread that ended stays for two more rounds.
 */

#define THREAD_NAME_SIZE 16

struct thread_name {
	uint32_t tid;
	uint32_t pid;
	uint64_t time; /* from which on the name is valid */
	uint32_t ended; /* the round in which it ended, counted from 1; 0: it runs */
	uint64_t end;	/* when */
	char name[THREAD_NAME_SIZE];
	char before[THREAD_NAME_SIZE]; /* the name until then; "": not known */
};

struct thread_names {
	struct thread_name *threads;
	uint32_t count, room;
	struct key_table by_tid;
	uint32_t round;
};

/*
 * Take any record of perf; those that change no name are ignored. time_at: where its time
 * is, in bytes from its end.
 */
void thread_names_take(struct thread_names *names, const uint8_t *record, size_t time_at);
/* The name of a thread at a time, or NULL. */
const char *thread_names_find(const struct thread_names *names, uint32_t tid, uint64_t time);
/* Whether a file that begins now must repeat the name. */
int thread_name_counts(const struct thread_names *names, const struct thread_name *thread);
void thread_names_free(struct thread_names *names);

/*
 * The names of threads and control groups that exist already. The kernel records only
 * those that begin, or change their name, later. A recording, and each file of several,
 * begins with these records; their time is 0, before all events.
 */

/* Add a record for each, or for each mapping of code. id: of the dummy (perf_rings.h). */
void existing_code_add(struct bytes *bytes, uint64_t id);
void existing_threads_add(struct bytes *bytes, uint64_t id);
void existing_cgroups_add(struct bytes *bytes, uint64_t id);
/* ... of one thread, or process; nothing if it has ended. */
void existing_thread_add(struct bytes *bytes, uint64_t id, uint32_t pid, uint32_t tid);
void existing_code_of(struct bytes *bytes, uint64_t id, uint32_t pid);

/* Records that the recorder adds to those of the kernel. */

/*
 * Add a record as the dummy (perf_rings.h) would write it: its end has process and thread,
 * time and processor, which are 0, and the id of the dummy.
 *
 * who: process and thread, 4 bytes each. The content's length is a multiple of 8.
 */
void made_record_add(struct bytes *bytes, uint32_t type, const void *content,
		     size_t length, uint64_t who, uint64_t id);

/* The records that name control groups. */

struct group_records {
	struct bytes records; /* the bytes of all */
	struct key_table places; /* in them, by the group's id, in units of 8 bytes */
};

struct known_groups {
	struct group_records now, before;
};

/*
 * No record says that a group ended. So begin again, and take the records of those that exist:
 * the others are known until this is called once more.
 */
void known_groups_turn(struct known_groups *groups);
/* The path of a group, or NULL; valid until the next call. */
const char *known_groups_find(const struct known_groups *groups, uint64_t id);

/* It includes the code that processes have mapped, if that is recorded. */
struct known_names {
	struct thread_names threads;
	struct known_groups groups;
	struct code_maps code;
};

/*
 * Take any record of perf; those that name nothing are ignored. time_at: where its time is,
 * in bytes from its end.
 */
void known_names_take(struct known_names *names, const uint8_t *record, size_t time_at);
/* ... and all of several records. */
void known_names_take_all(struct known_names *names, const struct bytes *records,
			  size_t time_at);
/* Records of these names, as an event with this id would write them. */
void known_names_write(const struct known_names *names, uint64_t id, struct bytes *bytes);
void known_names_free(struct known_names *names);

/*
 * The last records of a recording, in memory of a fixed size (record --overwrite): a new
 * one takes the place of the oldest.
 *
 * The rings of processors are read one after the other, so the oldest place has not always
 * the oldest time: when a sample goes, earlier ones of other processors may stay. The
 * latest time of all samples that went is known, so a reader leaves out those up to it,
 * and the rest has every event from its first one on.
 */

struct kept_records {
	uint8_t *at;
	size_t size;  /* a multiple of 8, so that no header is cut in two */
	size_t begin; /* of the oldest record */
	size_t length;
	uint8_t *whole; /* a record that is cut in two, in one piece */
	/* Called for each record that goes; sets the latest time of those that went. */
	void (*drop)(void *context, const uint8_t *record);
	void *context;
};

/* size: at least that of the largest record, 64k. */
void kept_records_open(struct kept_records *kept, uint64_t size,
		       void (*drop)(void *context, const uint8_t *record), void *context);
/* Add whole records. */
void kept_records_add(struct kept_records *kept, const uint8_t *bytes, size_t length);
/*
 * The record at a distance from the oldest one, valid until the next call; NULL at the
 * end. Moves the distance to the next one.
 */
const uint8_t *kept_records_next(struct kept_records *kept, size_t *distance);
/* Drop all. */
void kept_records_empty(struct kept_records *kept);
void kept_records_free(struct kept_records *kept);

#endif
