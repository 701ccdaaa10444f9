/* SPDX-License-Identifier: MIT */
/*
 * The system calls of the write path, without libc in between: they do not change errno, are
 * no cancellation point, and cost no instruction that the kernel does not require. Both
 * functions return the kernel's result, -errno on failure.
 *
 * The session's back end chooses between write(2) and pwrite64(2) at offset 0. They differ
 * in the number alone: write(2) ignores the offset. So an event keeps that number, and a
 * write needs no branch.
 */
#ifndef UE__KERNEL_SYSTEM_CALL_H
#define UE__KERNEL_SYSTEM_CALL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#if defined(__x86_64__) && !defined(__ILP32__)

/* pwritev(2) has a fifth argument, the upper half of a 32-bit kernel's offset. */
static inline long ue__system_call_at_0(long number, int fd, const void *data, size_t count)
{
	register long offset __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(fd), "S"(data), "d"(count), "r"(offset)
			 : "rcx", "r11", "memory");
	return result;
}

#else

#include <errno.h>
#include <unistd.h>

/* An offset takes two registers of 32 bits, on some machines an even pair. */
static inline long ue__system_call_at_0(long number, int fd, const void *data, size_t count)
{
	const int saved = errno;
	long result = syscall(number, fd, data, count, 0l, 0l, 0l);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}

#endif

/* number: SYS_write or SYS_pwrite64. */
static inline long ue__system_write(uint32_t number, int fd, const void *data, size_t size)
{
	return ue__system_call_at_0(number, fd, data, size);
}

/* The same for pieces. */
static inline long ue__system_writev(uint32_t number, int fd, const struct iovec *iov,
				     int count)
{
	return ue__system_call_at_0(number == SYS_pwrite64 ? SYS_pwritev : SYS_writev, fd,
				    iov, (size_t)count);
}

#endif
