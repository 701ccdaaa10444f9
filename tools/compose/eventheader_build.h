/* SPDX-License-Identifier: MIT */
/* EventHeader events from words. */
#ifndef UE__TOOLS_COMPOSE_EVENTHEADER_BUILD_H
#define UE__TOOLS_COMPOSE_EVENTHEADER_BUILD_H

#include <userevents/builder.h>

/* The types, as --help describes them. */
#define EVENTHEADER_TYPES \
	"u8 u16 u32 u64 s8 s16 s32 s64, x8 x16 x32 x64 (shown in hex), f32 f64, all also\n" \
	"as arrays, \"u32[] sizes=1,2,3\"; bool, str, bytes (in hex), uuid, ip"

/*
 * The event of this name, with a field for each of the words "[TYPE ]NAME=VALUE". 0, or
 * -1 after a message that begins with the command's name.
 */
int eventheader_build(struct ue_builder *builder, const char *name, int count,
		      char **words, const char *command);

#endif
