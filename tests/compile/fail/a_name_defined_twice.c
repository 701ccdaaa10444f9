/* SPDX-License-Identifier: MIT */
/* EXPECT: redefinition of .*(ue__fixed_request|request_ue__(event|write)) */
#include <userevents/userevents.h>

UE_EVENT(request, UE_U32(status));
#ifndef GOOD
UE_EVENT(request, UE_U32(status));
#endif
