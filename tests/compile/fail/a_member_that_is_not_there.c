/* SPDX-License-Identifier: MIT */
/* EXPECT: (no member named .z.|has no member named .z.) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct point {
	int16_t x, y;
};

#ifdef GOOD
UE_EVENTHEADER(info, moved, UE_STRUCTS(struct point, points, UE_S16(x), UE_S16(y)));
#else
UE_EVENTHEADER(info, moved, UE_STRUCTS(struct point, points, UE_S16(x), UE_S16(z)));
#endif
