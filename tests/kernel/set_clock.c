/* SPDX-License-Identifier: MIT */
/* Preloaded into the tool: the wall clock is set an hour ahead once the file SET_CLOCK exists. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
	const long result = syscall(SYS_clock_gettime, clock, time);
	const int error = errno;

	if (!result && clock == CLOCK_REALTIME && !access(getenv("SET_CLOCK"), F_OK))
		time->tv_sec += 3600;
	errno = error;
	return (int)result;
}
