/* SPDX-License-Identifier: MIT */
/*
 * One synthetic event of two events: of a start, and of a stop that has the same key.
 *
 * A histogram on the start keeps, for each key, the time and the fields that the synthetic
 * event shall have, in variables. A histogram on the stop with the same keys fetches them,
 * which empties them, so that each start counts once, and writes the synthetic event.
 * Variables are named NAME__WORD after the synthetic event, so that "synth delete" knows
 * whose they are.
 */
#ifndef UE__TOOLS_SYNTH_SYNTH_PAIR_H
#define UE__TOOLS_SYNTH_SYNTH_PAIR_H

#include "common/cli/options.h"
#include "synth_definition.h"
#include "kernel/tracefs/event_list.h"

#define SYNTH_SIZE_MAX 131072
#define SYNTH_SIZE_MIN 128

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
	struct synth_definition definition;
	char *from_trigger, *to_trigger;
	int uses_clock;
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

#endif
