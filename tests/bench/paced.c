/* SPDX-License-Identifier: MIT */
/* paced RATE SECONDS: writes so many events a second, once they are enabled. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <userevents/userevents.h>

UE_EVENT(paced, UE_U32(n), UE_STRING(path));

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

int main(int argc, char **argv)
{
	double rate = argc == 3 ? atof(argv[1]) : 0, begin;
	uint32_t n = 0, total = argc == 3 ? (uint32_t)(rate * atof(argv[2])) : 0;
	int fd = ue_open(NULL);

	if (!total || fd < 0 || ue_register_all(fd)) {
		fputs("paced: cannot write events; usage: paced RATE SECONDS\n", stderr);
		return 1;
	}
	while (!ue_enabled(UE_EVENT_OF(paced)))
		sleep_ms(10);
	sleep_ms(300); /* until the reader has all processors */
	for (begin = now(); n < total; sleep_ms(1)) {
		double due = (now() - begin) * rate;

		for (; n < total && n < due; n++)
			UE_WRITE(fd, paced, n, "/static/page");
	}
	printf("%u events in %.2f s\n", n, now() - begin);
	return 0;
}
