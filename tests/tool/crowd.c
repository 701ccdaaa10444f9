/* SPDX-License-Identifier: MIT */
/*
 * Lists 70,000 events, of which 12 exist. The library does not know of them, as no event
 * is defined with its macros.
 */
#include <userevents/abi/event_state.h>

static struct ue_event one = UE_EVENT_INIT(one, "crowded u32 number");

static struct ue_event *entries[70000] __attribute__((section("ue_events"), used)) = {
	&one, &one, &one, &one, &one, &one, &one, &one, &one, &one, &one, &one,
};
