/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 1 to 10 bytes, as capture files and Protocol Buffers have them: 7 bits a byte from
 * the lowest on, each but the last with 0x80 added.
 */
#ifndef UE__TOOLS_COMMON_RECORDS_VARINT_H
#define UE__TOOLS_COMMON_RECORDS_VARINT_H

#include <stdint.h>

/* Bytes of the largest. */
#define VARINT_MOST 10u

/* The byte behind it. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

#endif
