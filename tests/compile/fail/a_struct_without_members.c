/* SPDX-License-Identifier: MIT */
/* EXPECT: requires|too few arguments|UE__LOG_MEMBER_ */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_LOG_EVENT(info, order, UE_STRUCT_OF(s, UE_U8(a)));
#else
UE_LOG_EVENT(info, order, UE_STRUCT_OF(s));
#endif
