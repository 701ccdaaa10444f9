/* SPDX-License-Identifier: MIT */
/* A synthetic event of two events while its triggers are made: its fields and keys. */
#ifndef UE__TOOLS_KERNEL_SYNTH_SYNTH_PAIR_H
#define UE__TOOLS_KERNEL_SYNTH_SYNTH_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "kernel/tracefs/tracing_files.h"
#include "synth_event.h"
#include "found_triggers.h"

/* Counts and saved values of a histogram, from the file "hist" of its event. */

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

/*
 * One synthetic event of two events: of a start, and of a stop that has the same key.
 *
 * A histogram on the start keeps, for each key, the time and the fields that the synthetic
 * event shall have, in variables. A histogram on the stop with the same keys fetches them,
 * which empties them, so that each start counts once, and writes the synthetic event.
 * Variables are named NAME__WORD after the synthetic event, so that "synth delete" knows
 * whose they are.
 */

/* As many keys as kernels up to Linux 6.12 take. */
#define SYNTH_SIZE_DEFAULT 131072

/* The wish, as it was typed. Texts that are NULL were not. */
struct synth_wish {
	const char *name;
	const char *from, *to;
	struct words keys;   /* FIELD or FIELD=FIELD */
	struct words fields; /* NAME=FIELD, NAME=elapsed.us, ... */
	const char *on;      /* "match", "max:FIELD", "change:FIELD" */
	const char *save;    /* FIELD,... */
	int snapshot;
	const char *where_from, *where_to;
	uint64_t size;
};

/* Print "cannot create NAME: TEXT"; -1. */
int wish_refuse(const struct synth_wish *wish, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct synth_pair {
	char *definition; /* "NAME TYPE FIELD; ..." */
	char *from_trigger, *to_trigger;
	int uses_clock;
	size_t variables; /* of the trigger that needs more of them */
};

/* Make the triggers of a wish. 0, or -1 after a message. */
int synth_pair_make(const struct synth_wish *wish, const struct listed_event *from,
		    const struct listed_event *to, struct synth_pair *pair);
void synth_pair_free(struct synth_pair *pair);

/*
 * Whether a trigger has variables as synth_pair_make() names them for this event: letters
 * and digits behind NAME__.
 */
int synth_pair_owns(const char *trigger, const char *name);

enum part_source { FROM, TO, NANOSECONDS, MICROSECONDS };

/* One field of the synthetic event. */
struct part {
	char *name;
	enum part_source source;
	const char *field; /* of FROM and TO */
	struct event_field type;
};

struct pair_parts {
	const struct synth_wish *wish;
	const struct listed_event *from, *to;
	struct part *items;
	size_t count;
	char *keys[2]; /* of from and to: "id,shard" */
};

/*
 * Find all fields and keys of the wish. parts begins with wish, from and to. 0, or -1 after
 * a message.
 */
int pair_parts_make(struct pair_parts *parts);
/* "NAME TYPE FIELD; ...", to be freed. */
char *pair_parts_definition(const struct pair_parts *parts);
void pair_parts_free(struct pair_parts *parts);
/* Whether histograms can copy this field of the event. 0, or -1 after a message. */
int pair_parts_find(const struct pair_parts *parts, const struct listed_event *event,
		    const char *name, struct event_field *field);

#endif
