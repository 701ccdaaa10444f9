/* SPDX-License-Identifier: MIT */
/* Counts of events: a table has a row for each event, process or thread. */
#ifndef UE__TOOLS_TOP_TABLES_H
#define UE__TOOLS_TOP_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct row {
	uint64_t key;
	char *name; /* harmless on a terminal */
	uint32_t pid, tid;
	uint64_t events, bytes, lost;
	uint32_t processes;  /* that wrote this event */
	uint64_t last_process; /* of them, plus 1 */
	uint64_t before;     /* events at the last refresh */
	double rate;	     /* between the last two */
};

/* Processes come and go without limit. Further ones share a row with this name. */
#define TABLE_ROWS_MAX 65536u
#define OTHERS "(others)"
#define OTHERS_KEY UINT64_MAX

struct table {
	struct row **rows; /* in the order in which they appeared; they never move */
	uint32_t count;
	uint32_t *slots; /* a hash table of indexes, each 1 higher */
	uint32_t slot_count; /* a power of two, or 0 */
};

/* The row with this key. A new one has no name, unless it is that of the others. */
struct row *table_find(struct table *table, uint64_t key);
/* Set the name, with '?' in place of control characters, unless it is the same. */
void row_set_name(struct row *row, const char *name);
/* Rates over this time, since the last call. */
void table_refresh(struct table *table, double seconds);
void table_free(struct table *table);

#endif
