/* SPDX-License-Identifier: MIT */
/* The status bits of Linux 6.1 to 6.3, as user_events_status offers them to mmap(2). */
#ifndef UE__KERNEL_STATUS_BITS_H
#define UE__KERNEL_STATUS_BITS_H

#include <stdint.h>

/* Mapped once and never unmapped, as a writer may read them at any time. */
struct ue__status_bits {
	const uint8_t *at; /* NULL: not mapped */
	uint32_t count;
};

/*
 * Map all bits of a user_events_status file: as many as its text says in "Max: N".
 *
 * Returns 0; -EOPNOTSUPP if the file has a byte for each event (Linux 5.18 to 6.0); or
 * another -errno if the file cannot be read or mapped. Then *bits does not change.
 */
int ue__status_bits_map(struct ue__status_bits *bits, const char *path);

/*
 * The byte with an event's bit. Bits are counted from the low end of byte 0 on every byte
 * order. A bit that is not mapped gets a byte that is always set, so that each write asks
 * the kernel.
 */
const uint8_t *ue__status_byte(const struct ue__status_bits *bits, uint32_t bit);

#endif
