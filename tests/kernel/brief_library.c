/* SPDX-License-Identifier: MIT */
/* The event of a shared library that brief.c links. */
#include <userevents/userevents.h>

int brief_library_write(int fd);

UE_EVENT(brief_library, UE_U32(number));

int brief_library_write(int fd)
{
	return UE_WRITE(fd, brief_library, 8);
}
