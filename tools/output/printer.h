/* SPDX-License-Identifier: MIT */
/* Prints records as text or JSON. */
#ifndef UE__TOOLS_OUTPUT_PRINTER_H
#define UE__TOOLS_OUTPUT_PRINTER_H

#include <stddef.h>
#include <stdint.h>

#include "cli/bytes.h"
#include "cli/options.h"
#include "records/record.h"

enum print_format {
	PRINT_TEXT,  /* a line each, with its time before it */
	PRINT_JSON,  /* one array */
	PRINT_JSONL, /* an object a line */
	PRINT_PERF_DECODE, /* an object with an array for each file */
};

struct printer {
	enum print_format format;
	uint32_t meta; /* UE_META_* */
	int has_colour;
	int count; /* whether the open array has a record */
	int files;
	int is_broken; /* standard output takes no more */
	struct bytes text; /* not written yet */
	size_t whole; /* bytes of text up to the end of the last whole record */
	int is_in_file;
	uint64_t malformed; /* records that could not be decoded as a whole */
};

/* The option --meta, whose text print_meta_parse() parses. */
#define META_OPTION(to)                                                          \
	{ .name = "meta", .text = &(to), .value = "LIST",                        \
	  .help = "Show more than fields: time,level for these and the\n"        \
		  "event's name, +provider,-cpu for more or less than\n"         \
		  "usual, all, none; -n,... and none,... leave out the name.\n"  \
		  "There are n (the name), time, cpu, pid, tid, id,\n"           \
		  "version, level, keyword, opcode, tag, activity,\n"            \
		  "relatedActivity, provider, event, options, flags, and\n"      \
		  "common." }

/* text, json, jsonl or perf-decode: 0, or -1 after a message. */
int print_format_parse(const char *text, enum print_format *format);
/*
 * "time,level": these and the name; "+provider,-cpu": the usual ones and changes; "all";
 * "none", after which the list begins anew. 0, or -1 after a message.
 */
int print_meta_parse(const char *text, uint32_t *meta);

/* Print what stands before and after all records, and those of a file. */
void printer_begin(struct printer *printer);
void printer_begin_file(struct printer *printer, const char *name);
void printer_end_file(struct printer *printer);
/* 0, or -1 after a message when not all of it could be written. */
int printer_end(struct printer *printer);

/* 0, or -1 after a message. */
int printer_print(struct printer *printer, const struct record *record);
/* Report how many records were malformed: 1, or 0 when none was. */
int printer_report(const struct printer *printer);
/* After a fault amid printing: drop the part of a record. */
void printer_drop_part(struct printer *printer);
/* Write the text so far: 0, or -1 after a message. */
int printer_flush(struct printer *printer);

#endif
