/* SPDX-License-Identifier: MIT */
/* EXPECT: (ue__write_activity_request.{0,4} (undeclared|was not declared)|undeclared identifier .ue__write_activity_request|implicit declaration of function .ue__write_activity_request) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENT(request, UE_U32(status));
UE_LOG_EVENT(info, order, UE_U32(status));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, order, 200);
#else
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, request, 200);
#endif
}
