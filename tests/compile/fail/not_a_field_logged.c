/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: U32\(status\) is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, request, UE_U32(status));
#else
UE_EVENTHEADER(info, request, U32(status));
#endif
