/* SPDX-License-Identifier: MIT */
/*
 * What the library asks of the kernel, without saying how. All return 0 or
 * -errno as the kernel gave it, and may change errno.
 */
#ifndef UE__KERNEL_KERNEL_H
#define UE__KERNEL_KERNEL_H

#include <stdint.h>

/* enable_address.c: Linux 6.4 and later. */

/* 1 when fd speaks this generation, 0 when not, -errno for anything odd. */
int ue__enable_address_probe(int fd);
/* Begin the calling thread's lineage (connect/lineage.c). */
int ue__enable_address_anchor(int fd);
/* In the lineage, under the lock; connect/lineage.h. */
/* Does the kernel know a UE_EVENT_* flag? 1, 0, or -errno when it cannot be told. */
int ue__enable_address_has_flag(int fd, uint32_t flag);
int ue__enable_address_register(int fd, const char *definition, uint32_t flags,
				uint32_t *word, uint32_t *write_index);
int ue__enable_address_unregister(int fd, uint32_t *word);

/* status_page.c: Linux 6.1 to 6.3. */

/* 1 when fd has a register ioctl at all, 0 when not. */
int ue__status_page_probe(int fd);
int ue__status_page_register(int fd, const char *definition,
			     uint32_t *status_bit, uint32_t *write_index);
/* Map the page of this system, once per process. */
int ue__status_page_map(const char *path);
/* The byte with the event's bit; one of ones when the page could not be mapped. */
const uint8_t *ue__status_page_byte(uint32_t status_bit);

/* Both generations. */
int ue__kernel_delete(int fd, const char *name);

#endif
