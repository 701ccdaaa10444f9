/* SPDX-License-Identifier: MIT */
/* Send a record that is packed already, inline: each way to pack one ends with this. */
#ifndef UE__WRITE_SEND_PACKED_H
#define UE__WRITE_SEND_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "state/binding.h"
#include "write.h"

static inline void ue__set_index(char *record, uint64_t binding)
{
	uint32_t index;

	/* Keeps the index out of a second register before the binding was compared. */
	__asm__("" : "+r"(binding));
	index = ue__binding_index(binding);
	memcpy(record, &index, INDEX_SIZE);
}

/*
 * The record is not empty, and at most as large as every session takes. The first parameters
 * have the order of the system call's, so no register is copied.
 */
static inline int ue__send_packed(int fd, char *record, size_t size,
				  struct ue_event *event)
{
	uint32_t *writers = ue__enter(record);
	uint64_t binding = ue__binding_of(event);

	if (__builtin_expect(!ue__is_bound_to(binding, fd), 0))
		return ue__end_elsewhere(fd, record, size, binding, event, writers);
	ue__set_index(record, binding);
	return ue__end_with(fd, record, size, event, writers);
}

#endif
