/* SPDX-License-Identifier: MIT */
/*
 * Switches of events, now, before their program runs, and at boot; and lists of the
 * threads for which events are recorded.
 */
#ifndef UE__TOOLS_KERNEL_ENABLING_SWITCHES_H
#define UE__TOOLS_KERNEL_ENABLING_SWITCHES_H

#include <stddef.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"

/*
 * The switches of events in an instance: the files "enable" of tracefs, which are written
 * one by one. set_event is never opened: opening it in the usual way switches off all
 * events, also those of others.
 */

struct event_switch {
	char *system;
	char *name;    /* NULL: of all events of the system */
	char state[4]; /* as the kernel writes it: 0, 1, 0*, 1*; of a system 0, 1, X, ? */
	int is_wanted; /* 1: on, 0: off */
	int is_new;    /* its event is registered later */
	int is_changed;
	int is_gone;   /* with its event, as that was switched off */
};

struct switches {
	struct event_switch *items;
	size_t count;
};

/*
 * Add the events that words name, in the syntax of set_event: EVENT, SYSTEM, SYSTEM:,
 * SYSTEM:EVENT, all with globs, several in one word with blanks between them. Of an event
 * that several words name, the last one counts. is_wanted: whether to switch them on; with
 * a '!' before it, a word means the opposite. new: names of user events that will exist.
 * 0, or -1 after a message.
 */
int switches_add(struct switches *switches, const struct instance *instance,
		 const struct words *words, int is_wanted, const struct words *new);
/* Add user events by their names. */
void switches_add_new(struct switches *switches, const struct words *names);
/*
 * Set all of them as wanted, and read their states: 0. After a failure those that were set
 * are set back: -1 after a message.
 */
int switches_set(struct switches *switches, const struct instance *instance);
/* Set back those that switches_set() changed. */
void switches_set_back(struct switches *switches, const struct instance *instance);

/*
 * Add the events that words name, and their systems, with their states. Without words: all
 * user events, and of other systems those that are not off. 0, or -1 after a message.
 */
int switches_look(struct switches *switches, const struct instance *instance,
		  const struct words *words);
/* Sort by name; the row of a system stands before those of its events. */
void switches_sort(struct switches *switches);
/* Print a table, or JSON lines. */
void switches_print(const struct switches *switches, int is_json);
void switches_free(struct switches *switches);

/* Its file, to be freed. */
char *switch_path(const struct instance *instance, const char *system, const char *name);
static inline int switch_is_on(const struct event_switch *item)
{
	return *item->state == '1';
}
/* Add one, or find the one that is there. Valid until the next one is added. */
struct event_switch *switch_of(struct switches *switches, const char *system,
			       const char *name);

/* User events that are registered to be switched on before their program runs. */

struct kept_events {
	const char *tracefs;
	struct words definitions;
	struct words names;
	struct words created; /* names of those that did not exist */
	struct words fleeting; /* those that the kernel keeps only while they are on */
	int fd;		      /* keeps them until they are switched on; -1: none */
};

/* Take and check the definitions. 0, or an exit status after a message. */
int kept_events_check(struct kept_events *kept, const struct words *definitions);
/*
 * Register them, to stay where the kernel has that (Linux 6.7, and up to 6.3). 0, or -1
 * after a message, when those that were created are deleted again.
 */
int kept_events_register(struct kept_events *kept, const char *tracefs);
/* Let go of them: those that stay, or are on, remain. */
void kept_events_close(struct kept_events *kept);
/* The same, and delete those that were created. */
void kept_events_take_back(struct kept_events *kept);
/* Report those that go away when they are switched off. */
void kept_events_report(const struct kept_events *kept);

/* Switching events on at boot: by a unit of systemd, or by arguments of the kernel. */

#define BOOT_UNIT "/etc/systemd/system/userevents-enable.service"

struct boot {
	const char *tracefs; /* NULL: the usual directory */
	const char *instance; /* NULL: the top one */
	const char *output; /* of the unit; "-": standard output */
};

/* Check the names before anything is looked for: 0, or an exit status after a message. */
int boot_check(const struct boot *boot, const char *verb);
/*
 * Write the unit that switches these events on, report which of the two ways each can take,
 * and the command that activates the unit. 0, or -1 after a message.
 */
