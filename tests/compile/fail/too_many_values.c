/* SPDX-License-Identifier: MIT */
/* EXPECT: too many arguments to function.*(ue__write_request|call)|no matching function for call to .ue__write_request. */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE(fd, request, 200, "/");
#else
	return UE_WRITE(fd, request, 200, "/", 5);
#endif
}
