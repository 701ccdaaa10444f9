/* SPDX-License-Identifier: MIT */
/*
 * The requests to the kernel's user_events, as enable_address.c and status_page.c make
 * them. All return 0 or -errno as the kernel gave it, and may change errno.
 */
#ifndef UE__KERNEL_REQUESTS_H
#define UE__KERNEL_REQUESTS_H

#include <stdint.h>

/* Linux 6.4 and later. */

/* 1 if fd has this generation's interface, 0 if not, -errno for any other answer. */
int ue__enable_address_probe(int fd);
/* Begin the calling thread's lineage (lineage.c). */
int ue__enable_address_anchor(int fd);
/* Call the rest in the lineage. */
/* Does the kernel know a UE_EVENT_* flag? 1, 0, or -errno for any other answer. */
int ue__enable_address_has_flag(int fd, uint32_t flag);
int ue__enable_address_register(int fd, const char *definition, uint32_t flags,
				uint32_t *word, uint32_t *write_index);
int ue__enable_address_unregister(int fd, uint32_t *word);

/* Both generations. */
int ue__kernel_delete(int fd, const char *name);

#endif
