/* SPDX-License-Identifier: MIT */
/* EXPECT: there is a NUL in the name of the event order */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER_WITH(info, order, "or der", 0);
#else
UE_EVENTHEADER_WITH(info, order, "or\0der", 0);
#endif
