/* SPDX-License-Identifier: MIT */
/* Values as text into the payload of an event. */
#ifndef UE__TOOLS_COMPOSE_PAYLOAD_BUILD_H
#define UE__TOOLS_COMPOSE_PAYLOAD_BUILD_H

#include <stddef.h>

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

#endif
