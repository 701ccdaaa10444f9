/* SPDX-License-Identifier: MIT */
/* Structs of the user's begin with their size, which may be a later version's. */
#ifndef UE__UTIL_SIZED_STRUCT_H
#define UE__UTIL_SIZED_STRUCT_H

#include <stddef.h>

/* Does it use what lies behind the part that is known here? */
static inline int ue__has_tail(const void *object, size_t known, size_t size)
{
	const char *bytes = object;

	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return 1;
	return 0;
}

#endif
