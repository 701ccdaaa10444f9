/* SPDX-License-Identifier: MIT */
/*
 * Bytes that are put one after the other into the caller's buffer. Bytes that do not fit
 * are counted all the same, so that one check at the end is enough.
 */
#ifndef UE__UTIL_BYTE_BUFFER_H
#define UE__UTIL_BYTE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Data of this library: reached without a detour through a table. */
#define UE__HIDDEN __attribute__((visibility("hidden")))

/* The longest piece that ue__bytes_room() makes room for. */
#define UE__ROOM 320u

struct ue__bytes {
	char *out;
	size_t size;   /* of out, less the NUL */
	size_t easy;   /* below this length, UE__ROOM bytes fit */
	size_t length; /* needed so far */
	char spill[UE__ROOM];
};

/* Begin in out, size bytes with the NUL; 0: count alone. */
void ue__bytes_begin(struct ue__bytes *bytes, char *out, size_t size);
/* The case of bytes that certainly do not fit. */
void ue__bytes_add_slowly(struct ue__bytes *bytes, const char *text,
			  size_t length);
/*
 * Put the NUL; text that is cut off is cut between characters of UTF-8. The bytes
 * needed, without NUL.
 */
size_t ue__bytes_end(struct ue__bytes *bytes);

static inline void ue__bytes_add(struct ue__bytes *bytes, const char *text,
				 size_t length)
{
	if (bytes->length <= bytes->size && length <= bytes->size - bytes->length) {
		memcpy(bytes->out + bytes->length, text, length);
		bytes->length += length;
	} else {
		ue__bytes_add_slowly(bytes, text, length);
	}
}

/* Room for the next UE__ROOM bytes; commit them with ue__bytes_used(). */
static inline char *ue__bytes_room(struct ue__bytes *bytes)
{
	return bytes->length < bytes->easy ? bytes->out + bytes->length :
					     bytes->spill;
}

static inline void ue__bytes_used(struct ue__bytes *bytes, const char *end)
{
	if (bytes->length < bytes->easy)
		bytes->length = (size_t)(end - bytes->out);
	else
		ue__bytes_add(bytes, bytes->spill, (size_t)(end - bytes->spill));
}

static inline void ue__bytes_put(struct ue__bytes *bytes, char c)
{
	if (bytes->length < bytes->size)
		bytes->out[bytes->length] = c;
	bytes->length++;
}

#endif
