/* SPDX-License-Identifier: MIT */
/* The second file of the program of scripts/matrix. */
#include "shared.h"

UE_EVENT_DEFINE(shared);
UE_TRACEPOINT_DEFINE(everything);
/* The same name in two files is two events to the program, and one to the kernel. */
UE_EVENT(alone, UE_U32(value), UE_STRING(text));

void write_other(int fd)
{
	UE_WRITE(fd, shared, 3);
	UE_WRITE(fd, alone, 4, "four");
	UE_WRITE_EVENTHEADER(fd, everything, "in place", UE_STRING(text, "five"));
}
