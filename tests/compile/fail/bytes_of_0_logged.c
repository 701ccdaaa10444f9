/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, linked, UE_BYTES(mac, 1));
#else
UE_EVENTHEADER(info, linked, UE_BYTES(mac, 0));
#endif
