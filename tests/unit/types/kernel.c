/* SPDX-License-Identifier: MIT */
/*
 * The types of a kernel's user_events, by -DVERSION=504 for Linux 5.4 and so on: compiled to
 * an object with type information, in the place of vmlinux.
 */
#include <stdint.h>

#if VERSION >= 604
struct user_reg {
	uint32_t size;
	uint8_t enable_bit;
	uint8_t enable_size;
	uint16_t flags;
	uint64_t enable_addr;
	uint64_t name_args;
	uint32_t write_index;
} __attribute__((packed));
#elif VERSION >= 601
struct user_reg {
	uint32_t size;
	uint64_t name_args;
	uint32_t status_bit;
	uint32_t write_index;
} __attribute__((packed));
#elif VERSION >= 518
struct user_reg {
	uint32_t size;
	uint64_t name_args;
	uint32_t status_index;
	uint32_t write_index;
} __attribute__((packed));
#elif VERSION == 0 /* one that nobody knows */
struct user_reg {
	uint32_t size;
	uint32_t enable_addr; /* not in 12 bytes */
	uint32_t name_args;
};
#else
struct user_reg_of_others {
	uint32_t size;
};
#define user_reg user_reg_of_others
#endif

/* 6.4 to 6.6 have the same enum, but not in the header for programs, and refuse the flag. */
#if VERSION >= 609
enum user_reg_flag {
	USER_EVENT_REG_PERSIST = 1U << 0,
	USER_EVENT_REG_MULTI_FORMAT = 1U << 1,
	USER_EVENT_REG_MAX = 1U << 2,
};
#elif VERSION >= 604
enum user_reg_flag {
	USER_EVENT_REG_PERSIST = 1U << 0,
	USER_EVENT_REG_MAX = 1U << 1,
};
#endif

struct user_reg used;
#if VERSION >= 604
enum user_reg_flag used_flag = USER_EVENT_REG_PERSIST;
#endif

#if VERSION >= 607
__attribute__((noinline)) int user_event_capable(uint16_t reg_flags);
int user_event_capable(uint16_t reg_flags)
{
	return !(reg_flags & USER_EVENT_REG_PERSIST);
}
#endif
