/* SPDX-License-Identifier: MIT */
/* EXPECT: the field port is for UE_EVENT\(\) only */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENT(order, UE_DECLARED(uint16_t, port, "u16 port"));
#else
UE_EVENTHEADER(info, order, UE_DECLARED(uint16_t, port, "u16 port"));
#endif
