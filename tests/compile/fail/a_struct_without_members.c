/* SPDX-License-Identifier: MIT */
/* EXPECT: is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_STRUCT(s, UE_U8(a)));
#else
UE_EVENTHEADER(info, order, UE_STRUCT(s));
#endif
