/* SPDX-License-Identifier: MIT */
/*
 * writes RING: the cost of the events that the programs of other languages write, in C: rows
 * NAME <tab> nanoseconds. The shortest of many short loops counts, as others were interrupted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <userevents/userevents.h>

#define LOOPS 300
#define CALLS 2000

UE_EVENT(bench_request, UE_U32(status), UE_U64(latency_ns), UE_STRING(path));
UE_EVENT(bench_number, UE_U32(status));
UE_PROVIDER(bench_shop, "BenchShop");
UE_TRACEPOINT(bench_orders, bench_shop, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(bench_orders, bench_order, UE_U64(order), UE_F64(total), UE_STRING(path));

static int fd;

static void classic(void)
{
	UE_WRITE(fd, bench_request, 200, 1234567, "/index.html");
}

static void number(void)
{
	UE_WRITE(fd, bench_number, 200);
}

static void eventheader(void)
{
	UE_WRITE(fd, bench_order, 17, 99.5, "/index.html");
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char *name, void (*call)(void))
{
	void (*volatile called)(void) = call;
	double best = 1e18;

	for (int loop = 0; loop < LOOPS; loop++) {
		double begin = now(), took;

		for (int i = 0; i < CALLS; i++)
			called();
		took = (now() - begin) / CALLS;
		best = took < best ? took : best;
	}
	printf("%s\t%.1f\n", name, best);
}

int main(int argc, char **argv)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .path = argc > 1 ? argv[1] : NULL };

	measure("c_classic_off", classic);
	measure("c_eventheader_off", eventheader);
	fd = ue_open(&opts);
	if (fd < 0 || ue_register_all(fd) < 0 || !UE_ENABLED(bench_request)) {
		fprintf(stderr, "writes: cannot write events: is the argument a ring?\n");
		return 1;
	}
	measure("c_number", number);
	measure("c_classic", classic);
	measure("c_eventheader", eventheader);
	return 0;
}
