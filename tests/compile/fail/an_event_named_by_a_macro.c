/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of an event is a macro, it would be called state_of */
#include <userevents/userevents.h>

#define status state_of

#ifdef GOOD
UE_EVENT(state_of, UE_U32(number));
#else
UE_EVENT(status, UE_U32(number));
#endif
