/* SPDX-License-Identifier: MIT */
/* EXPECT: (makes pointer from integer|incompatible integer to pointer|invalid conversion from .int|cannot initialize a (variable|parameter)) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

int report(int fd, int path);

int report(int fd, int path)
{
#ifdef GOOD
	return UE_WRITE_EVENTHEADER(fd, info, "order", UE_U32(number, path), UE_STRING(path, "/"));
#else
	return UE_WRITE_EVENTHEADER(fd, info, "order", UE_U32(number, 17), UE_STRING(path, path));
#endif
}
