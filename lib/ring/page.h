/* SPDX-License-Identifier: MIT */
/* Pages, as writers and readers look at them. The memory is not trusted. */
#ifndef UE__RING_PAGE_H
#define UE__RING_PAGE_H

#include "layout.h"

/* Is the process that has this state of a page gone? A system call. lock_fd: any. */
int ue__ring_is_dead(const struct ue__ring_memory *memory, uint64_t state, int lock_fd);

/*
 * Are all records of a closed page done? Sets *count to their number. For page and word see
 * layout.h.
 */
int ue__ring_is_complete(const struct ue__ring_page *page, uint64_t word, uint32_t *count);

/* Close a page that has this word, so that nobody reserves in it any more. The word now. */
uint64_t ue__ring_close_page(struct ue__ring_page *page, uint64_t word);

#endif
