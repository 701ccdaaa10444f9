/* SPDX-License-Identifier: MIT */
/* Records that the recorder adds to those of the kernel. */
#ifndef UE__TOOLS_RECORD_STORE_MADE_RECORD_H
#define UE__TOOLS_RECORD_STORE_MADE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"

/*
 * Add a record as the dummy (perf_rings.h) would write it: its end has process and thread,
 * time and processor, which are 0, and the id of the dummy.
 *
 * who: process and thread, 4 bytes each. The content's length is a multiple of 8.
 */
void made_record_add(struct bytes *bytes, uint32_t type, const void *content,
		     size_t length, uint64_t who, uint64_t id);

#endif
