/* SPDX-License-Identifier: MIT */
/* EXPECT: incompatible type|no matching function|cannot convert|could not convert|no viable conversion */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct bytes {
	size_t length;
	const void *data;
};
struct item {
	struct bytes bytes;
	struct ue_span span;
};

#ifdef GOOD
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_BLOB(span)));
#else
UE_EVENTHEADER(info, order, UE_STRUCTS(struct item, items, UE_BLOB(bytes)));
#endif
