/* SPDX-License-Identifier: MIT */
/* A call with a stack of known depth. */
#ifndef UE__BENCH_DEEP_H
#define UE__BENCH_DEEP_H

#define DEEP_FRAMES 10

/* Call it with so many functions around that have frame pointers. */
void call_deep(void (*call)(void));

#endif
