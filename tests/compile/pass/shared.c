/* SPDX-License-Identifier: MIT */
#include "shared.h"

int write_shared(int fd)
{
	return UE_WRITE(fd, shared, 3, "shared") | write_shared_inline(fd, 4);
}
