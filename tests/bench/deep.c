/* SPDX-License-Identifier: MIT */
/* A chain of functions with frame pointers; compiled with them. */
#include "deep.h"

static __attribute__((noinline)) void call_at(void (*call)(void), int depth)
{
	if (depth > 1)
		call_at(call, depth - 1);
	else
		call();
	__asm__ volatile("" ::: "memory"); /* or the call becomes a jump */
}

void call_deep(void (*call)(void))
{
	call_at(call, DEEP_FRAMES);
	__asm__ volatile("" ::: "memory");
}
