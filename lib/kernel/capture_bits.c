/* SPDX-License-Identifier: MIT */
/*
 * Set bits of a capture's page.
 */
#include "capture_page.h"

void ue__capture_set_bit(struct ue__capture_page *page, uint32_t index, int is_set)
{
	uint8_t mask = (uint8_t)(1u << index % 8);

	if (is_set)
		__atomic_fetch_or(&page->bits[index / 8], mask, __ATOMIC_RELEASE);
	else
		__atomic_fetch_and(&page->bits[index / 8], (uint8_t)~mask,
				   __ATOMIC_RELEASE);
}

void ue__capture_disable_all(struct ue__capture_page *page)
{
	uint32_t count = __atomic_load_n(&page->next_index, __ATOMIC_RELAXED);

	if (count > UE__CAPTURE_EVENTS)
		count = UE__CAPTURE_EVENTS;
	for (uint32_t i = 0; i < (count + 7) / 8; i++)
		__atomic_store_n(&page->bits[i], 0, __ATOMIC_RELAXED);
}
