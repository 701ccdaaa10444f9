/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of a field is a macro, it would be called state_of */
#include <userevents/userevents.h>

#define status state_of

#ifdef GOOD
UE_EVENT(moved, UE_U32(state_of));
#else
UE_EVENT(moved, UE_U32(status));
#endif
