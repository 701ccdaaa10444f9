/* SPDX-License-Identifier: MIT */
/*
 * How threads and processes that write at the same time scale, on a machine with two
 * processors. Prints ratios of events per second, the median of several rounds. A round
 * measures every way once, so that a busy host slows all of them.
 *
 * scaling: of the kernel; scaling rings: of rings, which need no kernel.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "kernel/system_call.h"
#include "state/binding.h"
#include "measure.h"

#define ENABLE "/sys/kernel/tracing/events/user_events/bench_scaling/enable"
#define ROUNDS 41
#define ROUND_MS 60
#define WORKERS 4
/* Each worker of a round fills its ring before it begins, so that pages are overwritten. */
#define RING_BYTES UE_RING_BYTES_DEFAULT
#define RING_EVENTS (RING_BYTES / 24)

UE_EVENT(bench_scaling, UE_U32(a));
UE_EVENT(bench_scaling_ring, UE_U32(a));

static int session, ring_session;

/* Shared with the processes of a round. */
static struct shared {
	int ready, go, stop;
	uint64_t events[WORKERS][8]; /* a cache line each */
} *shared;

enum way {
	OWN_SESSIONS,
	THREAD,
	THREADS_2,
	THREADS_4,
	FORKED,
	WRITE_2,
	PWRITE_2,
	OWN_PWRITE,
	OWN_RINGS,
	RING_THREAD,
	RING_THREADS_2,
	RING_THREADS_4,
	RING_FORKED,
	WAYS
};

static int is_ring(enum way way)
{
	return way >= OWN_RINGS;
}

/* The system call that writes an event; 0: the library does. */
static long how_of(enum way way)
{
	if (way == PWRITE_2 || way == OWN_PWRITE)
		return SYS_pwrite64;
	return way == WRITE_2 ? SYS_write : 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void write_to_ring(void)
{
	if (UE_WRITE(ring_session, bench_scaling_ring, 1))
		fail("cannot write an event into a ring");
}

static void write_event(long how, const uint32_t record[2])
{
	if (how ? ue__system_write((uint32_t)how, session, record, 8) != 8 :
		  UE_WRITE(session, bench_scaling, 1))
		fail("cannot write an event: the kernel refuses it");
}

static void wait_for_go(void)
{
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
		sched_yield();
}

static int is_stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static void work_on_ring(int index)
{
	uint64_t events = 0;

	for (unsigned i = 0; i < RING_EVENTS; i++)
		write_to_ring();
	wait_for_go();
	for (; !is_stopped(); events++)
		write_to_ring();
	shared->events[index][0] = events;
}

static void work_on_kernel(int index, long how)
{
	const uint64_t binding = ue__binding_of(UE_EVENT_OF(bench_scaling));
	const uint32_t record[2] = { ue__binding_index(binding), 1 };
	uint64_t events = 0;

	wait_for_go();
	for (; !is_stopped(); events++)
		write_event(how, record);
	shared->events[index][0] = events;
}

static void work(int index, enum way way)
{
	if (is_ring(way))
		work_on_ring(index);
	else
		work_on_kernel(index, how_of(way));
}

static void *work_in_thread(void *index_and_way)
{
	const int both = (int)(intptr_t)index_and_way;

	work(both % WORKERS, (enum way)(both / WORKERS));
	return NULL;
}

static void open_own_session(void)
{
	if (ue_unregister(UE_EVENT_OF(bench_scaling)))
		fail("cannot unregister the event in a child");
	session = ue_open(NULL);
	if (ue_register(session, UE_EVENT_OF(bench_scaling)))
		fail("cannot register the event in a child");
}

static void open_ring(void)
{
	const struct ue_ring_opts ring = { .size = sizeof(ring), .bytes = RING_BYTES };
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	opts.fd = ue_ring_create(NULL, &ring);
	ring_session = ue_open(&opts);
	if (ue_register(ring_session, UE_EVENT_OF(bench_scaling_ring)))
		fail("cannot register the event in a ring");
}

static void open_own_ring(void)
{
	if (ue_unregister(UE_EVENT_OF(bench_scaling_ring)))
		fail("cannot unregister the event of a ring in a child");
	open_ring();
}

static pid_t start_process(enum way way, int index)
{
	pid_t child = fork();

	if (child)
		return child;
	if (way == OWN_SESSIONS || way == OWN_PWRITE)
		open_own_session();
	if (way == OWN_RINGS)
		open_own_ring();
	if (!is_ring(way) && !ue_enabled(UE_EVENT_OF(bench_scaling)))
		fail("the event is disabled in a child");
	work(index, way);
	_exit(0);
}

/* Lets the workers run; the events per second of all. */
static double count(int workers, const pid_t *children, const pthread_t *threads)
{
	const struct timespec round = { .tv_nsec = ROUND_MS * 1000000 };
	uint64_t begin, events = 0;
	double time;

	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < workers)
		usleep(1000);
	begin = now();
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	nanosleep(&round, NULL);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	time = (double)(now() - begin);
	for (int i = 0; i < workers; i++) {
		int status = 0;

		if (children ? waitpid(children[i], &status, 0) < 0 || status :
			       pthread_join(threads[i], NULL))
			fail("a worker failed");
		events += shared->events[i][0];
	}
	return (double)events / time * 1e9;
}

