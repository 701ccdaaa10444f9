/* SPDX-License-Identifier: MIT */
/*
 * Everything that the library keeps about its process. What each part means is said where
 * it is used. Under the lock, unless it says otherwise.
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
	/* The holder's, while it holds. */
	int cancel_state;
	sigset_t signals;
	/* How deep a fork is nested (in a handler of the fork), and which thread forks. */
	int forks;
	pthread_t forker;
};

/* 4 KiB: as many cache lines as threads are unlikely to meet on. */
#define UE__STRIPES 1024

/* in_flight.c: how many threads are writing, of those that a stripe is for. */
struct ue__writers {
	uint32_t stripes[2][UE__STRIPES] __attribute__((aligned(64)));
	uint32_t *entered; /* the stripes that writers enter; read without the lock */
	int is_other_void; /* the other stripes hold writes of a parent */
};

/* registration.c: three buckets for each registration, one for each of its keys. */
#define UE__KEYS 3
#define UE__FIRST_BITS 5

struct ue__table {
	struct ue__registration *first[UE__KEYS << UE__FIRST_BITS];
	struct ue__registration **buckets; /* as many for each key, one after the other */
	unsigned bits;
	size_t count;
};

struct ue__process {
	/* First: a tool finds it from outside. Writers walk it without the lock. */
	struct ue__session *sessions;
	struct ue__session *retired; /* closed ones that a writer may still use */
	uint64_t retirements;	     /* how many there were */
	struct ue__table table;
	struct ue__kernel kernel;
	const struct ue__back_end *const *back_ends; /* NULL ends them */
	int watches_forks;
	struct ue__writers writers;
	struct ue__process_lock lock;
};

/* In process_note.c. */
extern struct ue__process ue__process __attribute__((visibility("hidden")));

#endif
