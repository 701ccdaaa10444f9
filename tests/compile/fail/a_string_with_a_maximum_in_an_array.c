/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_SEQUENCE(UE_STRING(texts)));
#else
UE_EVENTHEADER(info, order, UE_SEQUENCE(UE_STRING_MAX(texts, 10)));
#endif
