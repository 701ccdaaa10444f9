/* SPDX-License-Identifier: MIT */
/* EXPECT: .request_ue__word. (undeclared|was not declared)|undeclared identifier .request_ue__word. */
#include <userevents/userevents.h>

int report(int fd);

#ifdef GOOD
UE_EVENT(request, UE_U32(status));
#endif

int report(int fd)
{
	return UE_WRITE(fd, request, 200);
}

#ifndef GOOD
UE_EVENT(request, UE_U32(status));
#endif
