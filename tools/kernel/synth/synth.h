/* SPDX-License-Identifier: MIT */
/* Creates synthetic events. */
#ifndef UE__TOOLS_KERNEL_SYNTH_SYNTH_H
#define UE__TOOLS_KERNEL_SYNTH_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "kernel/tracefs/tracing_files.h"

/* Unless another is named: made with the first event in it, and removed with the last. */
#define SYNTH_INSTANCE "userevents"

struct synth_wish;

/* Define an event that something else writes. 0, or -1 after a message. */
int synth_define(const char *tracefs, const char *text);
/*
 * Create an event of two, with its triggers in an instance, where it is enabled. Setting
 * triggers that measure time discards the records of an instance: refused unless
 * discards. After a failure nothing is left. 0, or -1 after a message.
 */
int synth_create(const char *tracefs, const char *instance, const struct synth_wish *wish,
		 int discards);

/* Deletes synthetic events with the triggers that synth create set for them. */

/*
 * Delete these events, and print their names. One that something else uses is left as it is,
 * after a message that names the user. 0, or -1 if one could not be deleted.
 */
int synth_delete(const char *tracefs, const struct words *names);
/* Delete all events that no trigger writes or uses, and that are enabled nowhere. */
int synth_delete_unused(const char *tracefs);

/* Prints synthetic events. */

/*
 * Print the events of these names, or all: fields, the triggers that write each, and
 * their saved values. 0, or -1 after a message.
 */
int synth_list(const char *tracefs, const struct words *names, int is_json);

/* The triggers of all events in all instances. */

struct found_trigger {
	char *instance; /* NULL: the top one */
	char *directory; /* of the event in it */
	char *system;
	char *event;
	char *text; /* without " [active]" */
};

struct found_triggers {
	struct found_trigger *items;
	size_t count;
};

/* Find all. To be freed. */
void triggers_find(const char *tracefs, struct found_triggers *triggers);
void triggers_free(struct found_triggers *triggers);

/* Whether an action of the trigger writes the synthetic event. */
int trigger_writes(const struct found_trigger *trigger, const char *name);
/* Remove or set it again: 0 or -errno. */
int found_trigger_remove(const struct found_trigger *trigger);
/* Call for each directory in a directory, in the order of names, until call returns not 0. */
int directories_each(const char *path,
		     int (*call)(void *context, const char *path, const char *name),
		     void *context);

/* Fields of events, as the kernel's histograms see them. */

enum event_field_kind {
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_OTHER, /* histograms cannot copy it */
};

struct event_field {
	enum event_field_kind kind;
	unsigned int size; /* of a number, in bytes */
	int is_signed;
	int has_own_type; /* signed, and of another type than s8 to s64 */
};

int event_field_of(const struct tracepoint *event, const char *name,
		   struct event_field *field);

/* The synthetic events that exist, and who uses each. */

struct synth_event {
	char *name;
	char *fields; /* as the kernel lists them: "u64 id; char[] path" */
};

struct synth_events {
	struct synth_event *items;
	size_t count;
};

/* Read synthetic_events. 0, or -1 after a message. To be freed. */
int synth_events_read(const char *tracefs, struct synth_events *events);
void synth_events_free(struct synth_events *events);
const struct synth_event *synth_events_find(const struct synth_events *events,
					    const char *name);

/* Remove one from the kernel, which may need a moment until its triggers are gone: 0 or -errno. */
int synth_event_remove(const char *tracefs, const char *name);

/* Whether synth create set this trigger for the event. */
int synth_event_owns(const struct found_trigger *trigger, const char *name);
/*
 * Call for each directory of the event in an instance, the top one first (instance NULL), in
 * which it is enabled.
 */
void synth_event_enabled_each(const char *tracefs, const char *name,
			      void (*call)(void *context, const char *instance,
					   const char *directory),
			      void *context);

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

/* Kernels up to Linux 6.12 take this many keys. */
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

/* A synthetic event of two events while its triggers are made: its fields and keys. */

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
