/* SPDX-License-Identifier: MIT */
/* EXPECT: too many arguments to function.*(order_ue__write_activity|call)|no matching function for call to .order_ue__write_activity. */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER(info, order, UE_U32(number), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200, "/");
#else
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200, "/", 5);
#endif
}
