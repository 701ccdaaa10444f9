/* SPDX-License-Identifier: MIT */
/* EXPECT: the level of the tracepoint info is not 1 to 255 */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");

#ifdef GOOD
UE_TRACEPOINT(info, shop, 255, 0);
#else
UE_TRACEPOINT(info, shop, 256, 0);
#endif
