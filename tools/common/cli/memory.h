/* SPDX-License-Identifier: MIT */
/* Allocates memory; without any, the tool ends with a message. */
#ifndef UE__TOOLS_COMMON_CLI_MEMORY_H
#define UE__TOOLS_COMMON_CLI_MEMORY_H

#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Print the message, and exit. */
_Noreturn void memory_is_short(void);
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
/* Make room for one more item in an array of count items, which doubles. */
void *xgrow(void *items, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* sprintf(3) into memory of the right size. */
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvprintf(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));
/* sprintf(3) behind a text that was allocated, or NULL; it may move. */
void xappend(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A local variable: the function is called with its address where its block ends. */
#define AUTO(end) __attribute__((cleanup(end)))
/* A local pointer whose memory is freed where its block ends. */
#define AUTO_FREE AUTO(free_pointer)

static inline void free_pointer(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof(memory));
	free(memory);
}

/* The same of a directory; NULL: it was not opened. */
static inline void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Buffers that grow, and reading and writing whole files. */

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

/* ... of a text without its NUL. */
static inline void bytes_put(struct bytes *bytes, const char *text)
{
	bytes_add(bytes, text, strlen(text));
}

/* ... of sprintf(3), without its NUL. */
void bytes_addf(struct bytes *bytes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bytes_add_u32(struct bytes *bytes, uint32_t number);
void bytes_add_u64(struct bytes *bytes, uint64_t number);
/* ... of a character, as UTF-8. */
void bytes_add_utf8(struct bytes *bytes, uint32_t character);
/* The NUL is added, too. */
void bytes_add_text(struct bytes *bytes, const char *text);
/*
 * Add a word to the list of a sentence: "a, b, ...", which shows ten of the count words that
 * were added so far. The text of the list has a NUL, which is not counted.
 */
__attribute__((format(printf, 3, 4))) void bytes_list(struct bytes *list, size_t count,
						      const char *format, ...);
/* Add zeros until the length, counted from begin, is a multiple of 8. */
void bytes_pad(struct bytes *bytes, size_t begin);
/* Written to standard output; fwrite() must not be given NULL, even for no bytes. */
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

/* Length of the UTF-8 character that this byte begins; 0 if it begins none. */
static inline size_t utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Hexadecimal digits, in any locale. */

/* Its value, or -1. */
static inline int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

#endif
