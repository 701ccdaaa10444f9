/* SPDX-License-Identifier: MIT */
/* The thread that makes requests to the kernel (Linux 6.4 and later). */
#ifndef UE__KERNEL_LINEAGE_H
#define UE__KERNEL_LINEAGE_H

#include <semaphore.h>

/* One per process. */
struct ue__lineage {
	enum { UE__UNDECIDED, UE__EVERY_THREAD, UE__OWN_THREAD } who;
	/* dlclose() can unmap the library's code, so it cannot have a thread. */
	int can_be_unloaded;
	/* Called in the child of a fork. */
	int was_copied;
	int is_asked; /* and this was the answer: */
	int answer;
	/* The request to the library's own thread; the lock admits one at a time. */
	int is_serving;
	int (*function)(void *);
	void *argument;
	int result;
	sem_t wanted, done;
};

/*
 * Decide, if it is not decided yet; fd is a user_events_data of Linux 6.4 or later.
 * Under the lock. 0 or -errno: of pthread_create(3), or -EAGAIN if the library needs a
 * thread and can_be_unloaded.
 */
int ue__lineage_begin(struct ue__lineage *lineage, int fd);

/* 1 if there are other threads, so that none can be every thread's lineage. */
int ue__lineage_is_too_late(void);

/*
 * Call a function in the lineage that the registrations are kept with. Under the lock. The
 * function may do the same: it is in the right thread already.
 */
int ue__in_lineage(struct ue__lineage *lineage, int (*function)(void *), void *argument);

/* Called first in the child of a fork. */
void ue__lineage_forked(struct ue__lineage *lineage);

/*
 * Then decide again, once, as the kernel may have had no memory to copy the lineage. fd
 * as above. Under the lock.
 *
 * 0: register everything again. 1: requests to the kernel are denied, and it has copied
 * the registrations. -errno as of ue__lineage_begin().
 */
int ue__lineage_again(struct ue__lineage *lineage, int fd);

#endif
