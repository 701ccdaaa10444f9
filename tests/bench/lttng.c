/* SPDX-License-Identifier: MIT */
/*
 * lttng on|off|times: the cost of tracepoints of LTTng-UST. in-vm starts the session daemon
 * and, for "on", a session that keeps the newest events in memory (a snapshot session,
 * like a ring buffer of ftrace in overwrite mode, without a reader). times: the same, as
 * times on this machine.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include <string.h>

#include "measure.h"

uint32_t u32[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
const char *text = "hello world";

static __attribute__((noinline)) void write_u32x1(void)
{
	lttng_ust_tracepoint(ue_bench, u32x1, u32[0]);
}

static __attribute__((noinline)) void write_u32x10(void)
{
	lttng_ust_tracepoint(ue_bench, u32x10, u32[0], u32[1], u32[2], u32[3], u32[4],
			     u32[5], u32[6], u32[7], u32[8], u32[9]);
}

static __attribute__((noinline)) void write_str11_u32(void)
{
	lttng_ust_tracepoint(ue_bench, str11_u32, text, u32[0]);
}

static void measure_times(void)
{
	measure_time("time_lttng_ust_u32x1", write_u32x1);
	measure_time("time_lttng_ust_u32x10", write_u32x10);
	measure_time("time_lttng_ust_str11_u32", write_str11_u32);
	measure_tail("tail_lttng_ust_u32x1", write_u32x1);
	measure_tail("tail_lttng_ust_u32x10", write_u32x10);
	measure_tail("tail_lttng_ust_str11_u32", write_str11_u32);
}

int main(int argc, char **argv)
{
	const int is_timed = argc > 1 && !strcmp(argv[1], "times");
	const int on = is_timed || (argc > 1 && !strcmp(argv[1], "on"));
	const char *name = on ? "lttng_ust_%s" : "lttng_ust_%s_off";

	if (!!lttng_ust_tracepoint_enabled(ue_bench, u32x1) != on)
		fail("LTTng-UST is not in the state that was asked for.");
	if (is_timed) {
		measure_times();
		return 0;
	}
	measure_shape(name, "u32x1", write_u32x1);
	measure_shape(name, "u32x10", write_u32x10);
	measure_shape(name, "str11_u32", write_str11_u32);
	return 0;
}
