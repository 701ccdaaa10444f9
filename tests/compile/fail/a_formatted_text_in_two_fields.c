/* SPDX-License-Identifier: MIT */
/* EXPECT: (incompatible pointer type|incompatible function pointer|invalid conversion|no matching function) */
#include <userevents/printf.h>
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status), UE_STRING(path));
UE_EVENT(note, UE_STRING(text));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	(void)UE_WRITE(fd, request, 200, "/");
	return UE_PRINTF(fd, note, "status %d", 200);
#else
	return UE_PRINTF(fd, request, "status %d", 200);
#endif
}
