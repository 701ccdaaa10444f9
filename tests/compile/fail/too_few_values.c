/* SPDX-License-Identifier: MIT */
/* EXPECT: too few arguments to function.*(request_ue__write|call)|no matching function for call to .request_ue__write. */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE(fd, request, 200, "/");
#else
	return UE_WRITE(fd, request, 200);
#endif
}
