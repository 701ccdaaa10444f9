/* SPDX-License-Identifier: MIT */
/*
 * A recording of any kind that is being read: its records in the order of their times.
 * read/input/open_input.h opens one.
 */
#ifndef UE__TOOLS_SOURCE_INPUT_H
#define UE__TOOLS_SOURCE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "source.h"
#include "common/records/record.h"

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
