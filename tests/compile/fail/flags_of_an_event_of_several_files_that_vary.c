/* SPDX-License-Identifier: MIT */
/* EXPECT: constant */
#include <userevents/userevents.h>

UE_EVENT_DECLARE(order, UE_U32(number));

uint32_t flags;

#ifdef GOOD
UE_EVENT_DEFINE(order, UE_EVENT_PERSIST);
#else
UE_EVENT_DEFINE(order, flags);
#endif
