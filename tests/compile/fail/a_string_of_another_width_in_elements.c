/* SPDX-License-Identifier: MIT */
/* EXPECT: from incompatible pointer|incompatible pointer types|invalid conversion from|cannot (convert|initialize) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct item {
	uint8_t bytes[4];
	uint32_t numbers[4];
	const char *text;
};

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_STRING(text)));
#else
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_STRING16(text)));
#endif
