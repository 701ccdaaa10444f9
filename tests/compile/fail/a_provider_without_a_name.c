/* SPDX-License-Identifier: MIT */
/* EXPECT: the provider shop has no name */
#include <userevents/userevents.h>

#ifdef GOOD
UE_PROVIDER(shop, "S");
#else
UE_PROVIDER(shop, "");
#endif
UE_TRACEPOINT(info, shop, 1, 0);
