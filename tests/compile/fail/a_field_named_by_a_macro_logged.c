/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of a field is a macro, it would be called .*errno */
#include <errno.h>

#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

int report(int fd);

int report(int fd)
{
#ifdef GOOD
	return UE_WRITE_EVENTHEADER(fd, info, "Failed", UE_ERRNO(error, errno), UE_STRING(what , "lost"));
#else
	return UE_WRITE_EVENTHEADER(fd, info, "Failed", UE_ERRNO(errno, errno));
#endif
}
