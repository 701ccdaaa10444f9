/* SPDX-License-Identifier: MIT */
/* EXPECT: (ue__(level|word|tracepoint)_inof.{0,4} (undeclared|was not declared)|undeclared identifier .ue__(level|word|tracepoint)_inof) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_LOG_EVENT(info, order, UE_U32(number));
#else
UE_LOG_EVENT(inof, order, UE_U32(number));
#endif
