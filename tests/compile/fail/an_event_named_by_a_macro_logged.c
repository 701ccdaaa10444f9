/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of an event is a macro, it would be called state_of */
#include <userevents/userevents.h>

#define status state_of

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

#ifdef GOOD
UE_EVENTHEADER(info, state_of, UE_U32(number));
#else
UE_EVENTHEADER(info, status, UE_U32(number));
#endif
