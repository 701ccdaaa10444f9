/* SPDX-License-Identifier: MIT */
/* EXPECT: negative */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER_WITH(info, order, "order", UE_OPCODE(255));
#else
UE_EVENTHEADER_WITH(info, order, "order", UE_OPCODE(256));
#endif
