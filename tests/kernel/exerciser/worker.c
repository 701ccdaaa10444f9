/* SPDX-License-Identifier: MIT */
/*
 * The life of a worker: it draws operations, does them, and counts their results.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exerciser.h"

const struct kind *kinds[KINDS_MAX];
unsigned kinds_count;

static const struct kind *const lists[] = { data_kinds, memory_kinds, listener_kinds,
					    perf_kinds, process_kinds };
static unsigned weights;

void list_kinds(void)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct kind *kind = lists[i]; kind->name; kind++) {
			if (kinds_count == KINDS_MAX)
				abort();
			kinds[kinds_count++] = kind;
			weights += kind->weight;
		}
}

/* splitmix64: any seed is a good one. */
uint64_t draw(struct worker *worker)
{
	uint64_t z = worker->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

unsigned below(struct worker *worker, unsigned limit)
{
	uint64_t number = draw(worker) >> 32;

	return (unsigned)(number * limit >> 32);
}

int one_in(struct worker *worker, unsigned count)
{
	return below(worker, count) == 0;
}

long keep(int *slot, int fd)
{
	int old;

	if (fd < 0)
		return -1;
	old = __atomic_exchange_n(slot, fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	return 0;
}

/* One word, as two threads may do this to the same slot. */
long keep_mapping(uintptr_t *slot, void *address, size_t pages)
{
	uintptr_t old =
		__atomic_exchange_n(slot, (uintptr_t)address | pages, __ATOMIC_RELAXED);

	if (old)
		return munmap((void *)(old & ~(uintptr_t)(PAGE - 1)),
			      (old % PAGE) * PAGE);
	if (address)
		return 0;
	errno = ENOENT;
	return -1;
}

static unsigned draw_kind(struct worker *worker)
{
	unsigned number = below(worker, weights), i = 0;

	while (number >= kinds[i]->weight)
		number -= kinds[i++]->weight;
	return i;
}

static void count(unsigned kind, int error)
{
	__atomic_fetch_add(&shared->results[kind][error < ERRORS ? error : ERRORS - 1], 1,
			   __ATOMIC_RELAXED);
}

void do_one(struct worker *worker)
{
	unsigned kind = draw_kind(worker);
	struct worker before = *worker;
	int error;

	shared->heartbeats[worker->slot].kind = kinds[kind];
	arm(worker);
	error = kinds[kind]->run(worker) < 0 ? errno : 0;
	disarm();
	count(kind, error);
	/* However many numbers it drew, the next operation draws from the same place. */
	worker->random = before.random ^ 0xd1342543de82ef95;
	draw(worker);
	shared->heartbeats[worker->slot].kind = NULL;
	shared->heartbeats[worker->slot].operations++;
}

/* The page after it can never be read. */
static unsigned char *make_buffer(void)
{
	unsigned char *buffer = mmap(NULL, PAYLOAD_MAX + PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED || mprotect(buffer + PAYLOAD_MAX, PAGE, PROT_NONE))
		_exit(3);
	return buffer;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	unsigned count = 50 + below(worker, 1500);

	shared->heartbeats[worker->slot].tid = gettid();
	shared->heartbeats[worker->slot].pid = getpid();
	while (count-- && !__atomic_load_n(&shared->is_over, __ATOMIC_RELAXED))
		do_one(worker);
	shared->heartbeats[worker->slot].tid = 0;
	return NULL;
}

void live(uint64_t seed, unsigned number)
{
	static struct process process;
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];

	memset(process.data, -1, sizeof(process.data));
	memset(process.perf, -1, sizeof(process.perf));
	memset(process.open, -1, sizeof(process.open));
	if (map_arena())
		_exit(3);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .random = seed + i,
					      .process = &process,
					      .slot = number * THREADS + i };
		draw(&workers[i]);
		workers[i].random = draw(&workers[i]);
		workers[i].buffer = make_buffer();
	}
	open_all(&workers[0]);
	for (unsigned i = 1; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			_exit(3);
	work(&workers[0]);
	for (unsigned i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}
