/* SPDX-License-Identifier: MIT */
/* EXPECT: .ue__word_request. (undeclared|was not declared)|undeclared identifier .ue__word_request. */
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
