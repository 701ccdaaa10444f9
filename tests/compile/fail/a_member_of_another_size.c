/* SPDX-License-Identifier: MIT */
/* EXPECT: the member number of the elements of an array has another size than its field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct item {
	int32_t number;
};

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_HEX32(number)));
#else
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_U64(number)));
#endif
