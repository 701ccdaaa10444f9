/* SPDX-License-Identifier: MIT */
/*
 * The kernel's file "hist" of an event, with one histogram or several:
 *
 *	# event histogram
 *	#
 *	# trigger info: hist:keys=status.buckets=100,path:vals=hitcount:... [active]
 *	#
 *
 *	{ status: ~ 200-299, path: /a      } hitcount:          2
 *
 *	Totals:
 *	    Hits: 2
 *	    Entries: 1
 *	    Dropped: 0
 *
 * A text of an event stands there as it is, and may look like any of this. The histograms
 * and the lines that the kernel counts itself show whether one did.
 */
#ifndef UE__TOOLS_KERNEL_TRACEFS_HIST_FILE_H
#define UE__TOOLS_KERNEL_TRACEFS_HIST_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The clock of a histogram that measures time. The kernel's default, global, stands still for
 * up to a tick where a processor's counter is no clock (sched_clock() is unstable, as in many
 * virtual machines), and pairs within it would take 0 ns. mono is right there, and is the clock
 * of recordings.
 */
#define HIST_CLOCK ":clock=mono"

/*
 * Linux 7.3 lists the field common_cpu, cpu or CPU of a histogram with both names in one
 * word. Make "common_cpu" of it, as other kernels list it, and as they all take it.
 */
void hist_fold_cpu(char *trigger);

enum hist_key_kind {
	HIST_NUMBER,
	HIST_BUCKET, /* .buckets=N: "~ 200-299"; or a number */
	HIST_POWER,  /* .log2: "~ 2^10" */
	HIST_TEXT,
};

/* A key, as its trigger asks for it. */
struct hist_key {
	const char *name;
	enum hist_key_kind kind;
};

struct hist_shape {
	struct hist_key *keys;
	size_t count;
};

struct hist_cell {
	uint64_t low, high; /* of a number both; as the kernel prints them, without a sign */
	const char *text;   /* without blanks behind it; points into the file */
	size_t length;
};

struct hist_entry {
	struct hist_cell *keys; /* as many as the shape has */
	uint64_t hits;
	size_t section; /* the histogram in the file, from 0 on */
};

struct hist_table {
	struct hist_entry *entries;
	struct hist_cell *cells; /* of all entries */
	size_t count, cell_count;
	uint64_t hits, dropped; /* as the kernel counts them */
	uint64_t lines;		/* entries that the kernel counts */
};

/*
 * Parse the histograms of a file, all of one shape, into one table; sections: how many there
 * must be. 0; or -1 if the file has not this form, and then table has the readable part.
 */
int hist_file_parse(const char *text, size_t length, const struct hist_shape *shape,
		    size_t sections, struct hist_table *table);
/* The totals alone, of each of so many histograms: tables without entries. 0 or -1. */
int hist_file_totals(const char *text, size_t length, struct hist_table *tables,
		     size_t sections);
void hist_table_free(struct hist_table *table);

/* A part of a file. */
struct hist_text {
	const char *at, *end;
};

/*
 * The histogram of a trigger: its totals, and where its entries are, between which
 * there may be other lines. 0, or -1: there is none.
 */
int hist_file_find(const char *text, const char *trigger, struct hist_text *entries,
		   struct hist_table *totals);
/* Take the entry that the text begins with. 0, or -1: it begins with something else. */
int hist_entry_take(struct hist_text *text, struct hist_text *keys, uint64_t *hits);

#endif
