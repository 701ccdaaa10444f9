/* SPDX-License-Identifier: MIT */
/* EXPECT: (UE_U128|status|expected) */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT(request, UE_U32(status));
#else
UE_EVENT(request, UE_U128(status));
#endif
