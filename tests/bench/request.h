/* SPDX-License-Identifier: MIT */
/* A request of a server, of 16,600 instructions, that writes three events on its way. */
#ifndef UE__BENCH_REQUEST_H
#define UE__BENCH_REQUEST_H

#include "sites.h"

/* The places in shapes of its events. */
#define REQUEST_EVENTS 3
extern const int request_events[REQUEST_EVENTS];

/* Print a row: instructions per request, in the state that the events are in. */
void measure_request(const char *name);

#endif
