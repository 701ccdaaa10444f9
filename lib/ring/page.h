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
 * Count the events of a page from a place on, as far as its word says: those that are
 * done, those of them that a reader has taken out, and the holes. Records in a row that were
 * not begun are one hole. size: of the page.
 */
struct ue__ring_count {
	uint32_t done, taken, holes;
};

struct ue__ring_count ue__ring_count(const struct ue__ring_page *page, uint32_t size,
				     uint64_t word, uint32_t at);

/* Close a page that has this word, so that nobody reserves in it any more. The word now. */
uint64_t ue__ring_close_page(struct ue__ring_page *page, uint64_t word);

/*
 * Close a page in which this word was found, with all of it done, unless it is closed. 0
 * if it has another word by now.
 */
int ue__ring_give_back(struct ue__ring_page *page, uint64_t word);

/*
 * Events that were overwritten in a page so far, of 40 bits. Those of the page that its
 * state's owner has taken, and not counted yet, are among them.
 */
uint64_t ue__ring_gone(const struct ue__ring_memory *memory, uint32_t index);
#define UE__RING_GONE_MASK ((UINT64_C(1) << 40) - 1)

/*
 * Count the events of a page that the caller took, whose word this still is, unless
 * they were counted. The holes that were counted with them. Nobody else counts meanwhile,
 * as the page's state is the caller's.
 */
uint32_t ue__ring_count_gone(const struct ue__ring_memory *memory, uint32_t index,
			     uint64_t word);

/*
 * Nobody looks for a free page among thousands that are in use. Only of rings with drop and
 * wait; with overwrite, a page that is in use can be taken.
 *
 * The first page from at on, and before end, whose group may have a free one; end if there
 * is none.
 */
uint32_t ue__ring_find_group(const struct ue__ring_memory *memory, uint32_t at,
			     uint32_t end);
/* The first free page from at on, and before end; end if there is none. */
uint32_t ue__ring_find_free(const struct ue__ring_memory *memory, uint32_t at,
			    uint32_t end);
/* The end of the group of a page, or end, which is before. */
uint32_t ue__ring_end_of_group(uint32_t at, uint32_t end);
/* A page was taken, or is in use: its group may have no other one. */
void ue__ring_note_taken(const struct ue__ring_memory *memory, uint32_t index);
/* Do searches pass the group of this page? */
int ue__ring_is_passed(const struct ue__ring_memory *memory, uint32_t index);
/* A page was freed. */
void ue__ring_note_freed(const struct ue__ring_memory *memory, uint32_t index);

#endif
