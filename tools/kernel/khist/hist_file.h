/* SPDX-License-Identifier: MIT */
/* Fields of an event that the kernel can count by, as its format describes them. */
#ifndef UE__TOOLS_KERNEL_KHIST_COUNTS_HIST_FILE_H
#define UE__TOOLS_KERNEL_KHIST_COUNTS_HIST_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tracefs/event_list.h"

struct key_field {
	char *name; /* in a trigger: "status", "common_cpu" */
	int is_text, is_signed;
	uint32_t size; /* in bytes; of a text of any length: 0 */
};

/*
 * A field of the event, or tid or cpu, the thread and the processor that wrote it, unless the
 * event has a field of this name. verb: for "cannot VERB NAME: ...". 0, or -1 after a message:
 * there is none, or the kernel cannot count by it.
 */
int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field);
/* Whether the event has a field of this name; or of one that may have been meant. */
int key_field_exists(const struct listed_event *event, const char *name);
int key_field_is_near(const struct listed_event *event, const char *name);
/* The field in a synthetic event, with another name: "u32 NAME", "char NAME[]"; to be freed. */
char *key_field_declare(const struct key_field *field, const char *name);
/* The number that the kernel prints, with the field's sign. */
int64_t key_field_signed(const struct key_field *field, uint64_t printed);
void key_field_free(struct key_field *field);

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

#define HIST_KEYS_MAX 3

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
	struct hist_key keys[HIST_KEYS_MAX];
	size_t count;
};

struct hist_cell {
	uint64_t low, high; /* of a number both; as the kernel prints them, without a sign */
	const char *text;   /* of a text; points into the file */
	size_t length;
};

struct hist_entry {
	struct hist_cell keys[HIST_KEYS_MAX];
	uint64_t hits;
	size_t section; /* the histogram in the file, from 0 on */
};

struct hist_table {
	struct hist_entry *entries;
	size_t count;
	uint64_t hits, dropped; /* as the kernel counts them */
	uint64_t lines;		/* entries that the kernel counts */
};

/*
 * Parse the histograms of a file, all of one shape, into one table; sections: how many there
 * must be. 0; or -1 if the file has not this form, and then table has what could be read.
 */
int hist_file_parse(const char *text, size_t length, const struct hist_shape *shape,
		    size_t sections, struct hist_table *table);
/* The totals alone, of each of so many histograms: tables without entries. 0 or -1. */
int hist_file_totals(const char *text, size_t length, struct hist_table *tables,
		     size_t sections);
void hist_table_free(struct hist_table *table);

#endif
