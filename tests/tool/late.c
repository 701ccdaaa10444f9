/* SPDX-License-Identifier: MIT */
/* Has three events. It registers none; one is malformed, so that nothing can. */
#include <userevents/eventheader_event.h>
#include <userevents/userevents.h>

UE_EVENT(late, UE_U32(number));
UE_PROVIDER(late_provider, "late_provider");
UE_TRACEPOINT(late_tracepoint, late_provider, UE_LEVEL_ERROR, 0x12);

static struct ue_event malformed = UE_EVENT_INIT(malformed, "malformed u31 number");
static struct ue_event *listed UE__LISTED = &malformed;
