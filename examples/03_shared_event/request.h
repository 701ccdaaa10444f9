/* SPDX-License-Identifier: MIT */
/* An event that several source files write. */
#ifndef REQUEST_H
#define REQUEST_H

#include <userevents/userevents.h>

UE_EVENT_DECLARE(request, UE_STRING(step), UE_U32(id));

void serve(int fd, uint32_t id);

#endif
