/* SPDX-License-Identifier: MIT */
/* Prints, as JSON, the places of numbers in a ring that tests in Python overwrite. */
#include <stddef.h>
#include <stdio.h>

#include "ring/layout.h"

int main(void)
{
	printf("{\"lost\": %zu, \"pages_at\": %zu, \"small_pages\": %zu, \"lost_in_page\": %zu, "
	       "\"small\": %u, \"large\": %u}\n",
	       offsetof(struct ue__ring, lost), offsetof(struct ue__ring, pages_at),
	       offsetof(struct ue__ring, small_pages), offsetof(struct ue__ring_page, lost),
	       UE__RING_SMALL, UE__RING_LARGE);
	return 0;
}
