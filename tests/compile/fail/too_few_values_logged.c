/* SPDX-License-Identifier: MIT */
/* EXPECT: too few arguments to function.*(order_ue__write|call)|no matching function for call to .order_ue__write. */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER(info, order, UE_U32(number), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE(fd, order, 200, "/");
#else
	return UE_WRITE(fd, order, 200);
#endif
}
