/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <alloca.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 20000
#define REPEATS 5
#define SHORT_CALLS 5000
#define SHORT_RUNS 500
#define SINGLE_CALLS 2000000
#define ROUNDS 5
#define LONGEST 1000000 /* nanoseconds; longer work is counted there */

_Noreturn void fail(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) uint64_t time_loop(void (*call)(void), int calls)
{
	const uint64_t begin = now();

	for (int i = 0; i < calls; i++)
		call();
	return now() - begin;
}

/*
 * The calls' stack begins at the end of a page: a record that crosses a page boundary
 * costs the kernel some instructions more, and the stack's address is random.
 */
static uint64_t run(void (*call)(void), int calls)
{
	volatile char *rest_of_page = alloca((uintptr_t)__builtin_frame_address(0) % 4096);

	rest_of_page[0] = 0;
	return time_loop(call, calls);
}

/* The shortest of several runs: the others had more timer ticks. */
static void measure_runs(const char *name, void (*call)(void), int calls, int size)
{
	uint64_t best = UINT64_MAX;

	run(call, calls / 10);
	for (int i = 0; i < REPEATS; i++) {
		uint64_t time = run(call, calls);

		if (time < best)
			best = time;
	}
	printf("%s\t%.1f\n", name, (double)best / calls / size);
	fflush(stdout);
}

void measure_calls(const char *name, void (*call)(void), int calls)
{
	measure_runs(name, call, calls, 1);
}

void measure(const char *name, void (*call)(void))
{
	measure_calls(name, call, CALLS);
}

void measure_batch(const char *name, void (*call)(void), int size)
{
	measure_runs(name, call, CALLS / size, size);
}

/* No other program interrupted that run. */
void measure_time(const char *name, void (*call)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < SHORT_RUNS; i++) {
		uint64_t time = time_loop(call, SHORT_CALLS);

		if (time < best)
			best = time;
	}
	printf("%s\t%.1f\n", name, (double)best / SHORT_CALLS);
	fflush(stdout);
}

static uint32_t calls_of[LONGEST + 1]; /* by nanoseconds */

/* The time that this share of the calls does not exceed. */
static unsigned percentile(double share)
{
	const double wanted = share * SINGLE_CALLS;
	unsigned time = 0;
	double found = calls_of[0];

	while (found < wanted && time < LONGEST)
		found += calls_of[++time];
	return time;
}

static void time_singly(void (*call)(void))
{
	memset(calls_of, 0, sizeof(calls_of));
	for (int i = 0; i < SINGLE_CALLS; i++) {
		const uint64_t begin = now();
		uint64_t time;

		call();
		time = now() - begin;
		calls_of[time < LONGEST ? time : LONGEST]++;
	}
}

void measure_tail(const char *name, void (*call)(void))
{
	static const double shares[] = { 50, 99, 99.9, 99.99 };
	enum { SHARES = sizeof(shares) / sizeof(shares[0]) };
	unsigned least[SHARES];

	for (size_t i = 0; i < SHARES; i++)
		least[i] = UINT_MAX;
	for (int round = 0; round < ROUNDS; round++) {
		time_singly(call);
		for (size_t i = 0; i < SHARES; i++) {
			const unsigned time = percentile(shares[i] / 100);

			least[i] = time < least[i] ? time : least[i];
		}
	}
	for (size_t i = 0; i < SHARES; i++)
		printf("%s_p%g\t%u\n", name, shares[i], least[i]);
	fflush(stdout);
}

void measure_shape(const char *what, const char *shape, void (*call)(void))
{
	char name[64];

	snprintf(name, sizeof(name), what, shape);
	measure(name, call);
}

static void nothing(void)
{
	__asm__ volatile("");
}

void measure_empty(void)
{
	measure("empty_loop", nothing);
}
