/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: OrderPaid.* is not a field; .*UE_EVENTHEADER_WITH\(tracepoint, name, label, options */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order);
UE_EVENTHEADER_WITH(info, order_paid, "OrderPaid", 0, UE_U32(number));
#else
UE_EVENTHEADER(info, order_paid, "OrderPaid", UE_U32(number));
#endif
