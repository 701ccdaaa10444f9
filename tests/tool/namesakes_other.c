/* SPDX-License-Identifier: MIT */
/* The other event of the name in namesakes.c. */
#include <userevents/userevents.h>

UE_EVENT(tick, UE_U64(y));

int write_other(int fd);

int write_other(int fd)
{
	return UE_WRITE(fd, tick, 9);
}
