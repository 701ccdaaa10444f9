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

#include "common/records/tracepoint.h"

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

/*
 * A recording of any kind that is being read: its records in the order of their times.
 * read/input/open_input.h opens one.
 */

struct input;

struct input_kind {
	/* 1 with the next record, 0 at the end, -1 with a reason in problem. */
	int (*next)(struct input *input, struct record *record);
	void (*close)(struct input *input);
};

struct input {
	const struct input_kind *kind;
	const char *path;  /* as the caller gave it */
	const char *shown; /* in sentences */
	struct source source;
	void *state;	     /* of the kind */
	uint64_t lost;	     /* events that the recorder lost; all of them at the end */
	/*
	 * Where these losses were is known only roughly: after the record at which lost
	 * grew, and before this time of the recording's clock. INT64_MAX: later than the
	 * events read.
	 */
	int64_t doubt_until;
	const char *reasons; /* of that, with their counts; NULL: not known */
	uint64_t overwritten; /* events that newer ones replaced, as was wanted */
	uint64_t unfinished; /* events whose writers died before they were complete */
	uint64_t late;	     /* events that came after later ones */
	uint64_t bare;	     /* samples of tracepoints without the bytes of their event */
	uint64_t others;     /* samples of other kinds, such as clocks */
	uint64_t unknown;    /* samples that belong to no event of the recording */
	const char *why_empty; /* at the end, if there was no event; NULL: not known */
	char problem[512];   /* why the recording cannot be read, or not all of it */
};

/*
 * The next record; it stays until the next call with this input. 1, 0 at the end, or
 * -1 with the reason in input->problem if the rest of the recording cannot be read.
 */
int input_next(struct input *input, struct record *record);
void input_close(struct input *input);

/* Used by the kinds: set input->problem and return -1. */
int input_fails(struct input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A read failed with this errno. */
int input_fails_with(struct input *input, int error);
/* A read failed, or the recording ends within "a record". */
int input_is_cut_off(struct input *input, const char *within);

#endif
