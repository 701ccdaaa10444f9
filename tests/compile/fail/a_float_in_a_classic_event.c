/* SPDX-License-Identifier: MIT */
/* EXPECT: the field total is for UE_EVENTHEADER\(\) and UE_WRITE_EVENTHEADER\(\) only */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_F64(total));
#else
UE_EVENT(order, UE_F64(total));
#endif
