/* SPDX-License-Identifier: MIT */
/* EXPECT: constant */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");

uint32_t flags;

#ifdef GOOD
UE_TRACEPOINT(info, shop, 4, 0, UE_EVENT_PERSIST);
#else
UE_TRACEPOINT(info, shop, 4, 0, flags);
#endif
