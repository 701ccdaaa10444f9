/* SPDX-License-Identifier: MIT */
/* EXPECT: (constant|const) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");

int keyword;

#ifdef GOOD
UE_TRACEPOINT(info, shop, 4, 1);
#else
UE_TRACEPOINT(info, shop, 4, keyword);
#endif
