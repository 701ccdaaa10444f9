/* SPDX-License-Identifier: MIT */
#ifndef UE__UTIL_COPY_H
#define UE__UTIL_COPY_H

#include <stddef.h>
#include <string.h>

/* memcpy() for mostly short data: up to 32 bytes without a call. */
static inline void ue__copy(char *to, const char *from, size_t length)
{
	if (length - 8 <= 8) {
		memcpy(to, from, 8);
		memcpy(to + length - 8, from + length - 8, 8);
	} else if (length > 32) {
		memcpy(to, from, length);
	} else if (length > 16) {
		memcpy(to, from, 16);
		memcpy(to + length - 16, from + length - 16, 16);
	} else if (length >= 4) {
		memcpy(to, from, 4);
		memcpy(to + length - 4, from + length - 4, 4);
	} else if (length) {
		to[0] = from[0];
		to[length / 2] = from[length / 2];
		to[length - 1] = from[length - 1];
	}
}

#endif
