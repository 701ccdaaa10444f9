/* SPDX-License-Identifier: MIT */
/* The triggers of all events in all instances. */
#ifndef UE__TOOLS_SYNTH_FOUND_TRIGGERS_H
#define UE__TOOLS_SYNTH_FOUND_TRIGGERS_H

#include <stddef.h>

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

#endif
