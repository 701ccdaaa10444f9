/* SPDX-License-Identifier: MIT */
/*
 * Opens a recording of any kind; and the messages between the two processes that read a
 * trace.dat file.
 */
#ifndef UE__TOOLS_INPUT_OPEN_INPUT_H
#define UE__TOOLS_INPUT_OPEN_INPUT_H

#include "read/source/source.h"

/*
 * Open a recording; "-" is standard input. 0, or -1 with the reason in input->problem;
 * close it in any case.
 */
int input_open(struct input *input, const char *path);
/*
 * Functions of each kind: whether these first bytes begin one, and opening it: 0 or -1.
 */
int input_is_trace_dat(const uint8_t *bytes, size_t length);
int input_open_trace_dat(struct input *input);
int input_is_capture(const uint8_t *bytes, size_t length);
int input_open_capture(struct input *input);

/*
 * Messages between the two processes that read a trace.dat file.
 *
 * libtracecmd trusts the files it reads: one wrong byte makes it crash, or read beyond
 * its pages. So it runs in a program of its own (trace_dat_child.c), which sends records through a
 * pipe. The tool (from_trace_dat.c) checks every message. If the program crashes, the records
 * that it sent before are shown.
 */

enum dat_kind {
	DAT_TRACEPOINT = 1, /* before the first of its records */
	DAT_RECORD,
	DAT_END, /* with a reason, without NUL, if this is not all of the file */
};

/* Each message begins with this; numbers are the machine's. */
struct dat_head {
	uint32_t kind;
	uint32_t length; /* of the rest */
};

/* Then system and name, each with its NUL, and the text of the format. */
struct dat_tracepoint {
	uint32_t id; /* less than DAT_IDS */
	uint32_t is_big_endian;
};

/* Then the record, from common_type on. */
struct dat_record {
	uint64_t time;
	uint64_t lost; /* events before this one */
	uint32_t id;
	uint32_t cpu;
	uint32_t tid;
	uint32_t spare;
	char comm[16]; /* "": not known; without NUL if all of it is used */
};

#define DAT_IDS 65536u

#endif
