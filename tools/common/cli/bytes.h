/* SPDX-License-Identifier: MIT */
/* Buffers that grow, and reading and writing whole files. */
#ifndef UE__TOOLS_CLI_BYTES_H
#define UE__TOOLS_CLI_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	uint8_t *at;
	size_t length;
	size_t room;
};

void bytes_grow(struct bytes *bytes, size_t more);

/* Make room for more bytes behind those that exist, and return where they go. */
static inline void *bytes_room(struct bytes *bytes, size_t more)
{
	if (more > bytes->room - bytes->length)
		bytes_grow(bytes, more);
	return bytes->at + bytes->length;
}

/* Inline, as a printed line is made of a dozen of them. */
static inline void bytes_add(struct bytes *bytes, const void *add, size_t length)
{
	if (!length) /* there may be no buffer yet */
		return;
	memcpy(bytes_room(bytes, length), add, length);
	bytes->length += length;
}

void bytes_add_u32(struct bytes *bytes, uint32_t number);
void bytes_add_u64(struct bytes *bytes, uint64_t number);
/* With its NUL. */
void bytes_add_text(struct bytes *bytes, const char *text);
/*
 * Add a word to the list of a sentence: "a, b, ...", which shows ten of the count words that
 * were added so far. The text of the list has a NUL, which is not counted.
 */
__attribute__((format(printf, 3, 4))) void bytes_list(struct bytes *list, size_t count,
						      const char *format, ...);
/* Add zeros until the length, counted from begin, is a multiple of 8. */
void bytes_pad(struct bytes *bytes, size_t begin);
/* On standard output; also none, for which fwrite() must not be given NULL. */
void bytes_print(const struct bytes *bytes);
void bytes_free(struct bytes *bytes);

/* Returns how many bytes it wrote: fewer than length after an error, with errno. */
size_t write_all(int fd, const void *bytes, size_t length);

/* Why a file cannot be read or written, by errno, and the fix if it has one. */
const char *file_reason(int error);
/*
 * The text of a file and a NUL, to be freed; NULL with errno. length may be NULL.
 */
char *read_file(const char *path, size_t *length);

#endif
