/* SPDX-License-Identifier: MIT */
/* Lines of text, a record each, in columns. */
#ifndef UE__TOOLS_OUTPUT_TEXT_LINE_H
#define UE__TOOLS_OUTPUT_TEXT_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/bytes.h"
#include "common/records/record.h"
#include "time_column.h"

struct text_line {
	uint32_t meta; /* UE_META_*: the columns, and what follows the fields */
	int has_colour;
	struct time_column time;
	/* Columns are as wide as their widest so far. */
	size_t who_width;
	size_t name_width;
};

/* Members of meta that are columns; the others are rendered with the fields. */
#define TEXT_LINE_COLUMNS                                                        \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM | \
	 UE_META_LOST)

/* The part before the event: lines about losses and the date, and the columns. */
void text_line_begin(struct text_line *line, struct bytes *to, const struct record *record);
/*
 * The event was rendered from this byte on, its name first if meta has UE_META_N. Align and
 * colour the name, and end the line.
 */
void text_line_end(struct text_line *line, struct bytes *to, size_t begin,
		   const struct record *record);

#endif
