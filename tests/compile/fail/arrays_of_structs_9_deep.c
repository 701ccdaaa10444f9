/* SPDX-License-Identifier: MIT */
/* EXPECT: the array of structs ninth is more than 8 deep */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct item {
	uint8_t number;
	struct ue_span items, ninth;
};

#define IN(...) UE_STRUCTS(struct item, items, __VA_ARGS__)

#ifdef GOOD
UE_EVENTHEADER(info, order, IN(IN(IN(IN(IN(IN(IN(IN(UE_U8(number))))))))));
#else
UE_EVENTHEADER(info, order,
	     IN(IN(IN(IN(IN(IN(IN(IN(UE_STRUCTS(struct item, ninth, UE_U8(number)))))))))));
#endif
