/* SPDX-License-Identifier: MIT */
/*
 * A recording that is being read, of any kind: records one after the other, by time.
 * tools/input/open_input.h opens one.
 */
#ifndef UE__TOOLS_SOURCE_INPUT_H
#define UE__TOOLS_SOURCE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "source.h"
#include "records/record.h"

struct input;

struct input_kind {
	/* The next record: 1; the end: 0; the end, damaged: -1 and a sentence. */
	int (*next)(struct input *input, struct record *record);
	void (*close)(struct input *input);
};

struct input {
	const struct input_kind *kind;
	const char *path;  /* as the caller gave it */
	const char *shown; /* in sentences */
	struct source source;
	void *state;	     /* of the kind */
	uint64_t lost;	     /* events that the recorder lost, known at the end */
	uint64_t late;	     /* events that come after later ones */
	uint64_t bare;	     /* samples without the bytes of their event */
	uint64_t unknown;    /* samples that belong to no event of the recording */
	char problem[512];   /* a sentence */
};

/*
 * The next record; it stays until the next call with this input. 1, 0 at the end, or
 * -1 with a sentence in input->problem when the recording is damaged from here on.
 */
int input_next(struct input *input, struct record *record);
void input_close(struct input *input);

/* For the kinds: set input->problem. All return -1. */
int input_fails(struct input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A read failed with this errno. */
int input_fails_with(struct input *input, int error);
/* A read failed, or the recording ends within "a record". */
int input_is_cut_off(struct input *input, const char *within);

#endif
