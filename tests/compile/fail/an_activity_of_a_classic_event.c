/* SPDX-License-Identifier: MIT */
/* EXPECT: (request_ue__write_activity.{0,4} (undeclared|was not declared)|undeclared (identifier|function) .request_ue__write_activity|implicit declaration of function .request_ue__write_activity) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENT(request, UE_U32(status));
UE_EVENTHEADER(info, order, UE_U32(status));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200);
#else
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, request, 200);
#endif
}
