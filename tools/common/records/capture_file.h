/* SPDX-License-Identifier: MIT */
/*
 * The format of capture files, which "userevents run --record" and "userevents record
 * RING" write.
 *
 * Numbers are in the byte order of the machine that wrote it. The file begins with
 * struct capture_file_header; then come records, each with a size that is a multiple of
 * 8 and counts all of it. Whatever a record refers to comes before it, so a file may be
 * cut off anywhere:
 *
 *	definition	head, index, the text with which it was registered, a NUL
 *	event		head, where and when it was written, the payload that the
 *			program wrote
 *	thread		a thread and its name; the first one has the number 0
 *	page		a page of the ring: its process, and its moment by several
 *			clocks. The first one has the place 0. Each has the next
 *			place, or that of one that has no more events.
 *	events		events of the page that has a place, by time
 *	pass		Events before it are to be put in order, back to the pass
 *			before.
 *	lost		events that are missing so far, also if no event followed
 *
 * Version 4 had definitions and events alone.
 *
 * Each event of "events" has no more than what differs from the one before. Numbers are
 * varints: 7 bits a byte from the lowest on, each but the last with 0x80 added.
 *
 *	index * 2, and 1 more if another thread wrote it than the one before
 *	the number of that thread, if so; of the first event it is always there
 *	the ring's clock, less that of the event before; of the first event, less
 *	that of the page's moment. The difference wraps, as events may be older.
 *	the length of the payload
 *	the payload
 *
 * A reader passes over kinds that it does not know.
 */
#ifndef UE__TOOLS_RECORDS_CAPTURE_FILE_H
#define UE__TOOLS_RECORDS_CAPTURE_FILE_H

#include <stdint.h>

#define CAPTURE_FILE_MAGIC "UECAPTUR"
#define CAPTURE_FILE_ORDER 0x01020304u
#define CAPTURE_FILE_VERSION 5u
#define CAPTURE_FILE_OLDEST 4u

struct capture_file_header {
	char magic[8];
	uint32_t order; /* CAPTURE_FILE_ORDER */
	uint32_t version;
};

enum capture_file_kind {
	CAPTURE_FILE_DEFINITION = 1,
	CAPTURE_FILE_EVENT = 2,
	CAPTURE_FILE_THREAD = 3,
	CAPTURE_FILE_PAGE = 4,
	CAPTURE_FILE_EVENTS = 5,
	CAPTURE_FILE_PASS = 6,
	CAPTURE_FILE_LOST = 7,
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

struct capture_file_thread {
	struct capture_file_head head;
	uint32_t tid;
	char comm[16];
	uint32_t unused;
};

struct capture_file_page {
	struct capture_file_head head;
	uint32_t place;
	uint32_t pid;
	uint32_t cpu;
	uint32_t lost; /* events of the process that are missing before its first one */
	uint32_t clock; /* pages with the same can be compared by the ring's clock */
	uint32_t unused;
	uint64_t opened;    /* the moment by the ring's clock */
	int64_t clock_time; /* the same in nanoseconds of CLOCK_MONOTONIC */
	int64_t time;	    /* the same in nanoseconds since 1970, UTC */
	char process[16];   /* its name */
};

struct capture_file_events {
	struct capture_file_head head;
	uint32_t place; /* of the page */
	uint32_t count; /* of events */
	double rate;	/* nanoseconds of a count of the ring's clock; 0 < rate < 1000 */
};

struct capture_file_pass {
	struct capture_file_head head;
	uint32_t forgets_threads; /* the next one has the number 0 again */
	uint32_t unused;
};

/* Since the recorder began. */
#define CAPTURE_FILE_REASONS 8
struct capture_file_lost {
	struct capture_file_head head;
	uint64_t lost[CAPTURE_FILE_REASONS]; /* by enum ue_loss */
	uint64_t overwritten;		     /* before they were read */
};

/* Readers reject larger records and indexes, and more threads. */
#define CAPTURE_FILE_SIZE_MAX (1u << 20)
#define CAPTURE_FILE_INDEX_MAX (1u << 20)
#define CAPTURE_FILE_THREADS_MAX (1u << 16)
/* Readers put no more records of events in order at once. */
#define CAPTURE_FILE_RUNS_MAX (1u << 20)

#endif
