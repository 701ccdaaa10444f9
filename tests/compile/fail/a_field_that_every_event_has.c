/* SPDX-License-Identifier: MIT */
/* EXPECT: every event has a field of this name: common_pid */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT(moved, UE_U32(pid));
#else
UE_EVENT(moved, UE_U32(common_pid));
#endif