static int workers_of(enum way way)
{
	switch (way) {
	case THREAD:
	case RING_THREAD:
		return 1;
	case THREADS_4:
	case RING_THREADS_4:
		return 4;
	default:
		return 2;
	}
}

static int has_processes(enum way way)
{
	return way == OWN_SESSIONS || way == FORKED || way == OWN_PWRITE ||
	       way == OWN_RINGS || way == RING_FORKED;
}

static double run(enum way way)
{
	const int workers = workers_of(way), are_processes = has_processes(way);
	pthread_t threads[WORKERS];
	pid_t children[WORKERS];

	memset(shared, 0, sizeof(*shared));
	for (int i = 0; i < workers; i++)
		if (are_processes)
			children[i] = start_process(way, i);
		else if (pthread_create(&threads[i], NULL, work_in_thread,
					(void *)(intptr_t)(i + way * WORKERS)))
			fail("cannot start a thread");
	return count(workers, are_processes ? children : NULL, threads);
}

static int compare(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static void print(const char *name, double rates[][WAYS], enum way way, enum way base)
{
	double ratios[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ratios[i] = rates[i][way] / rates[i][base];
	qsort(ratios, ROUNDS, sizeof(ratios[0]), compare);
	printf("%s\t%.2f\n", name, ratios[ROUNDS / 2]);
}

static void prepare_kernel(void)
{
	int fd;

	session = ue_open(NULL);
	if (ue_register(session, UE_EVENT_OF(bench_scaling)))
		fail("cannot register the event");
	fd = open(ENABLE, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1 || !ue_enabled(UE_EVENT_OF(bench_scaling)))
		fail("cannot enable the event");
	close(fd);
}

static void print_kernel(double rates[][WAYS])
{
	print("scaling_1_thread", rates, THREAD, OWN_SESSIONS);
	print("scaling_2_threads", rates, THREADS_2, OWN_SESSIONS);
	print("scaling_4_threads", rates, THREADS_4, OWN_SESSIONS);
	print("scaling_4_to_2_threads", rates, THREADS_4, THREADS_2);
	print("scaling_2_forked", rates, FORKED, OWN_SESSIONS);
	print("scaling_2_threads_write", rates, WRITE_2, OWN_SESSIONS);
	print("scaling_2_threads_pwrite", rates, PWRITE_2, OWN_PWRITE);
}

static void print_rings(double rates[][WAYS])
{
	print("ring_scaling_1_thread", rates, RING_THREAD, OWN_RINGS);
	print("ring_scaling_2_threads", rates, RING_THREADS_2, OWN_RINGS);
	print("ring_scaling_4_threads", rates, RING_THREADS_4, OWN_RINGS);
	print("ring_scaling_4_to_2_threads", rates, RING_THREADS_4, RING_THREADS_2);
	print("ring_scaling_2_forked", rates, RING_FORKED, OWN_RINGS);
}

int main(int argc, char **argv)
{
	const int are_rings = argc > 1 && !strcmp(argv[1], "rings");
	double rates[ROUNDS][WAYS];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		fail("cannot measure scaling: there is one processor");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("cannot measure scaling: there is no memory");
	if (are_rings)
		open_ring();
	else
		prepare_kernel();
	for (int i = 0; i < ROUNDS; i++)
		for (int way = 0; way < WAYS; way++)
			if (is_ring((enum way)way) == are_rings)
				rates[i][way] = run((enum way)way);
	if (are_rings)
		print_rings(rates);
	else
		print_kernel(rates);
	return 0;
}
