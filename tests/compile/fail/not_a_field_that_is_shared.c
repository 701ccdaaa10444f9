/* SPDX-License-Identifier: MIT */
/* EXPECT AT ONCE: UE_TEXT\(path\) is not a field */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT_DECLARE(request, UE_U32(status), UE_STRING(path));
UE_EVENT_DEFINE(request);
#else
UE_EVENT_DECLARE(request, UE_U32(status), UE_TEXT(path));
#endif
