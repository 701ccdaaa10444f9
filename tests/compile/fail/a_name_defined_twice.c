/* SPDX-License-Identifier: MIT */
/* EXPECT: redefinition of .*ue__(fixed|event|write)_request */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status));
#ifndef GOOD
UE_EVENT(request, UE_U32(status));
#endif
