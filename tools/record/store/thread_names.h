/* SPDX-License-Identifier: MIT */
/*
 * The names of threads after some records of perf: what a file that begins there must
 * repeat, as the records that gave the names are not in it.
 *
 * The rings of processors are read one after the other, so a record may come after a later
 * one of another processor, and the end of a thread before its begin. The later name counts,
 * and the name of a thread that ended stays for two more rounds.
 */
#ifndef UE__TOOLS_RECORD_STORE_THREAD_NAMES_H
#define UE__TOOLS_RECORD_STORE_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"

#define THREAD_NAME_SIZE 16

struct thread_name {
	uint32_t tid; /* 0: the place is free */
	uint32_t pid;
	uint64_t time; /* from which on the name is valid */
	uint32_t ended; /* the round in which it ended, counted from 1; 0: it runs */
	uint64_t end;	/* when */
	char name[THREAD_NAME_SIZE];
	char before[THREAD_NAME_SIZE]; /* the name until then; "": not known */
};

struct thread_names {
	struct thread_name *threads; /* by hash */
	size_t count;
	size_t room; /* a power of two, or 0 */
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

/* Add a record for each. id: of the dummy (perf_rings.h). */
void existing_threads_add(struct bytes *bytes, uint64_t id);
void existing_cgroups_add(struct bytes *bytes, uint64_t id);

/* Records that the recorder adds to those of the kernel. */

/*
 * Add a record as the dummy (perf_rings.h) would write it: its end has process and thread,
 * time and processor, which are 0, and the id of the dummy.
 *
 * who: process and thread, 4 bytes each. The content's length is a multiple of 8.
 */
void made_record_add(struct bytes *bytes, uint32_t type, const void *content,
		     size_t length, uint64_t who, uint64_t id);

#endif
