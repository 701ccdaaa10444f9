/* SPDX-License-Identifier: MIT */
/*
 * The two system calls of the write path, without libc between: they leave errno
 * alone, are no cancellation point, and cost no instruction that the kernel does
 * not ask for. Both return what the kernel returns, -errno on failure.
 */
#ifndef UE__KERNEL_SYSTEM_CALL_H
#define UE__KERNEL_SYSTEM_CALL_H

#include <sys/syscall.h>
#include <sys/uio.h>

#if defined(__x86_64__) && !defined(__ILP32__)

static inline long ue__system_call3(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

#else

#include <errno.h>
#include <unistd.h>

static inline long ue__system_call3(long number, long a, long b, long c)
{
	const int saved = errno;
	long result = syscall(number, a, b, c);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}

#endif

static inline long ue__system_write(int fd, const void *data, size_t length)
{
	return ue__system_call3(SYS_write, fd, (long)data, (long)length);
}

static inline long ue__system_writev(int fd, const struct iovec *iov, int count)
{
	return ue__system_call3(SYS_writev, fd, (long)iov, count);
}

#endif
