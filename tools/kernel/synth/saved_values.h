/* SPDX-License-Identifier: MIT */
/* Counts and saved values of a histogram, from the file "hist" of its event. */
#ifndef UE__TOOLS_SYNTH_SAVED_VALUES_H
#define UE__TOOLS_SYNTH_SAVED_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "found_triggers.h"

struct saved_field {
	char *name;
	char *value; /* signed fields with their sign; texts may have any bytes */
	int is_number;
};

/* The largest or last value of one key. */
struct saved_value {
	char *key; /* "id=1, shard=2" */
	char *value;
	struct saved_field *fields;
	size_t count;
};

struct hist_state {
	uint64_t hits, entries, dropped;
	char *on;      /* "match", "max" or "change" */
	char *snapshot; /* the key of the event that a snapshot was taken for; NULL: none */
	struct saved_value *saved; /* the largest first */
	size_t saved_count;
};

/* Read the state of a trigger. To be freed. */
void hist_state_read(const struct found_trigger *trigger, struct hist_state *state);
/* The same from the text of the file, and that of the event's format. */
void hist_state_parse(const char *trigger, const char *text, char *format,
		      struct hist_state *state);
void hist_state_free(struct hist_state *state);

#endif
