/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: U32\(status\) is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER_WITH(info, request, "Request", UE_ID(1, 1), UE_ARRAY(UE_U32(status), 2));
#else
UE_EVENTHEADER_WITH(info, request, "Request", UE_ID(1, 1), UE_ARRAY(U32(status), 2));
#endif
