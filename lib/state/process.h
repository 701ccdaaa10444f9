/* SPDX-License-Identifier: MIT */
/*
 * Everything that the library keeps about its process. The lock protects it, except where
 * a comment says otherwise. The file that uses a part describes it.
 */
#ifndef UE__STATE_PROCESS_H
#define UE__STATE_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/back_end.h"

struct ue__registration;
struct ue__session;

/* lock.c */
struct ue__process_lock {
	pthread_mutex_t mutex;
	/* The state of the thread that holds the lock, before it locked. */
	int cancel_state;
	sigset_t signals;
	/* How deep forks are nested (in handlers of a fork), and the thread that forks. */
	int forks;
	pthread_t forker;
};

/*
 * in_flight.c: how many threads are writing. One stripe per cache line, and in it one
 * counter per set, as a writer enters one set. 8 KiB.
 */
#define UE__STRIPES 128
#define UE__STRIPE_SIZE 64
#define UE__SETS (UE__STRIPE_SIZE / sizeof(uint32_t))

struct ue__stripe {
	uint32_t writers[UE__SETS];
} __attribute__((aligned(UE__STRIPE_SIZE)));

struct ue__writers {
	uint32_t *entered;      /* in the first stripe: the set that writers enter, */
	unsigned char sets[2];  /* one of these two; read without the lock */
	unsigned char used;     /* sets that have ever been one of them */
};

/* registration.c: each registration is in three buckets, one for each of its keys. */
#define UE__KEYS 3
#define UE__FIRST_BITS 5

struct ue__table {
	struct ue__registration *first[UE__KEYS << UE__FIRST_BITS];
	struct ue__registration **buckets; /* the same number for each key */
	unsigned bits;
	size_t count;
	struct ue__registration *unused; /* memory of former registrations */
};

struct ue__process {
	/* The same as struct ue_noted_library. */
	const struct ue__process *self;
	struct ue__session *sessions; /* writers walk it without the lock */
	struct ue__session *retired; /* closed ones that a writer may still use */
	uint64_t retirements;	     /* how many there were */
	struct ue__table table;
	struct ue__kernel kernel;
	const struct ue__back_end *const *back_ends; /* NULL ends them */
	int watches_forks;
	struct ue__writers writers;
	struct ue__process_lock lock;
};

/* Defined in process_note.c. */
extern struct ue__process ue__process __attribute__((visibility("hidden")));
/* Not in there: it starts as zeros, so no file has it. */
extern struct ue__stripe ue__stripes[UE__STRIPES] __attribute__((visibility("hidden")));

#endif
