/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_NULLABLE(UE_CHAR(letter)));
#else
UE_EVENTHEADER(info, order, UE_NULLABLE(UE_CHAR32(letter)));
#endif
