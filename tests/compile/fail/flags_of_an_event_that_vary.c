/* SPDX-License-Identifier: MIT */
/* EXPECT: constant */
#include <userevents/userevents.h>

uint32_t flags;

#ifdef GOOD
UE_EVENT_FLAGS(UE_EVENT_PERSIST, order, UE_U32(number));
#else
UE_EVENT_FLAGS(flags, order, UE_U32(number));
#endif
