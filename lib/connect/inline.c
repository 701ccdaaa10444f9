/* SPDX-License-Identifier: MIT */
/*
 * A real symbol of every inline function, for languages that cannot include a C
 * header.
 */
#define UE_INLINE __attribute__((visibility("default")))

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include <userevents/abi/event_state.h>
#include <userevents/event.h>
#include <userevents/tracepoint.h>
