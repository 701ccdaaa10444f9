/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the tool: its regular looks, up to a tenth of a second apart, never come.
 * So what it does, it does because a descriptor told it to.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100

static int wait_for(struct pollfd *fds, nfds_t count, int milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	const int is_endless = milliseconds < 0 || (milliseconds && milliseconds <= TICK_MS);

	return (int)syscall(SYS_ppoll, fds, count, is_endless ? NULL : &time, NULL, 0);
}

int poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
	return wait_for(fds, count, milliseconds);
}

/* With _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t size);

int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t size)
{
	(void)size;
	return wait_for(fds, count, milliseconds);
}
