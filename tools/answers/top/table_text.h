/* SPDX-License-Identifier: MIT */
/* Cells and lines of a table in columns of a terminal. */
#ifndef UE__TOOLS_TOP_TABLE_TEXT_H
#define UE__TOOLS_TOP_TABLE_TEXT_H

#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "views.h"

/*
 * Append text in exactly this many columns, cut off or padded with blanks; 0: as it is. A
 * character takes one column. Control characters, and bytes that are not UTF-8, become '?'.
 */
void cell_put(struct bytes *to, const char *text, size_t width, int is_right);
/* A figure in a few characters, "-" if it is not known. */
void figure_text(char text[QUANTITY_TEXT_MAX], double figure, enum figure_kind kind);

#define NO_MARK (-2)

/*
 * The headings of a view, with a mark at the column by which it is sorted, '>' from the
 * greatest on; -1: the text; NO_MARK: none.
 */
void headings_put(struct bytes *to, enum view_kind view, int sorted, int reverse,
		  size_t width);
void line_put(struct bytes *to, const struct line *line, enum view_kind view, size_t width);

#endif
