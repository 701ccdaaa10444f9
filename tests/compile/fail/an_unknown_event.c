/* SPDX-License-Identifier: MIT */
/* EXPECT: .ue__word_reqest. (undeclared|was not declared)|undeclared identifier .ue__word_reqest. */
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
