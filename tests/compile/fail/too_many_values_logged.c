/* SPDX-License-Identifier: MIT */
/* EXPECT: too many arguments to function.*(ue__write_activity_order|call)|no matching function for call to .ue__write_activity_order. */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_LOG_EVENT(info, order, UE_U32(number), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200, "/");
#else
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200, "/", 5);
#endif
}
