/* SPDX-License-Identifier: MIT */
/* EXPECT: there is a NUL in the name of a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_EVENTHEADER(fd, info, "order", UE_NAMED("num ber", UE_U32(number, 17)));
#else
	return UE_WRITE_EVENTHEADER(fd, info, "order", UE_NAMED("num\0ber", UE_U32(number, 17)));
#endif
}
