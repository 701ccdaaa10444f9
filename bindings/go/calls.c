/* SPDX-License-Identifier: MIT */
#include "calls.h"

int calls_open_path(const char *path)
{
	const struct ue_open_opts opts = { .size = sizeof(opts), .path = path };

	return ue_open(&opts);
}

int calls_open_fd(int fd)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .fd = fd, .flags = UE_OPEN_FD
	};

	return ue_open(&opts);
}
