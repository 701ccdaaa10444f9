/* SPDX-License-Identifier: MIT */
/*
 * A tracing instance: buffers, with switches, filters and triggers of its own for each event.
 * The top instance is tracefs itself; others are its directories instances/NAME.
 */
#ifndef UE__TOOLS_CONTROL_INSTANCE_H
#define UE__TOOLS_CONTROL_INSTANCE_H

#include "common/cli/options.h"
#include "kernel/tracefs/event_list.h"

struct instance {
	const char *tracefs;
	char *name; /* NULL: the top instance */
	char *directory;
};

/* The option of commands that control an instance. */
#define INSTANCE_OPTION(variable)                                                    \
	{ .name = "instance", .letter = 'i', .text = &(variable), .value = "NAME",      \
	  .help = "Of this tracing instance (a directory in instances/ of\n"            \
		  "tracefs) instead of the top one." }

/*
 * Find tracefs, or take the one given, and the instance; name NULL: the top one. 0, or -1
 * after a message, also if there is no such instance.
 */
int instance_open(struct instance *instance, const char *tracefs, const char *name);
/* The same, and make the instance if it does not exist. */
int instance_open_or_make(struct instance *instance, const char *tracefs, const char *name);
void instance_close(struct instance *instance);
/* DIRECTORY/TEXT, to be freed. */
char *instance_path(const struct instance *instance, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* DIRECTORY/events/SYSTEM/NAME/FILE, to be freed. */
char *instance_event_path(const struct instance *instance, const struct listed_event *event,
			  const char *file);

/*
 * The events that words name: NAME or glob of user events, or else of any system; SYSTEM of
 * all its events; SYSTEM:NAME, both may be globs. A word that names none is reported, with
 * the nearest name. list begins as { 0 }, and is freed with event_list_free().
 * 0, or -1 after a message.
 */
int instance_find_events(const struct instance *instance, const struct words *words,
			 struct event_list *list);
/* The one event that a word names, which is no glob. 0, or -1 after a message. */
int instance_find_event(const struct instance *instance, const char *word,
			struct event_list *list);
/* The same of one that will be enabled, as a trigger of it does: see format_trust.h. */
int instance_find_to_enable(const struct instance *instance, const char *word,
			    struct event_list *list);

#endif
