/* SPDX-License-Identifier: MIT */
/* EXPECT: there is a NUL in the name or group of the provider shop */
#include <userevents/userevents.h>

#ifdef GOOD
UE_PROVIDER(shop, "Shop", "ab");
#else
UE_PROVIDER(shop, "Shop", "a\0b");
#endif
