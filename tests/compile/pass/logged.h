/* SPDX-License-Identifier: MIT */
/* A tracepoint and its events, for the files of the program. */
#ifndef LOGGED_H
#define LOGGED_H

#include <userevents/userevents.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pair {
	uint8_t x, y;
};

UE_PROVIDER(everywhere, "Everywhere", "g1");
UE_TRACEPOINT_DECLARE(logged, everywhere, UE_LEVEL_INFORMATION, 0x1f);
UE_EVENTHEADER(logged, shared_log, UE_U32(number), UE_STRING(text), UE_F64(ratio),
	     UE_STRUCTS(struct pair, pairs, UE_U8(x), UE_U8(y)));

static inline int log_shared_inline(int fd, uint32_t number)
{
	const struct pair pair = { 1, 2 };

	return UE_WRITE(fd, shared_log, number, "inline", 0.5, &pair, 1) |
	       UE_WRITE_ACTIVITY(fd, NULL, NULL, shared_log, 1, "", 1, NULL, 0) |
	       UE_WRITE_EVENTHEADER(fd, logged, "in_place", UE_U32(number, number), UE_F64(ratio, 1));
}

#ifdef __cplusplus
}
#endif

#endif
