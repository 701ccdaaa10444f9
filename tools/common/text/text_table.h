/* SPDX-License-Identifier: MIT */
/* A table of text with aligned columns. */
#ifndef UE__TOOLS_PRESENT_TEXT_TABLE_H
#define UE__TOOLS_PRESENT_TEXT_TABLE_H

#include "common/cli/memory.h"
#include "common/events/field.h"

#define TABLE_COLUMNS_MAX 12
/* Longer cells end with "...". */
#define TABLE_CELL_MAX 48

struct text_table {
	size_t columns;
	size_t cells; /* of all rows, without the titles */
	int is_right[TABLE_COLUMNS_MAX];
	size_t width[TABLE_COLUMNS_MAX]; /* of the widest cell, in characters */
	struct bytes text; /* of all cells, each with its NUL, the titles first */
};

/* All columns first: their titles. Numbers are aligned to the right. */
void table_column(struct text_table *table, const char *title, int is_right);
/* Then the cells, row by row. Control characters must be gone. */
void table_cell(struct text_table *table, const char *text);
void table_cellf(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* value_put() makes it harmless. */
void table_value(struct text_table *table, const struct value *value);
/* Append the lines of the table; the table is empty afterwards. */
void table_put(struct text_table *table, struct bytes *to);

#endif
