/* SPDX-License-Identifier: MIT */
/* EXPECT: the fields of the event order are larger than any listener can receive */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

/* Header 8, prefix 4, names and types 6 and 11; 8,184 in all. */
#ifdef GOOD
UE_EVENTHEADER(info, order, UE_ARRAY(UE_U8(numbers), 8155));
#else
UE_EVENTHEADER(info, order, UE_ARRAY(UE_U8(numbers), 8156));
#endif
