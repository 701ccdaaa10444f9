/* SPDX-License-Identifier: MIT */
/*
 * A tracing instance: buffers, with switches, filters and triggers of its own for each event.
 * The top instance is tracefs itself; others are its directories instances/NAME.
 */
#ifndef UE__TOOLS_KERNEL_CONTROL_INSTANCE_H
#define UE__TOOLS_KERNEL_CONTROL_INSTANCE_H

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

/*
 * Names that tell which run of a command something belongs to.
 *
 * Everything that a command creates for its own run has a name that own_name() made: it
 * holds the process, the time at which that started, and its pid namespace. A command that
 * is killed leaves these things behind; later, as no process has that number and start,
 * their owner is known to be dead, and "userevents cleanup" removes them.
 */

/* "userevents_PID_START_NAMESPACE_PURPOSE", to be freed. purpose: an identifier. */
char *own_name(const char *purpose);

enum owner {
	OWNER_NONE,    /* own_name() made no such name */
	OWNER_ALIVE,
	OWNER_DEAD,    /* also if its parent has not waited for it */
	OWNER_UNKNOWN, /* a process of another pid namespace, or one that /proc hides */
};
enum owner own_name_owner(const char *name);

/* Instances that last as long as a command. */

/* Make an instance whose name is of own_name(): 0, or -1 after a message. */
int own_instance_make(struct instance *instance, const char *tracefs, const char *purpose);
/*
 * Remove an instance of any name with all its triggers, in an order that the kernel accepts;
 * synthetic events that these triggers write into are left. 0, or -1 after a message.
 */
int instance_remove(struct instance *instance);

#endif
