/* SPDX-License-Identifier: MIT */
/* The fast lane of JSON. */
#ifndef UE__RENDER_JSON_PLAIN_H
#define UE__RENDER_JSON_PLAIN_H

#include "read/cursor.h"
#include "util/byte_buffer.h"

/*
 * Put the members that are next, as far as they are plain; none is fine. is_first
 * when no member is before them. 1 when there was any, else 0.
 */
int ue__json_plain_fields(struct ue__bytes *bytes, struct ue__reader *reader,
			  int is_first);

#endif