int boot_write_unit(const struct boot *boot, const struct instance *instance,
		    const struct kept_events *kept, const struct switches *switches);
/* Print kernel arguments for these events. 0, or -1 after a message. */
int boot_print_arguments(const struct boot *boot, const struct instance *instance,
			 const struct switches *switches);
/* Remove a unit that boot_write_unit() wrote, also an active one. 0, or -1 after a message. */
int boot_remove_unit(const struct boot *boot);

/* The ways to switch an event on as the system starts. */

enum boot_way {
	BOOT_ARGUMENT, /* the kernel's arguments, and the unit */
	BOOT_USER,     /* the unit: it registers the event first */
	BOOT_MODULE,   /* the unit, if the module is loaded by then */
	BOOT_NONE,     /* neither: such events are made while the kernel runs */
};

/* Facts that the ways of all events need, read once. */
struct boot_facts {
	char *dynamic; /* dynamic_events */
	char *symbols; /* /proc/kallsyms */
};

void boot_facts_read(struct boot_facts *facts, const struct instance *instance);
void boot_facts_free(struct boot_facts *facts);
enum boot_way boot_way_of(const struct boot_facts *facts, const struct event_switch *item);
/*
 * The kernel's arguments for those that can take this way, to be freed; "" if there are none.
 */
char *boot_arguments(const struct boot *boot, const struct boot_facts *facts,
		     const struct switches *switches);
/* Whether this kernel has the argument that boot_arguments() uses. */
int boot_has_argument(const struct boot *boot);

/* The text of the unit for the next boot. */

/* Its first line, by which it is known before it is replaced or removed. */
#define BOOT_UNIT_MARK                                                       \
	"# Written by \"userevents enable --at-boot\", which replaces it; "   \
	"\"userevents disable --at-boot\" removes it."

/*
 * Which threads the events of an instance are recorded for: set_event_pid, or all threads
 * if that list is empty, but never those of set_event_notrace_pid. With the instance's
 * option event-fork, threads and processes that a thread of a list starts are added, and
 * those that end are removed.
 */

struct pid_list {
	int *pids; /* of threads */
	size_t count;
};

struct pid_lists {
	struct pid_list only, except;
	int follows;
};

/* The wishes of the options. */
struct pid_wishes {
	struct words only, except; /* processes, or threads */
	int follows;
};

/*
 * Check the numbers before anything is touched, and as they are added, whether there are
 * such processes. 0, or an exit status after a message. verb: of the command.
 */
int pid_wishes_check(const struct pid_wishes *wishes, const char *verb, int adds);
/* Read the lists and the option: 0, or -1 after a message. */
int pid_lists_read(struct pid_lists *lists, const struct instance *instance);
/*
 * Whether threads can be added to lists that are like this: 0, or an exit status after a
 * message.
 */
int pid_lists_check(const struct pid_lists *lists, const struct pid_wishes *wishes);
/*
 * Add all threads of the processes; others in the lists stay. 0, or -1 after a message,
 * when the lists have been set back to before.
 */
int pid_lists_add(const struct pid_lists *before, const struct instance *instance,
		  const struct pid_wishes *wishes);
/*
 * The lists without the processes, or without any. Changes nothing. 0, or -1 after a
 * message if a list lacks one of them.
 */
int pid_lists_without(struct pid_lists *after, const struct pid_lists *before,
		      const struct pid_wishes *wishes, int has_all);
/*
 * Set lists that have fewer threads than before. 0, or -1 after a message, when they have
 * been set back. The kernel can only clear a list and then add to it, so there is a
 * moment in which it is empty. has_all: clear also lists that look empty, see
 * pid_lists_show().
 */
int pid_lists_take_out(const struct pid_lists *after, const struct pid_lists *before,
		       const struct instance *instance, int has_all);
void pid_lists_set_back(const struct pid_lists *before, const struct instance *instance);
/* Print those of the instance. 0, or -1 after a message. */
int pid_lists_show(const struct instance *instance, int is_json);
void pid_lists_free(struct pid_lists *lists);

#endif
