/* SPDX-License-Identifier: MIT */
/* EXPECT: (inof_ue__(level|word|tracepoint).{0,4} (undeclared|was not declared)|undeclared identifier .inof_ue__(level|word|tracepoint)) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_U32(number));
#else
UE_EVENTHEADER(inof, order, UE_U32(number));
#endif
