/* SPDX-License-Identifier: MIT */
/*
 * Test whether an event is enabled, by its word, which the kernel or a capture sets.
 */
#include <userevents/classic_event.h>

#include "binding.h"

UE__PUBLIC int ue__is_listened(const struct ue_event *event)
{
	uint32_t word = __atomic_load_n(event->word, __ATOMIC_ACQUIRE);

	return word && UE__WORD_SAYS(word, event);
}
