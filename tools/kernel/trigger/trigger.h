/* SPDX-License-Identifier: MIT */
/*
 * Triggers: actions of the kernel as an event happens.
 *
 *	stacktrace:5 if id > 4
 *	enable_event:sched:sched_switch:1
 *	hist:keys=id:vals=size if id > 4
 *
 * The kernel lists them in other words, which are accepted here, too: how often a trigger
 * acts yet as ":count=5" or ":unlimited", and a histogram with all that it was not given, and
 * "[active]" or "[paused]".
 */
#ifndef UE__TOOLS_KERNEL_TRIGGER_TRIGGER_H
#define UE__TOOLS_KERNEL_TRIGGER_TRIGGER_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/control/instance.h"

enum trigger_kind {
	TRIGGER_ENABLE_EVENT,
	TRIGGER_DISABLE_EVENT,
	TRIGGER_ENABLE_HIST,
	TRIGGER_DISABLE_HIST,
	TRIGGER_STACKTRACE,
	TRIGGER_SNAPSHOT,
	TRIGGER_TRACEON,
	TRIGGER_TRACEOFF,
	TRIGGER_HIST,
	TRIGGER_OTHER, /* not known here; the kernel may have it */
	TRIGGER_KINDS,
};

struct trigger {
	enum trigger_kind kind;
	char *line;   /* as it was given, without the state of a histogram */
	char *head;   /* line, without the count and the filter */
	char *target; /* "SYSTEM:EVENT", or NULL */
	char *filter; /* the text behind "if", or NULL */
	size_t count_at; /* in line: where a count begins, with ':' or a blank */
	size_t rest_at, filter_at; /* in line: the end of the parts, and the filter */
	int is_counted;
	uint64_t left; /* how often it acts yet, if it is counted */
	int is_listed; /* it has a count that the kernel lists, but does not accept */
	int is_paused;
};

/* Split a trigger. The kernel may refuse the text: nothing is checked. */
void trigger_parse(struct trigger *trigger, const char *text);
void trigger_free(struct trigger *trigger);
/* The part that begins with a key, such as "keys="; to be freed, or NULL. */
char *trigger_part(const struct trigger *trigger, const char *key);
/* The first place of a word, which is no part of a longer identifier, or NULL. */
const char *trigger_find_word(const char *text, const char *word);

/* "stacktrace" */
const char *trigger_name(enum trigger_kind kind);
/* The kind that names the other of a pair, of which an event can have one; or the same. */
enum trigger_kind trigger_opposite(enum trigger_kind kind);
/* Whether it has a target, whose event it switches, or whose histograms. */
int trigger_switches_event(enum trigger_kind kind);
int trigger_switches_hist(enum trigger_kind kind);
/* The trigger as the kernel accepts it, to be freed. */
char *trigger_text(const struct trigger *trigger);
/* A sentence on its effect, to be freed. */
char *trigger_meaning(const struct trigger *trigger);

/* The table of all kinds of triggers. */

struct trigger_kind_entry {
	const char *name;
	const char *meaning; /* with a %s for the target, if it has one */
	enum trigger_kind opposite;
};

extern const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS];

/* Adding and removing triggers. */

/* The triggers that events have in an instance. */

struct listed_trigger {
	char *event; /* "SYSTEM:EVENT" */
	char *text;  /* as the kernel lists it, after hist_fold_cpu() */
	struct trigger trigger;
};

/* Begins as { 0 }. */
struct trigger_list {
	struct listed_trigger *items;
	size_t count;
};

/* Append the triggers of an event: 0, or -errno. */
int trigger_list_event(const struct instance *instance, const char *system, const char *event,
		       struct trigger_list *list);
/* Append those of all events: 0, or -1 after a message. */
int trigger_list_all(const struct instance *instance, struct trigger_list *list);
void trigger_list_free(struct trigger_list *list);

/* Print them as a table, or as lines of JSON. */
void trigger_list_print(const struct trigger_list *list);
void trigger_list_print_json(const struct trigger_list *list);

/*
 * Add one, and print it as the kernel lists it: 0, or -1 after a message. Only harm to
 * others is refused before the kernel sees it: a change of the top instance's clock, and
 * enabling an event that could crash the kernel.
 */
int trigger_add(const struct instance *instance, const struct listed_event *event,
		const struct trigger *trigger);
/*
 * Remove the one that a text names, or all without a text, and print those that were
 * removed: 0, or -1 after a message.
 */
int trigger_remove(const struct instance *instance, const struct listed_event *event,
		   const char *text);

/*
 * Print why the kernel refused a trigger: its own reason, or, as that often is "Invalid
 * argument" alone, the mistake that is found here. there: the event's triggers.
 */
void trigger_explain(const struct instance *instance, const struct listed_event *event,
		     const struct trigger *trigger, const struct trigger_list *there,
		     const struct refusal *refusal);
/* Remind of the limits of an added trigger, and of its effects on others. */
void trigger_advise(const struct instance *instance, const struct listed_event *event,
		    const struct trigger *trigger);

/* Stacks of the program that writes an event. */

/*
 * Add a stacktrace trigger, and let the instance add the user's stack to events that it
 * records, as no trigger does that: 0, or -1 after a message.
 */
int user_stack_add(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger);

#endif
