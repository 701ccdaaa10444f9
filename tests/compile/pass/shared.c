/* SPDX-License-Identifier: MIT */
#include "logged.h"
#include "shared.h"

int write_shared(int fd)
{
	return UE_WRITE(fd, shared, 3, "shared") | write_shared_inline(fd, 4) |
	       log_shared_inline(fd, 4) |
	       UE_WRITE(fd, shared_log, 3, "shared", 0.25, NULL, 0);
}
