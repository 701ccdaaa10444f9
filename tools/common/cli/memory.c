/* SPDX-License-Identifier: MIT */
/* Allocates memory, or ends the tool. */
#include "memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

void memory_is_short(void)
{
	fflush(stdout);
	fputs("userevents: cannot continue: no memory\n", stderr);
	exit(EXIT_FAILED);
}

static void *checked(void *memory)
{
	if (!memory)
		memory_is_short();
	return memory;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

void *xrealloc(void *memory, size_t size)
{
	return checked(realloc(memory, size ? size : 1));
}

void *xgrow(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return checked(reallocarray(items, count ? count * 2 : 1, size));
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *xvprintf(const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	return checked(text);
}

char *xprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	return text;
}

void xappend(char **text, const char *format, ...)
{
	const size_t length = *text ? strlen(*text) : 0;
	va_list arguments;
	AUTO_FREE char *more;

	va_start(arguments, format);
	more = xvprintf(format, arguments); /* it may print the text */
	va_end(arguments);
	*text = xrealloc(*text, length + strlen(more) + 1);
	strcpy(*text + length, more);
}

/* Appends to buffers, and reads and writes whole files. */

void bytes_grow(struct bytes *bytes, size_t more)
{
	size_t needed = bytes->length + more;

	bytes->room = bytes->room * 2 > needed ? bytes->room * 2 : needed + 4096;
	bytes->at = xrealloc(bytes->at, bytes->room);
}

void bytes_addf(struct bytes *bytes, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	bytes_put(bytes, text);
}

void bytes_add_u32(struct bytes *bytes, uint32_t number)
{
	bytes_add(bytes, &number, sizeof(number));
}

void bytes_add_u64(struct bytes *bytes, uint64_t number)
{
	bytes_add(bytes, &number, sizeof(number));
}

void bytes_add_utf8(struct bytes *bytes, uint32_t character)
{
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	const int more = (character >= 0x80) + (character >= 0x800) +
			 (character >= 0x10000);
	uint8_t text[4];

	for (int i = more; i; i--, character >>= 6)
		text[i] = (uint8_t)(0x80 | (character & 0x3f));
	text[0] = (uint8_t)(leads[more] | character);
	bytes_add(bytes, text, (size_t)more + 1);
}

void bytes_add_text(struct bytes *bytes, const char *text)
{
	bytes_add(bytes, text, strlen(text) + 1);
}

#define WORDS_SHOWN 10

void bytes_list(struct bytes *list, size_t count, const char *format, ...)
{
	char word[512];
	va_list arguments;
	int length;

	if (count > WORDS_SHOWN)
		return;
	va_start(arguments, format);
	vsnprintf(word, sizeof(word), count < WORDS_SHOWN ? format : "...", arguments);
	va_end(arguments);
	length = snprintf(bytes_room(list, sizeof(word) + 2), sizeof(word) + 2, "%s%s",
			  count ? ", " : "", word);
	list->length += (size_t)length;
}

void bytes_pad(struct bytes *bytes, size_t begin)
{
	static const uint8_t zeros[8];

	bytes_add(bytes, zeros, -(bytes->length - begin) & 7);
}

void bytes_print(const struct bytes *bytes)
{
	if (bytes->length)
		fwrite(bytes->at, 1, bytes->length, stdout);
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

size_t write_all(int fd, const void *bytes, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t written = write(fd, (const uint8_t *)bytes + done, length - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			break;
	}
	return done;
}

/* Files of tracefs have no size, and grow while they are read. */
static char *read_all(FILE *file, size_t *length)
{
	struct bytes text = { 0 };
	size_t got;

	while ((got = fread(bytes_room(&text, 4096), 1, 4095, file)))
		text.length += got;
	if (ferror(file)) {
		free(text.at);
		return NULL;
	}
	text.at[text.length] = '\0';
	if (length)
		*length = text.length;
	return (char *)text.at;
}

const char *file_reason(int error)
{
	switch (error) {
	case EACCES:
		return "Permission denied; ask its owner, or use root";
	case EISDIR:
		return "Is a directory; name the files in it";
	case ENOSPC:
		return "No space left on device; free some, or write elsewhere";
	case EDQUOT:
		return "Disk quota exceeded; delete files, or write elsewhere";
	case EFBIG:
		return "File too large; raise the limit with ulimit -f, or write less";
	}
	return strerror(error);
}

char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text;
	int saved;

	if (!file)
		return NULL;
	text = read_all(file, length);
	saved = errno;
	fclose(file);
	errno = saved;
	return text;
}
