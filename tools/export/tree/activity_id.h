/* SPDX-License-Identifier: MIT */
/* The ids of activities. */
#ifndef UE__TOOLS_EXPORT_TREE_ACTIVITY_ID_H
#define UE__TOOLS_EXPORT_TREE_ACTIVITY_ID_H

#include <stdint.h>
#include <string.h>

#define ACTIVITY_SIZE 16

/* All zeros is none, as is NULL. */
static inline int activity_is_set(const uint8_t *id)
{
	static const uint8_t none[ACTIVITY_SIZE];

	return id && memcmp(id, none, ACTIVITY_SIZE);
}

#endif
