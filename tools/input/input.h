/* SPDX-License-Identifier: MIT */
/*
 * Recordings, whatever they are kept in: records one after the other, by time. The
 * kinds of recordings are in files of their own, input_KIND.c.
 */
#ifndef UE__TOOLS_INPUT_INPUT_H
#define UE__TOOLS_INPUT_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/render.h>

#include "source.h"
#include "records/tracepoint.h"

/* An event as it was recorded. */
struct record {
	struct tracepoint *tracepoint;
	const uint8_t *bytes; /* from common_type on, unless the tracepoint is bare */
	size_t length;
	struct ue_sample sample;
};

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
 * Open a recording; "-" is standard input. 0, or -1 and a sentence in input->problem;
 * close it in any case.
 */
int input_open(struct input *input, const char *path);
/*
 * The next record; it stays until the next call with this input. 1, 0 at the end, or
 * -1 with a sentence in input->problem when the recording is damaged from here on.
 */
int input_next(struct input *input, struct record *record);
void input_close(struct input *input);

/* For the kinds: say what is wrong; returns -1. */
int input_fails(struct input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "... its reading fails with ...", or that there is no memory. */
int input_fails_with(struct input *input, int error);

/* The kinds: is it one (by its first bytes), and open it: 0 or -1. */
int input_is_perf(const uint8_t *bytes, size_t length);
int input_open_perf(struct input *input);
int input_is_trace_dat(const uint8_t *bytes, size_t length);
int input_open_trace_dat(struct input *input);
int input_is_capture(const uint8_t *bytes, size_t length);
int input_open_capture(struct input *input);
int input_is_events(const uint8_t *bytes, size_t length);
int input_open_events(struct input *input);

#endif
