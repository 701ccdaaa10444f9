/* SPDX-License-Identifier: MIT */
/*
 * paced RATE SECONDS [integer|times]: writes so many events a second, once they are enabled;
 * with a text, or of one integer. Prints how many, how long it took, and how many were
 * not written. With "times" the events are of one integer, and it prints the 50th, 99th and
 * 99.9th percentile of the time of a write, in nanoseconds, with two looks at the clock.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <userevents/userevents.h>

UE_EVENT(paced, UE_U32(n), UE_STRING(path));
UE_EVENT(paced_integer, UE_U32(n));

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

static double used(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The number of events that were not written. */
static uint32_t write_events(int fd, int are_integers, uint32_t n, uint32_t end)
{
	uint32_t lost = 0;

	for (; are_integers && n < end; n++)
		lost += UE_WRITE(fd, paced_integer, n) < 0;
	for (; n < end; n++)
		lost += UE_WRITE(fd, paced, n, "/static/page") < 0;
	return lost;
}

/* The times of each write. NULL: nobody asked. */
static uint32_t *times;

static uint32_t write_timed(int fd, uint32_t n, uint32_t end)
{
	struct timespec before, after;
	uint32_t lost = 0;

	for (; n < end; n++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		lost += UE_WRITE(fd, paced_integer, n) < 0;
		clock_gettime(CLOCK_MONOTONIC, &after);
		times[n] = (uint32_t)((after.tv_sec - before.tv_sec) * 1000000000 +
				      after.tv_nsec - before.tv_nsec);
	}
	return lost;
}

static int compare(const void *one, const void *other)
{
	const uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;

	return (first > second) - (first < second);
}

static void print_times(uint32_t count)
{
	qsort(times, count, sizeof(*times), compare);
	printf("%u %u %u\n", times[count / 2], times[count / 100 * 99],
	       times[count / 1000 * 999]);
}

static void write_all(int fd, int are_integers, double rate, uint32_t total)
{
	const double begin = now();
	uint32_t n = 0, lost = 0;

	while (n < total) {
		const double due = (now() - begin) * rate;
		const uint32_t end = due < total ? (uint32_t)due : total;

		lost += times ? write_timed(fd, n, end) :
				write_events(fd, are_integers, n, end);
		n = end;
		sleep_ms(1);
	}
	printf("%u events in %.2f s, %u lost, %.3f s of processor time\n", n,
	       now() - begin, lost, used());
}

int main(int argc, char **argv)
{
	const int is_timed = argc == 4 && !strcmp(argv[3], "times");
	const int is_usage = argc == 3 || is_timed || (argc == 4 && !strcmp(argv[3], "integer"));
	const double rate = is_usage ? atof(argv[1]) : 0;
	const uint32_t total = is_usage ? (uint32_t)(rate * atof(argv[2])) : 0;
	int fd = ue_open(NULL);

	if (!total || fd < 0 || ue_register_all(fd)) {
		fputs("paced: cannot write events; usage: paced RATE SECONDS "
		      "[integer|times]\n", stderr);
		return 1;
	}
	while (!ue_enabled(UE_EVENT_OF(paced)))
		sleep_ms(10);
	sleep_ms(300); /* until the reader has all processors */
	if (is_timed) {
		times = malloc(total * sizeof(*times));
		if (!times)
			return 1;
		memset(times, 1, total * sizeof(*times)); /* it is there before */
	}
	write_all(fd, argc == 4, rate, total);
	if (times)
		print_times(total);
	return 0;
}
