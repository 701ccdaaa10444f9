/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_TAGGED(1, UE_U32(number)));
#else
UE_EVENTHEADER(info, order, UE_TAGGED(0, UE_U32(number)));
#endif
