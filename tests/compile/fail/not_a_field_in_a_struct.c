/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: PORT\(port\) is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, request, UE_STRUCT(from, UE_IPV4(address), UE_PORT(port)));
#else
UE_EVENTHEADER(info, request, UE_STRUCT(from, UE_IPV4(address), PORT(port)));
#endif
