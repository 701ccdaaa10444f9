/* SPDX-License-Identifier: MIT */
/* EXPECT: there is a NUL in the name or group of the provider shop */
#include <userevents/userevents.h>

#ifdef GOOD
UE_PROVIDER_GROUP(shop, "Shop", "ab");
#else
UE_PROVIDER_GROUP(shop, "Shop", "a\0b");
#endif
