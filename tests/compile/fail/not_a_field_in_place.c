/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: U32\(status, 200\) is not a field */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

UE__EXTERN int log_request(int fd);

int log_request(int fd)
{
#ifdef GOOD
	return UE_WRITE_EVENTHEADER(fd, info, "Request", UE_U32(status, 200));
#else
	return UE_WRITE_EVENTHEADER(fd, info, "Request", U32(status, 200));
#endif
}
