/* SPDX-License-Identifier: MIT */
/* EXPECT: (argument 4 of .request_ue__write. makes pointer from integer|incompatible integer to pointer|invalid conversion from .int|no matching function) */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_STRING(path));

int report(int fd, int path);

int report(int fd, int path)
{
#ifdef GOOD
	return UE_WRITE(fd, request, path, "/");
#else
	return UE_WRITE(fd, request, 200, path);
#endif
}
