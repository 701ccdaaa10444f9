/* SPDX-License-Identifier: MIT */
/*
 * Pages of a capture file: their events are put in order, pass by pass. Nothing in the
 * file is trusted.
 */
#ifndef UE__TOOLS_INPUT_CAPTURE_PAGES_H
#define UE__TOOLS_INPUT_CAPTURE_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* A place of the file that has a page. */
struct capture_place {
	uint32_t pid, cpu;
	uint32_t clock;
	uint32_t ring; /* or CAPTURE_FILE_NO_RING */
	uint32_t lost; /* events, which no event has reported yet */
	uint64_t writer;
	uint64_t opened;
	int64_t clock_time, time; /* at that moment */
	char process[17];
};

struct capture_thread {
	uint32_t tid;
	char comm[17];
};

/* Stacks of events that follow. */
struct capture_stacks {
	size_t at, end;	  /* bytes of those that follow, from the beginning of the pass */
	uint32_t left;
	uint32_t asked;	  /* frames of the program */
	uint32_t ahead;	  /* events before the one that has the next stack */
	uint64_t address; /* the last one of the stack before */
};

/* Events of a page, up to the next one. */
struct capture_run {
	struct capture_place page;
	double rate;
	uint64_t clock;	  /* of the next event */
	int64_t time;	  /* and the wall clock's */
	size_t at, end;	  /* bytes behind it, from the beginning of the pass */
	size_t payload;
	uint32_t length, index, thread;
	uint32_t left; /* events, the next one included */
	struct capture_stacks stacks;
	int has_waited; /* for a pass */
};

struct capture_pages {
	int is_big_endian;
	struct capture_place *places;
	uint32_t place_count;
	struct capture_thread *threads;
	uint32_t thread_count;
	char **rings; /* control groups, by number */
	uint32_t ring_count;
	struct capture_run *runs;
	uint32_t run_count, waited_count; /* those that have waited, and have events yet */
	uint32_t *heap; /* indexes of runs, the one with the earliest event first */
	uint32_t heap_count;
	uint32_t last_run; /* whose record was added last, from 1; 0: none */
};

#define CAPTURE_FRAMES_MOST 132u

/* A stack of a file. */
struct capture_stack {
	uint64_t addresses[CAPTURE_FRAMES_MOST];
	uint32_t count;
	uint32_t asked;
	int is_cut;
};

/* The control group of a page, or NULL. */
const char *capture_pages_cgroup(const struct capture_pages *pages,
				 const struct capture_place *page);

/*
 * Add a record of the file, of size bytes. NULL, or the fault in it. Events: at is
 * where their record begins, from the beginning of the pass; is_defined tells whether an
 * index has a definition. Those before the damage, or before the end of bytes that were
 * cut off, are added.
 */
const char *capture_pages_add_thread(struct capture_pages *pages, const uint8_t *bytes,
				     size_t size);
const char *capture_pages_add_ring(struct capture_pages *pages, const uint8_t *bytes,
				   size_t size);
const char *capture_pages_add_page(struct capture_pages *pages, const uint8_t *bytes,
				   size_t size);
const char *capture_pages_add_events(
	struct capture_pages *pages, const uint8_t *bytes, size_t size, size_t at,
	int (*is_defined)(const void *context, uint32_t index), const void *context);
/* Stacks are of the events whose record was the last one. */
const char *capture_pages_add_stacks(struct capture_pages *pages, const uint8_t *bytes,
				     size_t size, size_t at);
/* The stack of the earliest event, whose count is 0 if it has none. */
void capture_pages_stack(const struct capture_pages *pages, const uint8_t *base,
			 struct capture_stack *stack);
/*
 * Called after the last one of a pass: the earliest event, or NULL when the rest has to
 * wait.
 */
const struct capture_run *capture_pages_first(const struct capture_pages *pages,
					      int64_t until);
/* Go on to the next event; base: the beginning of the pass. */
void capture_pages_pass(struct capture_pages *pages, const uint8_t *base);
/*
 * All events of the pass were read that need not wait. Returns how many of its length
 * bytes have none that waits; the next pass begins there.
 */
size_t capture_pages_end_pass(struct capture_pages *pages, size_t length,
			      int forgets_threads);
void capture_pages_free(struct capture_pages *pages);

#endif
