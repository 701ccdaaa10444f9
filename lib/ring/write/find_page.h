/* SPDX-License-Identifier: MIT */
/* Pages, for the files that write into a ring. */
#ifndef UE__RING_FIND_PAGE_H
#define UE__RING_FIND_PAGE_H

#include "ring_writer.h"

static inline uint64_t ue__ring_with_room(uint64_t current, uint32_t room)
{
	return (current & ~(UINT64_C(31) << UE__RING_ROOM_SHIFT)) |
	       room >> UE__RING_UNIT_SHIFT << UE__RING_ROOM_SHIFT;
}

/* All small pages come first, and each is a unit. */
static inline int ue__ring_is_large_page(const struct ue__ring_writer *writer,
					 uint64_t current)
{
	return ((uint32_t)current & UE__RING_PLACE) >= writer->memory.small_count;
}

static inline uint32_t ue__ring_index_of(const struct ue__ring_writer *writer,
					 uint64_t current)
{
	const uint32_t small = writer->memory.small_count;
	const uint32_t place = (uint32_t)current & UE__RING_PLACE;

	return place < small ? place :
			       small + (place - small) / (UE__RING_LARGE / UE__RING_UNIT);
}

static inline uint32_t ue__ring_size_of_page(const struct ue__ring_writer *writer,
					     uint64_t current)
{
	return ue__ring_is_large_page(writer, current) ? UE__RING_LARGE : UE__RING_SMALL;
}

/*
 * How much of a large page is cleared when it is opened, which takes long in itself, and
 * how much at once later: it has three more pieces.
 */
#define UE__RING_FIRST_PIECE 512u
#define UE__RING_PIECE 2560u

/*
 * Clear a page from one place to some way behind another: to where it has room now, which is
 * returned. size: of the page; piece: how much is cleared, or more at its end.
 */
uint32_t ue__ring_clear_piece(struct ue__ring_page *page, uint32_t begin, uint32_t end,
			      uint32_t size, uint32_t piece);
/* The page whose turn comes half a round after that of one, the at-th of its size. */
static inline struct ue__ring_page *
ue__ring_half_a_round_ahead(const struct ue__ring_writer *writer, int is_large,
			    uint32_t at)
{
	const uint32_t count = ue__ring_count_of(&writer->memory, is_large);
	const uint32_t left = count - count / 2;
	const uint32_t ahead = at < left ? at + count / 2 : at - left;

	return ue__ring_page(&writer->memory,
			     ue__ring_first(&writer->memory, is_large) + ahead);
}

/*
 * Take a page of a size, for a first record. As its writer knows it, or UE__RING_NO_PAGE if
 * there is none.
 */
uint64_t ue__ring_find_page(struct ue__ring_writer *writer, int is_large, uint32_t total);
/* A large page was taken from these older events: give back the small one before it. */
void ue__ring_free_first(struct ue__ring_writer *writer, uint32_t cpu,
			 const struct ue__ring_page *overwritten);

#endif
