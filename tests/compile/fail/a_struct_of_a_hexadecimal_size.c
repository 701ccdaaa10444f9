/* SPDX-License-Identifier: MIT */
/* EXPECT: the size of the struct to is not written as a decimal number */
#include <userevents/userevents.h>

struct point {
	int x, y;
};

#ifdef GOOD
UE_EVENT(moved, UE_STRUCT_BYTES(point, to, 8));
#else
UE_EVENT(moved, UE_STRUCT_BYTES(point, to, 0x8));
#endif
