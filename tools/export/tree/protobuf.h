/* SPDX-License-Identifier: MIT */
/*
 * Protocol Buffers (protobuf.dev/programming-guides/encoding), appended to a buffer: a field
 * of a message per call, by its number in the .proto file.
 *
 *	size_t message = protobuf_begin(&bytes, 11);
 *	protobuf_uint(&bytes, 9, 3);
 *	protobuf_text(&bytes, 23, "name");
 *	protobuf_end(&bytes, message);
 *
 * The length of a message precedes it and is known behind it. It is therefore a varint of
 * always 4 bytes, which every parser accepts, and nothing has to be moved.
 *
 * Inline, as an event is made of dozens of fields.
 */
#ifndef UE__TOOLS_EXPORT_PROTOBUF_H
#define UE__TOOLS_EXPORT_PROTOBUF_H

#include <assert.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_LENGTH = 2,
	PROTOBUF_FIXED32 = 5,
};

#define PROTOBUF_LENGTH_SIZE 4 /* of messages */
/* Bytes of a message between protobuf_begin() and protobuf_end(), at most. */
#define PROTOBUF_MESSAGE_MAX ((1u << 28) - 1)

/* Parts of fields */

/* How many bytes it takes. */
static inline size_t protobuf_varint_size(uint64_t number)
{
	return (size_t)(70 - __builtin_clzll(number | 1)) / 7;
}

/* A number alone: an element of a packed field. */
static inline void protobuf_varint(struct bytes *to, uint64_t number)
{
	uint8_t *at = bytes_room(to, VARINT_MOST);

	to->length += (size_t)(varint_put(at, number) - at);
}

static inline void protobuf_key(struct bytes *to, uint32_t field, enum protobuf_wire wire)
{
	protobuf_varint(to, (uint64_t)field << 3 | wire);
}

/* Fields */

static inline uint8_t *protobuf_uint_at(uint8_t *at, uint32_t field, uint64_t number)
{
	at = varint_put(at, (uint64_t)field << 3 | PROTOBUF_VARINT);
	return varint_put(at, number);
}

/* uint32, uint64, bool, enum. */
static inline void protobuf_uint(struct bytes *to, uint32_t field, uint64_t number)
{
	uint8_t *const begin = bytes_room(to, 2 * VARINT_MOST);

	to->length += (size_t)(protobuf_uint_at(begin, field, number) - begin);
}

/* int32, int64; not sint32 and sint64. */
static inline void protobuf_int(struct bytes *to, uint32_t field, int64_t number)
{
	protobuf_uint(to, field, (uint64_t)number);
}

static inline void protobuf_fixed64(struct bytes *to, uint32_t field, uint64_t number)
{
	const uint64_t little = htole64(number);

	protobuf_key(to, field, PROTOBUF_FIXED64);
	bytes_add(to, &little, sizeof(little));
}

static inline void protobuf_fixed32(struct bytes *to, uint32_t field, uint32_t number)
{
	const uint32_t little = htole32(number);

	protobuf_key(to, field, PROTOBUF_FIXED32);
	bytes_add(to, &little, sizeof(little));
}

static inline void protobuf_double(struct bytes *to, uint32_t field, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	protobuf_fixed64(to, field, bits);
}

/* bytes; string, if it is valid UTF-8; a message that exists. */
static inline void protobuf_bytes(struct bytes *to, uint32_t field, const void *bytes,
				  size_t length)
{
	protobuf_key(to, field, PROTOBUF_LENGTH);
	protobuf_varint(to, length);
	bytes_add(to, bytes, length);
}

static inline void protobuf_text(struct bytes *to, uint32_t field, const char *text)
{
	protobuf_bytes(to, field, text, strlen(text));
}

/*
 * Begin a message, or a packed field; its fields, or elements, follow. Returns where its
 * length is, for protobuf_end().
 */
static inline size_t protobuf_begin(struct bytes *to, uint32_t field)
{
	protobuf_key(to, field, PROTOBUF_LENGTH);
	bytes_room(to, PROTOBUF_LENGTH_SIZE);
	to->length += PROTOBUF_LENGTH_SIZE;
	return to->length - PROTOBUF_LENGTH_SIZE;
}

static inline void protobuf_end(struct bytes *to, size_t begun)
{
	const size_t length = to->length - begun - PROTOBUF_LENGTH_SIZE;
	uint8_t *at = to->at + begun;

	assert(length <= PROTOBUF_MESSAGE_MAX);
	at[0] = (uint8_t)(length | 128);
	at[1] = (uint8_t)(length >> 7 | 128);
	at[2] = (uint8_t)(length >> 14 | 128);
	at[3] = (uint8_t)(length >> 21 & 127);
}

#endif
