/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_LOG_EVENT(info, linked, UE_CHARS(mac, 1));
#else
UE_LOG_EVENT(info, linked, UE_CHARS(mac, 0));
#endif
