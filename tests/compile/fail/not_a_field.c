/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: U32\(status\) is not a field */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT(request, UE_U32(status));
#else
UE_EVENT(request, U32(status));
#endif
