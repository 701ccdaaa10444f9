/* SPDX-License-Identifier: MIT */
/* EXPECT: .reqest_ue__word. (undeclared|was not declared)|undeclared identifier .reqest_ue__word. */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status));

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE(fd, request, 200);
#else
	return UE_WRITE(fd, reqest, 200);
#endif
}
