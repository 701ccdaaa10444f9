/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: U32\(size\) is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct item {
	uint32_t number, size;
};

#ifdef GOOD
UE_EVENTHEADER(info, request, UE_STRUCTS(struct item, items, UE_U32(number), UE_U32(size)));
#else
UE_EVENTHEADER(info, request, UE_STRUCTS(struct item, items, UE_U32(number), U32(size)));
#endif
