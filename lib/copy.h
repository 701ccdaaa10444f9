/* SPDX-License-Identifier: MIT */
#ifndef UE__COPY_H
#define UE__COPY_H

#include <stddef.h>
#include <string.h>

/* memcpy() of what is mostly short: up to 16 bytes without a call. */
static inline void ue__copy(char *to, const char *from, size_t length)
{
	if (length > 16) {
		memcpy(to, from, length);
	} else if (length >= 8) {
		memcpy(to, from, 8);
		memcpy(to + length - 8, from + length - 8, 8);
	} else {
		for (size_t i = 0; i < length; i++)
			to[i] = from[i];
	}
}

#endif
