/* SPDX-License-Identifier: MIT */
/*
 * A tracing instance: buffers, with switches, filters and triggers of its own for each event.
 * The top instance is tracefs itself; others are its directories instances/NAME.
 */
#ifndef UE__TOOLS_KERNEL_CONTROL_INSTANCE_H
#define UE__TOOLS_KERNEL_CONTROL_INSTANCE_H

#include <stddef.h>

#include "common/cli/options.h"
#include "kernel/tracefs/tracing_files.h"

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
/* The same of one that will be enabled, as a trigger does: see event_check_trust(). */
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

/* Instances, synthetic events and probes that commands left when they were killed. */

/*
 * Remove them and print each; is_rehearsal: only print them. Those of commands that run are
 * left, and those of other pid namespaces are left and reported. 0, or -1 after a message
 * about each that is still there.
 */
int leftovers_remove(const char *tracefs, int is_rehearsal);

/* Histograms that use each other's variables, and their removal. */

/* Remove all histograms of an instance; how many the kernel keeps. */
size_t histograms_remove(const struct instance *instance);

/*
 * User events that no process holds: lines "u:NAME FIELDS" in dynamic_events of tracefs.
 *
 * The kernel gives no reason for a refusal there. Up to Linux 6.3 it takes a line for an
 * event with other fields, and keeps the old ones. It deletes by the exact list of fields,
 * and, without a system before the name, probes of that name as well. So all is checked
 * here before the file is written to.
 */

/*
 * Create events from canonical definitions, all or none, and print the name of each. One
 * that exists with these fields is taken as created. 0, or -1 after a message.
 */
int dynamic_events_create(const char *tracefs, const struct words *definitions);

/*
 * Delete the events that globs match, and print their names; no glob matches all. A glob
 * that matches none is an error; events that cannot be deleted are reported, and the others
 * are deleted. 0, or -1 after messages.
 */
int dynamic_events_delete(const char *tracefs, const struct words *globs);

/* Files of tracefs that take commands, and the kernel's words about a refused command. */

/*
 * Write a text with one write(2), without O_TRUNC, which removes others' settings: 0 or
 * -errno.
 */
int control_write(const char *path, const char *text);

/*
 * Wait until no other command that changes the kernel's tracing runs, and keep others waiting
 * until this program ends, so that its findings still hold when it writes: a lock on the
 * directory of tracefs. Who may not open that cannot write either, and goes on to be refused.
 * 0, or -1 after a message if another process holds the lock for a minute.
 */
int control_lock(const char *tracefs);

/* A refusal, as error_log of the instance describes it. */
struct refusal {
	int error;     /* errno of the write; it is often misleading */
	char *reason;  /* "Couldn't find field"; NULL: the kernel logged nothing */
	char *command; /* the text that the kernel parsed */
	size_t at;     /* in command, as the kernel marks it; it may be one too far for filters */
};

/*
 * control_write(); after a failure, refusal describes it, to be freed with refusal_free().
 * log: the directory of the instance whose error_log it is in. That of synthetic events
 * and probes is tracefs itself. Other people's entries in the log are left there.
 */
int control_try(const char *log, const char *path, const char *text, struct refusal *refusal);
/*
 * Print "cannot VERB: REASON" and, if the place is known, command and caret. verb: such as
 * "set a filter of NAME".
 */
void refusal_report(const struct refusal *refusal, const char *verb);
void refusal_free(struct refusal *refusal);

/* The kernel's version as major * 1000 + minor: 6012. */
int kernel_version(void);

#endif
