/* SPDX-License-Identifier: MIT */
/* EXPECT: (pasting .* does not give a valid preprocessing token|pasting formed|expected) */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT(request_done, UE_U32(status));
#else
UE_EVENT("request done", UE_U32(status));
#endif
