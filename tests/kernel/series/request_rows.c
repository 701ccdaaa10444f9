/* SPDX-License-Identifier: MIT */
/*
 * Asks for the answers of user_events_data's requests to a bad address, or in a 32-bit
 * program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

static void *map_pages(size_t size, int protection, int flags)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* Linux 6.1 takes the members of the later generation for an unknown extension. */
static void read_only_word(void)
{
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_size = 4,
		.enable_addr = (uintptr_t)map_pages(4096, PROT_READ, 0),
		.name_args = (uintptr_t)"read_only_word u32 a",
	};
	int fd = open_tracefs("user_events_data", O_RDWR);

	answer("%s", verdict(ioctl(fd, UE__IOC_REG, &reg)));
	close(fd);
}

/* The first half of the struct has a reserved member that is set, the rest is absent. */
static void half_of_unregister(void)
{
	struct ue__enable_address_unreg unreg = { .size = sizeof(unreg), .reserved1 = 1 };
	int fd = open_tracefs("user_events_data", O_RDWR);
	char *pages = map_pages(2 * 4096, PROT_READ | PROT_WRITE, 0);

	mprotect(pages + 4096, 4096, PROT_NONE);
	memcpy(pages + 4096 - 8, &unreg, 8);
	answer("%s", verdict(ioctl(fd, UE__IOC_UNREG, pages + 4096 - 8)));
	close(fd);
}

#ifdef __x86_64__
/* The number that a 32-bit program has, where a pointer has 4 bytes. */
#define REGISTER_32 _IOWR('*', 0, uint32_t)

/* The system call of 32-bit programs, which all programs may use. */
static int ioctl_32(int fd, unsigned long request, void *argument)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(54L), "b"((long)fd), "c"(request), "d"(argument)
			 : "memory", "r8", "r9", "r10", "r11");
	if (result < 0)
		errno = -(int)result;
	return result < 0 ? -1 : 0;
}

/* A 32-bit program has all of this in the first 4 GiB. Linux 6.1 knows no word. */
static void register_in_32_bits(uint8_t enable_size)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	char *page = map_pages(4096, PROT_READ | PROT_WRITE, MAP_32BIT);
	char *definition = strcpy(page + 64, "of_32_bits u32 a");
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_size = enable_size,
		.enable_addr = (uintptr_t)page + 128,
		.name_args = (uintptr_t)definition,
	};
	struct ue__status_page_reg old = {
		.size = sizeof(old),
		.name_args = (uintptr_t)definition,
	};

	memcpy(page, &reg, sizeof(reg));
	if (is_6_1())
		memcpy(page, &old, sizeof(old));
	answer("%s", verdict(ioctl_32(fd, REGISTER_32, page)));
	close(fd);
}
#else
static void register_in_32_bits(uint8_t enable_size)
{
	(void)enable_size;
	answer("not asked on this processor");
}
#endif

static void word_of_4_bytes(void)
{
	register_in_32_bits(4);
}

static void word_of_8_bytes(void)
{
	register_in_32_bits(8);
}

const struct surprise request_surprises[] = {
	{ "word-read-only", "registering with an enable address that cannot be written",
	  read_only_word },
	{ "unregister-half", "unregistering with half of the struct in memory",
	  half_of_unregister },
	{ "register-32", "registering in a 32-bit program", word_of_4_bytes },
	{ "register-32-wide", "registering in a 32-bit program with a word of 8 bytes",
	  word_of_8_bytes },
	{ 0 },
};
