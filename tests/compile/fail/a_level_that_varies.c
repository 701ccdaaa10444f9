/* SPDX-License-Identifier: MIT */
/* EXPECT: (constant|const) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");

int level;

#ifdef GOOD
UE_TRACEPOINT(info, shop, 4, 0);
#else
UE_TRACEPOINT(info, shop, level, 0);
#endif
