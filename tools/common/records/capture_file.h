/* SPDX-License-Identifier: MIT */
/*
 * The format of capture files, which "userevents run --record", "userevents record RING"
 * and, of several rings, "userevents collect --record" write.
 *
 * Numbers are in the byte order of the machine that wrote it. The file begins with
 * struct capture_file_header; then come records, each with a size that is a multiple of
 * 8 and counts all of it. Whatever a record refers to comes before it, so a file may be
 * cut off anywhere:
 *
 *	definition	head, index, the text with which it was registered, a NUL
 *	thread		a thread and its name; the first one has the number 0
 *	ring		a ring of several, and the control group of its program. The
 *			first one has the number 0.
 *	page		a page of a ring: its process, and its moment by several
 *			clocks. The first one has the place 0. Each has the next
 *			place, or that of one that has no more events.
 *	events		events of the page that has a place, by time
 *	stacks		the stacks of some events of the record "events" before it
 *	pass		Events before it are to be put in order.
 *	lost		events that are missing so far, also if no event followed
 *
 * Rings are read one after the other. So a pass ends with the time at which the first one
 * was begun with: later events that are in front of it may have to follow events of the
 * next pass, and wait for the end of that one, but no longer.
 *
 * Of a program that ended, the index of a definition and the number of a ring may be used
 * again by another one, two passes later.
 *
 * Each event of "events" has only the difference from the one before. Numbers are
 * varints: 7 bits a byte from the lowest on, each but the last with 0x80 added.
 *
 *	index * 2, and 1 more if another thread wrote it than the one before
 *	the number of that thread, if so; of the first event it is always there
 *	the ring's clock, less that of the event before; of the first event, less
 *	that of the page's moment. The difference wraps, as events may be older.
 *	the length of the payload
 *	the payload
 *
 * Each stack of "stacks" is these varints: how many events of the record lie between its event
 * and that of the stack before; the number of addresses * 2, and 1 more if the process could
 * not read its memory; and the addresses, each as the difference from the one before in the
 * record, times 2, and less than 0 as -1 - 2 * the difference.
 *
 * A reader passes over kinds that it does not know.
 */
#ifndef UE__TOOLS_RECORDS_CAPTURE_FILE_H
#define UE__TOOLS_RECORDS_CAPTURE_FILE_H

#include <stdint.h>

#define CAPTURE_FILE_MAGIC "UECAPTUR"
#define CAPTURE_FILE_ORDER 0x01020304u
#define CAPTURE_FILE_VERSION 7u

struct capture_file_header {
	char magic[8];
	uint32_t order; /* CAPTURE_FILE_ORDER */
	uint32_t version;
};

enum capture_file_kind {
	CAPTURE_FILE_DEFINITION = 1,
	CAPTURE_FILE_THREAD = 2,
	CAPTURE_FILE_PAGE = 3,
	CAPTURE_FILE_EVENTS = 4,
	CAPTURE_FILE_PASS = 5,
	CAPTURE_FILE_LOST = 6,
	CAPTURE_FILE_RING = 7,
	CAPTURE_FILE_STACKS = 8,
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

struct capture_file_thread {
	struct capture_file_head head;
	uint32_t tid;
	char comm[16];
	uint32_t unused;
};

struct capture_file_ring {
	struct capture_file_head head;
	uint32_t number;
	uint32_t length; /* of the control group, without the NUL that follows it */
};

/* A page of the only ring, or of one without a control group. */
#define CAPTURE_FILE_NO_RING UINT32_MAX

struct capture_file_page {
	struct capture_file_head head;
	uint32_t place;
	uint32_t pid;
	uint32_t cpu;
	uint32_t lost; /* events of the process that are missing before its first one */
	uint32_t clock; /* pages with the same can be compared by the ring's clock */
	uint32_t ring;	/* its number, or CAPTURE_FILE_NO_RING */
	uint64_t opened;    /* the moment by the ring's clock */
	int64_t clock_time; /* the same in nanoseconds of CLOCK_MONOTONIC */
	int64_t time;	    /* the same in nanoseconds since 1970, UTC */
	char process[16];   /* its name */
	/* the process's: no other one of the file has it, also if pids are equal */
	uint64_t writer;
};

struct capture_file_events {
	struct capture_file_head head;
	uint32_t place; /* of the page */
	uint32_t count; /* of events */
	double rate;	/* nanoseconds of a count of the ring's clock; 0 < rate < 1000 */
};

struct capture_file_stacks {
	struct capture_file_head head;
	uint32_t count;
	uint32_t asked; /* frames of the program, at most; more are the library's */
};

struct capture_file_pass {
	struct capture_file_head head;
	/* The next one has the number 0 again, and no event waits. */
	uint32_t forgets_threads;
	uint32_t unused;
	int64_t until; /* nanoseconds since 1970, UTC: later events may have to wait */
};

/* Counts since the recorder began, or since the file, if there are several. */
#define CAPTURE_FILE_REASONS 8
struct capture_file_lost {
	struct capture_file_head head;
	uint64_t lost[CAPTURE_FILE_REASONS]; /* by enum ue_loss */
	uint64_t overwritten;		     /* before they were read */
	uint64_t in_programs; /* by the library, for any reason but a full ring */
};

/* Readers reject larger records and indexes, and more threads and rings. */
#define CAPTURE_FILE_SIZE_MAX (1u << 20)
#define CAPTURE_FILE_INDEX_MAX (1u << 20)
#define CAPTURE_FILE_THREADS_MAX (1u << 16)
#define CAPTURE_FILE_RINGS_MAX (1u << 16)
/* Readers put no more records of events in order at once. */
#define CAPTURE_FILE_RUNS_MAX (1u << 20)

#endif
