/* SPDX-License-Identifier: MIT */
/*
 * Asks which definitions the kernel accepts.
 */
#include <fcntl.h>
#include <unistd.h>

#include "surprises.h"

/* One that fails with EINVAL is registered by neither generation. */
static void empty_name(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);

	answer("%s", verdict(register_raw(fd, " u32 a", NULL)));
	close(fd);
}

const struct surprise definition_surprises[] = {
	{ "empty-name", "registering an event with an empty name", empty_name },
	{ 0 },
};
