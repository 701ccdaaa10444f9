/* SPDX-License-Identifier: MIT */
/*
 * A program waits a second for its ring. A busy machine may need longer, so a test waits
 * for ever, unless it is about that second. It is linked with --wrap=poll.
 */
#ifndef UE__TESTS_RING_PATIENCE_H
#define UE__TESTS_RING_PATIENCE_H

#include <poll.h>

int __real_poll(struct pollfd *fds, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *fds, nfds_t count, int milliseconds);

#define A_LONG_WAIT 500

static int is_impatient;

int __wrap_poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
	const int is_long = milliseconds > A_LONG_WAIT && !is_impatient;

	return __real_poll(fds, count, is_long ? -1 : milliseconds);
}

#endif
