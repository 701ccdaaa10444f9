/* SPDX-License-Identifier: MIT */
#include "request.h"

void serve(int fd, uint32_t id)
{
	UE_WRITE(fd, request, "served", id);
}
