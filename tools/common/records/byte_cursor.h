/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers from unchecked bytes. Past the end each is 0, and is_short is set: check
 * it once, after the last.
 */
#ifndef UE__TOOLS_RECORDS_BYTE_CURSOR_H
#define UE__TOOLS_RECORDS_BYTE_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	int is_big_endian;
	int is_short;
};

#define HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t load_u16(const uint8_t *bytes, int is_big_endian)
{
	uint16_t number;

	memcpy(&number, bytes, sizeof(number));
	return is_big_endian == HOST_IS_BIG_ENDIAN ? number : __builtin_bswap16(number);
}

static inline uint32_t load_u32(const uint8_t *bytes, int is_big_endian)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return is_big_endian == HOST_IS_BIG_ENDIAN ? number : __builtin_bswap32(number);
}

static inline uint64_t load_u64(const uint8_t *bytes, int is_big_endian)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return is_big_endian == HOST_IS_BIG_ENDIAN ? number : __builtin_bswap64(number);
}

static inline struct cursor cursor_of(const void *bytes, size_t length, int is_big_endian)
{
	const uint8_t *at = bytes;

	return (struct cursor){ at, at + length, is_big_endian, 0 };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* The next bytes, or NULL if there are fewer. */
static inline const uint8_t *cursor_take(struct cursor *cursor, uint64_t length)
{
	const uint8_t *at = cursor->at;

	if (length > cursor_left(cursor)) {
		cursor->at = cursor->end;
		cursor->is_short = 1;
		return NULL;
	}
	cursor->at += length;
	return at;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 1);

	return at ? *at : 0;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 2);

	return at ? load_u16(at, cursor->is_big_endian) : 0;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 4);

	return at ? load_u32(at, cursor->is_big_endian) : 0;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 8);

	return at ? load_u64(at, cursor->is_big_endian) : 0;
}

/* A text with its NUL, or NULL if that is missing. */
static inline const char *cursor_text(struct cursor *cursor)
{
	const uint8_t *nul = memchr(cursor->at, 0, cursor_left(cursor));

	if (!nul) {
		cursor->at = cursor->end;
		cursor->is_short = 1;
		return NULL;
	}
	return (const char *)cursor_take(cursor, (uint64_t)(nul - cursor->at) + 1);
}

/*
 * Numbers of 1 to 10 bytes, as capture files and Protocol Buffers have them: 7 bits a byte from
 * the lowest on, each but the last with 0x80 added.
 */

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
