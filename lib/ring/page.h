/* SPDX-License-Identifier: MIT */
/* Pages, as writers and readers look at them. The memory is not trusted. */
#ifndef UE__RING_PAGE_H
#define UE__RING_PAGE_H

#include "layout.h"

/* Has the process of a slot ended, which has this id? A system call. lock_fd: any. */
int ue__ring_has_ended(const struct ue__ring_memory *memory, uint32_t slot, uint32_t id,
		       int lock_fd);
/* And that of this state of a page? It has, too, when the slot is another's. */
int ue__ring_is_dead(const struct ue__ring_memory *memory, uint64_t state, int lock_fd);

/*
 * Count the records of a page from a place on, as far as its word says: those that are
 * done, those of them that a reader has taken out, and the holes. Records in a row that were
 * not begun are one hole.
 */
struct ue__ring_count {
	uint32_t done, taken, holes;
};

struct ue__ring_count ue__ring_count(const struct ue__ring_page *page, uint64_t word,
				     uint32_t at);

/* Close a page that has this word, so that nobody reserves in it any more. The word now. */
uint64_t ue__ring_close_page(struct ue__ring_page *page, uint64_t word);

#endif
