/* SPDX-License-Identifier: MIT */
/*
 * A page of memory that the kernel waits for, so that the program decides the events
 * meanwhile.
 */
#ifndef ABSENT_PAGE_H
#define ABSENT_PAGE_H

#include <pthread.h>

#define PAGE 4096

/* A page that comes when it is first touched, after a call of before(). */
struct absent_page {
	char *page;
	void (*before)(void);
	int faults; /* a userfaultfd */
	pthread_t thread;
};

char *map_page(void);

/* The caller has set before. The page begins with "content". */
void make_absent_page(struct absent_page *absent);

#endif
