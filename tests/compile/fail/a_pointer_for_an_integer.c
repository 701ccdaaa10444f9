/* SPDX-License-Identifier: MIT */
/* EXPECT: (argument 3 of .request_ue__write. makes integer from pointer|incompatible pointer to integer|invalid conversion from .const char|no matching function) */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_STRING(path));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE(fd, request, 200, "/");
#else
	return UE_WRITE(fd, request, "200", "/");
#endif
}
