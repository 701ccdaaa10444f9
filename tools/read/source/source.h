/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a recording: a file, which is mapped, or a stream, which is buffered as
 * far as a reader looks ahead. A stream that must be read back and forth is spooled into
 * an unnamed file.
 */
#ifndef UE__TOOLS_SOURCE_SOURCE_H
#define UE__TOOLS_SOURCE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct source {
	int fd;
	int error;	    /* errno of a read that failed */
	int is_end;	    /* of a stream */
	const uint8_t *map; /* of a file, else NULL; never changes */
	uint8_t *buffer;    /* of a stream: filled from begin to end */
	size_t begin;
	size_t end;
	size_t size;	 /* of map or buffer */
	uint64_t offset; /* of the next byte, from the beginning */
	int (*on_wait)(void *context); /* called before a stream is read; not 0 ends it */
	void *context;
};

/* path "-" is standard input. 0 or -errno. */
int source_open(struct source *source, const char *path);
void source_close(struct source *source);
/* Turn a stream into a file. 0 or -errno. */
int source_spool(struct source *source);
/*
 * Copy the first bytes of a file to an unnamed one, followed by zeros up to this size.
 * Returns its descriptor, or -errno.
 */
int source_copy(const struct source *source, size_t length, uint64_t size);

size_t source_left_in_stream(struct source *source, size_t length);
int source_skip_slowly(struct source *source, uint64_t length);

/* The number of bytes left, up to length; 0 at the end, or after an error. */
static inline size_t source_left(struct source *source, size_t length)
{
	size_t left;

	if (!source->map)
		return source_left_in_stream(source, length);
	left = source->size - source->begin;
	return left < length ? left : length;
}

/*
 * The next bytes, which are not passed over; NULL if there are fewer. Bytes of a stream
 * stay until the next call. Memory is used for bytes that exist, whatever the length.
 */
static inline const uint8_t *source_peek(struct source *source, size_t length)
{
	if (source_left(source, length) < length)
		return NULL;
	return (source->map ? source->map : source->buffer) + source->begin;
}

/* Pass over bytes; 0, or -1 at the end. */
static inline int source_skip(struct source *source, uint64_t length)
{
	if (length > source->size || source_left(source, (size_t)length) < length)
		return source_skip_slowly(source, length);
	source->begin += (size_t)length;
	source->offset += length;
	return 0;
}

static inline int source_is_lasting(const struct source *source)
{
	return source->map != NULL;
}

#endif
