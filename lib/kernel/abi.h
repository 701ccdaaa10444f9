/* SPDX-License-Identifier: MIT */
/*
 * The kernel's user_events interface, of both generations.
 *
 * It is defined here because a system's <linux/user_events.h> has one generation, and
 * the running kernel may have the other. Sources: include/uapi/linux/user_events.h of
 * Linux 6.12; include/linux/user_events.h of Linux 6.1.
 */
#ifndef UE__KERNEL_ABI_H
#define UE__KERNEL_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define UE__IOC_REG _IOWR('*', 0, void *)
#define UE__IOC_DEL _IOW('*', 1, void *)
#define UE__IOC_UNREG _IOW('*', 2, void *)

/* Linux 6.4 and later: struct user_reg. */
struct ue__enable_address_reg {
	uint32_t size;
	uint8_t enable_bit;
	uint8_t enable_size;
	uint16_t flags;
	uint64_t enable_addr;
	uint64_t name_args;
	uint32_t write_index; /* out */
} __attribute__((packed));

_Static_assert(sizeof(struct ue__enable_address_reg) == 28, "user_reg, 6.4");
_Static_assert(offsetof(struct ue__enable_address_reg, flags) == 6, "6.4");
_Static_assert(offsetof(struct ue__enable_address_reg, enable_addr) == 8, "6.4");
_Static_assert(offsetof(struct ue__enable_address_reg, name_args) == 16, "6.4");
_Static_assert(offsetof(struct ue__enable_address_reg, write_index) == 24, "6.4");

/* Linux 6.4 and later: struct user_unreg. */
struct ue__enable_address_unreg {
	uint32_t size;
	uint8_t disable_bit;
	uint8_t reserved1;
	uint16_t reserved2;
	uint64_t disable_addr;
} __attribute__((packed));

_Static_assert(sizeof(struct ue__enable_address_unreg) == 16, "user_unreg, 6.4");
_Static_assert(offsetof(struct ue__enable_address_unreg, disable_addr) == 8, "6.4");

/* Linux 6.1 to 6.3: struct user_reg. */
struct ue__status_page_reg {
	uint32_t size;
	uint64_t name_args;
	uint32_t status_bit;  /* out */
	uint32_t write_index; /* out */
} __attribute__((packed));

_Static_assert(sizeof(struct ue__status_page_reg) == 20, "user_reg, 6.1");
_Static_assert(offsetof(struct ue__status_page_reg, name_args) == 4, "6.1");
_Static_assert(offsetof(struct ue__status_page_reg, status_bit) == 12, "6.1");
_Static_assert(offsetof(struct ue__status_page_reg, write_index) == 16, "6.1");

#endif
