/* SPDX-License-Identifier: MIT */
/*
 * Instructions per call, on a machine where one instruction takes one nanosecond of
 * its clock (scripts/vm --icount).
 */
#ifndef UE__BENCH_MEASURE_H
#define UE__BENCH_MEASURE_H

/* Print a row: NAME, a tab, and nanoseconds per call, the loop included. */
void measure(const char *name, void (*call)(void));

/* The same of so many calls, for a call that takes long. */
void measure_calls(const char *name, void (*call)(void), int calls);

/* The same per write, of a call that writes so many times. */
void measure_batch(const char *name, void (*call)(void), int size);

/* Print NAME, a tab, and nanoseconds per call in the shortest of 500 short runs. */
void measure_time(const char *name, void (*call)(void));

/*
 * Print rows NAME_p50, _p99, _p99.9 and _p99.99, with nanoseconds that a single one of
 * 2,000,000 calls takes at most, two looks at the clock included; the least of five
 * rounds.
 */
void measure_tail(const char *name, void (*call)(void));

/* measure() with the name in two parts. */
void measure_shape(const char *what, const char *shape, void (*call)(void));

/* The cost of the loop and the call: the row empty_loop. */
void measure_empty(void);

/* Prints a message on stderr and ends the program. */
_Noreturn void fail(const char *what);

#endif
