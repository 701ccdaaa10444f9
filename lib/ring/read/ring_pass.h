/* SPDX-License-Identifier: MIT */
/* Functions shared by the files that read a ring. */
#ifndef UE__RING_RING_PASS_H
#define UE__RING_RING_PASS_H

#include "ring_reader.h"

static inline uint32_t ue__ring_head_at(const struct ue__ring_page *page, uint32_t at)
{
	return __atomic_load_n((const uint32_t *)(const void *)((const char *)page + at),
			       __ATOMIC_ACQUIRE);
}

static inline struct ue__ring_moment ue__ring_moment_of(const struct ue__ring_page *page)
{
	return (struct ue__ring_moment){ page->counter, page->monotonic, page->real };
}

/* Begin to look at a page with this number. */
void ue__ring_forget(struct ue__ring_seen *seen, uint32_t number);
void ue__ring_forget_references(struct ue__ring_reader *reader);
/* Go through the records of a page. 0 or -ENOMEM. */
int ue__ring_collect_page(struct ue__ring_reader *reader, uint32_t index, uint32_t end);
/* Go through all pages, and sort their records. 0 or -ENOMEM. */
int ue__ring_pass(struct ue__ring_reader *reader);

#endif
