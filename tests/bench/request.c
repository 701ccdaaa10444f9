/* SPDX-License-Identifier: MIT */
/* The request: loops in place of a server's own work, and an event after each. */
#include "measure.h"
#include "request.h"

/* A round is two instructions; three events that are disabled are 24. */
#define ROUNDS 2756
#define CALLS 1000

const int request_events[REQUEST_EVENTS] = { SHAPE_U32X1, SHAPE_STR11_U32, SHAPE_U32X10 };

static inline void work(void)
{
	int i = ROUNDS;

	do
		__asm__ volatile("" : "+r"(i));
	while (--i);
}

static void request(void)
{
	for (int i = 0; i < REQUEST_EVENTS; i++) {
		work();
		shapes[request_events[i]].write();
	}
}

void measure_request(const char *name)
{
	measure_calls(name, request, CALLS);
}
