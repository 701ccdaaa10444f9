/* SPDX-License-Identifier: MIT */
/* Values as a person gives them: as bytes, and as the payload of an event. */
#ifndef UE__TOOLS_COMPOSE_COMPOSE_H
#define UE__TOOLS_COMPOSE_COMPOSE_H

#include <stddef.h>

#include <userevents/abi/eventheader.h>
#include <userevents/builder.h>
#include <userevents/decode/record.h>

struct payload {
	unsigned char bytes[65536];
	size_t length;
};

/*
 * field=value for every field: integers in decimal or 0x; text; arrays as 1,2,3; other
 * bytes in hex. format: of the definition. 0, or -1 after a message that begins with the
 * command's name.
 */
int payload_build(struct payload *payload, const char *definition,
		  const struct ue_record_layout *format, int count, char **assignments,
		  const char *command);

/* The numbers of a field; their bytes are in the order of this machine. */
struct number_type {
	enum ue_format format; /* UE_FORMAT_SIGNED_INT, UE_FORMAT_FLOAT, or else unsigned */
	size_t size; /* 1, 2, 4 or 8; of floating point 4 or 8 */
};

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
