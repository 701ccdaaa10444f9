/* SPDX-License-Identifier: MIT */
/* usdt on|off: the cost of a USDT probe, with an attached uprobe event and without. */
#include <sys/sdt.h>

#include <stdint.h>
#include <string.h>

#include "measure.h"

uint32_t u32[1] = { 1 };

static __attribute__((noinline)) void write_u32x1(void)
{
	uint32_t value = u32[0];

	__asm__ volatile("" : "+r"(value)); /* in a register, where uprobes fetch it */
	DTRACE_PROBE1(ue_bench, u32x1, value);
}

int main(int argc, char **argv)
{
	const int on = argc > 1 && !strcmp(argv[1], "on");

	measure(on ? "usdt_u32x1" : "usdt_u32x1_off", write_u32x1);
	return 0;
}
