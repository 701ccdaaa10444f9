/* SPDX-License-Identifier: MIT */
/* Reads Protocol Buffers that must be well-formed, apart from the code under test. */
#ifndef PROTOBUF_READING_H
#define PROTOBUF_READING_H

#include <stddef.h>
#include <stdint.h>

#include "fuzz.h"

/* A field: a number, or bytes, also of a fixed number. */
struct wire_field {
	uint32_t number;
	int is_message; /* or text, or bytes: it has a length */
	uint64_t whole;
	const uint8_t *at; /* NULL: a number */
	size_t length;
};

static inline uint64_t take_varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t number = 0;

	for (int shift = 0;; shift += 7) {
		PROMISE(*at < end && shift < 70);
		number |= (uint64_t)(**at & 127) << shift;
		if (*(*at)++ < 128)
			return number;
	}
}

/* 0 at the end. */
static inline int next_field(const uint8_t **at, const uint8_t *end, struct wire_field *field)
{
	uint64_t key;

	*field = (struct wire_field){ .number = 0 };
	if (*at == end)
		return 0;
	key = take_varint(at, end);
	field->number = (uint32_t)(key >> 3);
	PROMISE(field->number && key >> 3 <= UINT32_MAX && ((key & 7) <= 2 || (key & 7) == 5));
	if (!(key & 7)) {
		field->whole = take_varint(at, end);
		return 1;
	}
	field->is_message = (key & 7) == 2;
	field->length = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : take_varint(at, end);
	PROMISE(field->length <= (size_t)(end - *at));
	field->at = *at;
	*at += field->length;
	return 1;
}

#endif
