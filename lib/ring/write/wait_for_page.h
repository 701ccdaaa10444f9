/* SPDX-License-Identifier: MIT */
/* The reader, for the files that write into a ring. */
#ifndef UE__RING_WAIT_FOR_PAGE_H
#define UE__RING_WAIT_FOR_PAGE_H

#include "ring_writer.h"

/* A page of this number was opened: wake a reader that needs it. */
void ue__ring_wake_for_half(struct ue__ring_writer *writer, int is_large, uint32_t number);
/* Is there a reader that may free pages? System calls. */
int ue__ring_has_reader(struct ue__ring_writer *writer);
/* Disable all events of the ring. */
void ue__ring_disable_all(struct ue__ring_writer *writer);
/*
 * Wait until pages are freed; freed: ring->freed before the search. 1 if there may be a page
 * now; 0 if nobody is there to free one.
 */
int ue__ring_wait_for_page(struct ue__ring_writer *writer, uint32_t freed);

#endif
