/* SPDX-License-Identifier: MIT */
/* Prints records as text or JSON. */
#ifndef UE__TOOLS_OUTPUT_PRINTER_H
#define UE__TOOLS_OUTPUT_PRINTER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/reader.h>

#include "common/cli/bytes.h"
#include "common/records/record.h"
#include "text_line.h"

enum print_format {
	PRINT_TEXT,  /* a line each, in columns */
	PRINT_JSON,  /* one array */
	PRINT_JSONL, /* an object a line */
	PRINT_JSONL_NESTED, /* the same, with the fields in an object of their own */
	PRINT_PERF_DECODE, /* an object with an array for each file */
};

struct printer {
	enum print_format format;
	uint32_t meta; /* UE_META_* */
	struct text_line line; /* its meta is set by printer_begin() */
	int count; /* whether the open array has a record */
	int files;
	int is_broken; /* standard output takes no more */
	struct bytes text; /* not written yet */
	size_t whole; /* bytes of text up to the end of the last whole record */
	int is_in_file;
	uint64_t malformed; /* records that could not be decoded as a whole */
	struct ue_reader *reader; /* of the record that is being printed, or NULL */
};

/* Print what stands before and after all records, and those of a file. */
void printer_begin(struct printer *printer);
void printer_begin_file(struct printer *printer, const char *name);
void printer_end_file(struct printer *printer);
/* 0, or -1 after a message when not all of it could be written. */
int printer_end(struct printer *printer);

/* reader: begun with the record's event, or NULL. 0, or -1 after a message. */
int printer_print(struct printer *printer, const struct record *record,
		  struct ue_reader *reader);
/* Report how many records were malformed: 1, or 0 when none was. */
int printer_report(const struct printer *printer);
/* After a fault amid printing: drop the part of a record. */
void printer_drop_part(struct printer *printer);
/* Write the text so far: 0, or -1 after a message. */
int printer_flush(struct printer *printer);

#endif
