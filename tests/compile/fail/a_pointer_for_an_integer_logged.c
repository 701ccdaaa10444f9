/* SPDX-License-Identifier: MIT */
/* EXPECT: (argument 3 of .order_ue__write. makes integer from pointer|incompatible pointer to integer|invalid conversion from .const char|no matching function) */
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
	return UE_WRITE(fd, order, "200", "/");
#endif
}
