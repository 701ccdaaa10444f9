/* SPDX-License-Identifier: MIT */
/*
 * Linux 6.1 to 6.3: one page of status bits for the whole system.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"
#include "abi.h"

/*
 * The page, mapped once and for good: there is one on the system, and a writer may be
 * looking at it at any time. Set and read under the library's lock.
 */
static const uint8_t *status_page;

/* No address to read from: a user_events file says EFAULT, another one ENOTTY. */
int ue__status_page_probe(int fd)
{
	return ioctl(fd, UE__IOC_REG, NULL) && errno == EFAULT;
}

int ue__status_page_register(int fd, const char *definition,
			     uint32_t *status_bit, uint32_t *write_index)
{
	struct ue__status_page_reg reg = {
		.size = sizeof(reg),
		.name_args = (uintptr_t)definition,
	};

	if (ioctl(fd, UE__IOC_REG, &reg))
		return -errno;
	*status_bit = reg.status_bit;
	*write_index = reg.write_index;
	return 0;
}

/* The caller holds the library's lock. */
int ue__status_page_map(const char *path)
{
	void *page;
	int fd, error;

	if (status_page)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		    fd, 0);
	error = page == MAP_FAILED ? -errno : 0;
	close(fd);
	if (!error)
		status_page = page;
	return error;
}

/* Bits are counted from the low end of byte 0 on every byte order. */
const uint8_t *ue__status_page_byte(uint32_t status_bit)
{
	static const uint8_t always = 0xff;

	return status_page ? &status_page[status_bit / 8] : &always;
}

int ue__kernel_delete(int fd, const char *name)
{
	return ioctl(fd, UE__IOC_DEL, name) ? -errno : 0;
}
