/* SPDX-License-Identifier: MIT */
/* A sink that counts events by name, and by the values of a field. */
#ifndef UE__TOOLS_ANSWERS_TALLY_H
#define UE__TOOLS_ANSWERS_TALLY_H

#include "answers/question/asked_field.h"
#include "common/text/text_table.h"
#include "read/stream/sink.h"

struct tally_row {
	const struct event_kind *kind;
	uint32_t group; /* of the field's value; GROUP_OTHERS */
	uint32_t last_pid;
	int has_pid;	/* last_pid is set */
	int has_time;	/* first and last are set */
	uint64_t count;
	uint64_t bytes; /* of the payloads */
	uint64_t lost;
	uint64_t processes;
	int64_t first;
	int64_t last;
};

struct tally {
	struct sink sink;
	struct asked_field *by; /* or NULL */
	struct group_table groups;
	struct tally_row *rows;
	uint32_t row_count;
	uint32_t *of_group; /* index of its row plus 1 */
	uint32_t of_groups;
	uint32_t *of_kind;  /* of the row of all, or of GROUP_OTHERS; likewise */
	uint32_t of_kinds;
	struct seen_processes processes;
	struct tally_row total; /* of all rows */
	int is_wall_clock;
	uint64_t other_clock; /* events whose times cannot be compared with the first */
	uint64_t unknown_processes; /* for which there was no room */
	uint64_t others;
};

/* by: NULL, or a field that lasts. groups_most: how many values have a row, those with most. */
void tally_begin(struct tally *tally, struct asked_field *by, uint32_t groups_most);
/*
 * Whether counts of values may be too low, as there were too many; then count those that are known
 * from the beginning, and no others.
 */
int tally_is_uncertain(const struct tally *tally);
void tally_again(struct tally *tally);
/*
 * Print it. lost: all events that are known to be missing. Sentences about left-out parts
 * follow as messages.
 */
void tally_print(struct tally *tally, uint64_t lost);
void tally_print_form(struct tally *tally, uint64_t lost, enum answer_form form);
void tally_free(struct tally *tally);

#endif
