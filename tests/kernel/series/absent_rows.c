/* SPDX-License-Identifier: MIT */
/*
 * Asks about writes whose payload is not in memory yet.
 *
 * The kernel reads one byte of each page of a payload, which may take time, and then
 * copies the payload without waiting for pages. A page that userfaultfd has to bring makes
 * the first step wait, so this program decides the steps before the second.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "absent_page.h"
#include "instance.h"
#include "surprises.h"

/* The three fields are on pages of their own. */
static long write_thirds(struct event *event, char *first, char *second, char *third)
{
	struct iovec parts[] = {
		{ &event->write_index, sizeof(event->write_index) },
		{ first, 8 },
		{ second, 8 },
		{ third, 8 },
	};

	return writev(event->fd, parts, 4);
}

static char *second_page;

static void discard_second_page(void)
{
	madvise(second_page, PAGE, MADV_DONTNEED);
}

/* Records lie in the buffer of their processor. */
static void stay_on_processor(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
}

/*
 * The second page is present when the kernel reads it, and gone when it copies it: the
 * third has to be brought in between. An event before left a text where the second field
 * of this one lies in the buffer.
 */
static void half_of_payload(void)
{
	struct event event = {
		.definition = "ue_half char[8] first; char[8] second; char[8] third",
		.name = "ue_half",
	};
	struct absent_page absent = { .before = discard_second_page };
	char *first = strcpy(map_page(), "first");
	const char *said;
	int count;

	stay_on_processor();
	set_up_event(&event);
	put_event(&event, "enable", "1");
	write_payload(&event, "before1\0EARLIER\0before3", 24);
	empty_instance();
	second_page = strcpy(map_page(), "second");
	make_absent_page(&absent);
	said = verdict(write_thirds(&event, first, second_page, absent.page));
	pthread_join(absent.thread, NULL);
	put_event(&event, "enable", "0");
	count = count_records();
	answer("%s, %d recorded%s", said, count,
	       count_text("EARLIER") ? " with bytes of an earlier one" : "");
	clean_up_event(&event);
}

static sem_t is_waiting, may_go_on;

static void wait_for_other_write(void)
{
	sem_post(&is_waiting);
	sem_wait(&may_go_on);
}

struct writer {
	struct event *event;
	const char *payload;
};

static void *write_once(void *argument)
{
	struct writer *writer = argument;

	write_payload(writer->event, writer->payload, 8);
	return NULL;
}

/* A write that has to wait for the other one takes as long as the page does not come. */
static int ends_meanwhile(pthread_t thread)
{
	struct timespec deadline;
	int result;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 5;
	result = pthread_timedjoin_np(thread, NULL, &deadline);
	sem_post(&may_go_on);
	if (result)
		pthread_join(thread, NULL);
	return !result;
}

static void two_threads_write(void)
{
	struct event event = {
		.definition = "ue_threads char[8] a",
		.name = "ue_threads",
	};
	struct absent_page absent = { .before = wait_for_other_write };
	struct writer slow = { .event = &event }, quick = { &event, "quick\0\0" };
	pthread_t slow_thread, quick_thread;
	int at_once;

	sem_init(&is_waiting, 0, 0);
	sem_init(&may_go_on, 0, 0);
	set_up_event(&event);
	put_event(&event, "enable", "1");
	make_absent_page(&absent);
	slow.payload = absent.page;
	pthread_create(&slow_thread, NULL, write_once, &slow);
	sem_wait(&is_waiting);
	pthread_create(&quick_thread, NULL, write_once, &quick);
	at_once = ends_meanwhile(quick_thread);
	pthread_join(slow_thread, NULL);
	pthread_join(absent.thread, NULL);
	answer("the second %s, %d recorded", at_once ? "does not wait" : "waits",
	       count_records());
	clean_up_event(&event);
}

const struct surprise absent_surprises[] = {
	{ "half-payload", "writing a payload with a page that vanishes meanwhile",
	  half_of_payload },
	{ "threads-write", "writing while another thread's write waits for its payload",
	  two_threads_write },
	{ 0 },
};
