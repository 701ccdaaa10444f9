/* SPDX-License-Identifier: MIT */
/*
 * The format of capture files, which "userevents run --record" writes.
 *
 * Numbers are in the byte order of the machine that wrote it. The file begins with
 * struct capture_file_header; then come records, each with a size that is a multiple of
 * 8 and counts all of it. An event is defined before it is written:
 *
 *	definition	head, index, the text with which it was registered, a NUL
 *	event		head, where and when it was written, the payload that the program wrote
 *
 * A reader passes over kinds that it does not know.
 */
#ifndef UE__TOOLS_RECORDS_CAPTURE_FILE_H
#define UE__TOOLS_RECORDS_CAPTURE_FILE_H

#include <stdint.h>

#define CAPTURE_FILE_MAGIC "UECAPTUR"
#define CAPTURE_FILE_ORDER 0x01020304u
#define CAPTURE_FILE_VERSION 4u

struct capture_file_header {
	char magic[8];
	uint32_t order; /* CAPTURE_FILE_ORDER */
	uint32_t version;
};

enum capture_file_kind {
	CAPTURE_FILE_DEFINITION = 1,
	CAPTURE_FILE_EVENT = 2,
};

struct capture_file_head {
	uint32_t size;
	uint32_t kind;
};

struct capture_file_definition {
	struct capture_file_head head;
	uint32_t index;
	uint32_t length; /* of the text, without the NUL */
};

struct capture_file_event {
	struct capture_file_head head;
	uint32_t index;
	uint32_t pid;
	int64_t time;	    /* nanoseconds since 1970, UTC */
	int64_t clock_time; /* nanoseconds of CLOCK_MONOTONIC */
	uint32_t length;
	uint32_t tid;
	uint32_t cpu;
	uint32_t lost;	/* events of the process that are missing before this one */
	char comm[16]; /* the thread's name, with NULs up to the end */
};

/* Readers reject larger records and indexes. */
#define CAPTURE_FILE_SIZE_MAX (1u << 20)
#define CAPTURE_FILE_INDEX_MAX (1u << 20)

#endif
