/* SPDX-License-Identifier: MIT */
/* Which size of a ring is for which machine: doc/fleet.md has the table. */
#ifndef UE__TOOLS_RECORDS_RING_SIZE_H
#define UE__TOOLS_RECORDS_RING_SIZE_H

#include <stdint.h>

#include <userevents/ring.h>

/* How many processors may write at once, each with a page to fill and one that is read. */
uint64_t ring_processors_most(const struct ue_ring_info *info);
/* How many processes may write at a time. */
uint64_t ring_processes_most(const struct ue_ring_info *info);
/*
 * The size, doubled as often as needed, of a ring for so many processors, and one more
 * process than write to it; info->bytes if it fits.
 */
uint64_t ring_bytes_for(const struct ue_ring_info *info, uint64_t processors);
/* As --size takes it: "16M". To be freed. */
char *ring_bytes_text(uint64_t bytes);
/* "4 processors and 64 processes"; to be freed. */
char *ring_fits_text(const struct ue_ring_info *info);

#endif
