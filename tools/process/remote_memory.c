/* SPDX-License-Identifier: MIT */
#include "remote_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* A transfer ends between two pieces, so none crosses a page of the smallest size. */
#define PAGE 4096u

/* For a kernel without CONFIG_CROSS_MEMORY_ATTACH: slower, the rest is the same. */
static ssize_t read_file(pid_t pid, uint64_t address, void *to, size_t size)
{
	char path[32];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = pread64(fd, to, size, (off64_t)address);
	if (got < 0)
		got = errno == EIO ? -EFAULT : -errno;
	close(fd);
	return got;
}

static ssize_t read_some(pid_t pid, uint64_t address, void *to, size_t size)
{
	const size_t first = PAGE - address % PAGE < size ? PAGE - address % PAGE : size;
	const struct iovec local = { to, size };
	const struct iovec remote[] = {
		{ (void *)(uintptr_t)address, first },
		{ (void *)(uintptr_t)(address + first), size - first },
	};
	ssize_t got = process_vm_readv(pid, &local, 1, remote, 2, 0);

	if (got < 0 && errno == ENOSYS)
		return read_file(pid, address, to, size);
	return got < 0 ? -errno : got;
}

int memory_read(pid_t pid, uint64_t address, void *to, size_t size)
{
	ssize_t got = read_some(pid, address, to, size);

	if (got < 0)
		return (int)got;
	return (size_t)got == size ? 0 : -EFAULT;
}

int memory_text(pid_t pid, uint64_t address, char *to, size_t size)
{
	ssize_t got = read_some(pid, address, to, size - 1);

	if (got < 0)
		return (int)got;
	if ((size_t)got < size - 1 && !memchr(to, '\0', (size_t)got))
		return -EFAULT;
	to[got] = '\0';
	return (int)strlen(to);
}
