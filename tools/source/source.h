/* SPDX-License-Identifier: MIT */
/*
 * Where bytes come from: a file, which is mapped, or a stream, which is buffered
 * as far as somebody wants to see it at once. What is not a file but has to be
 * read back and forth is spooled into an unnamed one.
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
	uint8_t *buffer;    /* of a stream: begin to end are there */
	size_t begin;
	size_t end;
	size_t size;	 /* of map or buffer */
	uint64_t offset; /* of what comes next, from the beginning */
	int (*on_wait)(void *context); /* before reading a stream; not 0 ends it */
	void *context;
};

/* path "-" is standard input. 0 or -errno. */
int source_open(struct source *source, const char *path);
void source_close(struct source *source);
/* Make a stream a file. 0 or -errno. */
int source_spool(struct source *source);
/*
 * A copy of the first bytes of a file, unnamed, that goes on with zeros up to this size:
 * its descriptor, or -errno.
 */
int source_copy(const struct source *source, size_t length, uint64_t size);

size_t source_left_in_stream(struct source *source, size_t length);
int source_skip_slowly(struct source *source, uint64_t length);

/* How many bytes can be seen at least, up to length; 0: the end, or an error. */
static inline size_t source_left(struct source *source, size_t length)
{
	size_t left;

	if (!source->map)
		return source_left_in_stream(source, length);
	left = source->size - source->begin;
	return left < length ? left : length;
}

/*
 * So many bytes in a row without passing over them, or NULL where there are less.
 * Bytes of a stream stay until the next call. Costs memory for bytes that exist,
 * whatever the length asked for.
 */
static inline const uint8_t *source_peek(struct source *source, size_t length)
{
	if (source_left(source, length) < length)
		return NULL;
	return (source->map ? source->map : source->buffer) + source->begin;
}

/* Pass over so many bytes; 0, or -1 at the end. */
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
