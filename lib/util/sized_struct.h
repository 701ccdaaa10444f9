/* SPDX-License-Identifier: MIT */
/*
 * Structs that the caller allocates may be those of an earlier or a later version:
 * shorter or longer than the library's. Options begin with their size. Results are passed
 * with it, by functions NAME_sized() that the inline functions of the headers call.
 */
#ifndef UE__UTIL_SIZED_STRUCT_H
#define UE__UTIL_SIZED_STRUCT_H

#include <stddef.h>
#include <string.h>

/* The size of a version whose last member this was. */
#define UE__SIZE_UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Is any byte set behind the part that this version knows? */
static inline int ue__has_tail(const void *object, size_t known, size_t size)
{
	const char *bytes = object;

	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return 1;
	return 0;
}

/* Copy a result to the caller's struct; members that this version lacks become 0. */
static inline void ue__hand_out(void *to, size_t size, const void *result, size_t known)
{
	memcpy(to, result, size < known ? size : known);
	if (size > known)
		memset((char *)to + known, 0, size - known);
}

#endif
