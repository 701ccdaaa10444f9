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

#endif
