/* SPDX-License-Identifier: MIT */
/*
 * Checks a trigger against the instance: its fields, its target, the other triggers of the
 * event, the clock, and the abilities of the kernel.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "trigger.h"
#include "kernel/filter/kfilter.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"
#include "trigger_change.h"

/* The kernel refuses a page. */
#define LINE_MAX_LENGTH 4095u

struct asked {
	const struct instance *instance;
	const struct listed_event *event;
	const struct trigger *trigger;
	char *verb;
};

void trigger_report(const char *verb, const char *text, struct trigger_fault *fault)
{
	message("cannot %s: %s", verb, fault->sentence);
	if (*text && fault->at <= strlen(text))
		message_caret(text, fault->at);
	free(fault->sentence);
	*fault = (struct trigger_fault){ 0 };
}

char *trigger_remover(const struct instance *instance, const struct listed_event *event,
		      const char *trigger)
{
	return xprintf("userevents trigger %s%s%s--remove %s:%s%s%s", instance->name ? "-i " : "",
		       instance->name ? instance->name : "", instance->name ? " " : "",
		       event->system, event->name, trigger ? " " : "", trigger ? trigger : "");
}

static int has_file(const struct instance *instance, const char *name)
{
	char *path = instance_path(instance, "%s", name);
	int result = !access(path, F_OK);

	free(path);
	return result;
}

static int has_event_file(const struct instance *instance, const struct listed_event *event,
			  const char *name)
{
	char *path = instance_event_path(instance, event, name);
	int result = !access(path, F_OK);

	free(path);
	return result;
}

/* Abilities of the kernel */

static int check_kernel(const struct asked *asked)
{
	if (!has_event_file(asked->instance, asked->event, "trigger")) {
		message("cannot %s: the kernel has no triggers of this event; take another "
			"one", asked->verb);
		return -1;
	}
	if (asked->trigger->kind == TRIGGER_SNAPSHOT && !has_file(asked->instance, "snapshot")) {
		message("cannot %s: this kernel has no snapshots, as it was built without "
			"CONFIG_TRACER_SNAPSHOT; \"traceoff\" keeps the trace up to the event, "
			"too", asked->verb);
		return -1;
	}
	if ((asked->trigger->kind == TRIGGER_HIST ||
	     trigger_switches_hist(asked->trigger->kind)) &&
	    !has_event_file(asked->instance, asked->event, "hist")) {
		message("cannot %s: this kernel has no histograms, as it was built without "
			"CONFIG_HIST_TRIGGERS; \"userevents hist\" counts in user space",
			asked->verb);
		return -1;
	}
	return 0;
}

static int check_line(const struct asked *asked)
{
	const struct trigger *trigger = asked->trigger;

	if (strlen(trigger->line) > LINE_MAX_LENGTH) {
		message("cannot %s: it is longer than 4095 bytes, which the kernel takes at most",
			asked->verb);
		return -1;
	}
	if (!trigger->is_counted || trigger->left)
		return 0;
	message("cannot %s: \"%s\" would never act; write how often as in \"%s:5\", or nothing "
		"for always", asked->verb, trigger->line, trigger->head);
	return -1;
}

/* Targets */

static int has_histogram(const struct instance *instance, const struct listed_event *event)
{
	struct trigger_list list = { 0 };
	int result = 0;

	trigger_list_event(instance, event->system, event->name, &list);
	for (size_t i = 0; i < list.count; i++)
		result |= !strncmp(list.items[i].text, "hist:", 5);
	trigger_list_free(&list);
	return result;
}

static int check_target_event(const struct asked *asked, const struct listed_event *target)
{
	const struct instance *instance = asked->instance;
	char *adder;

	if (trigger_switches_event(asked->trigger->kind)) {
		if (has_event_file(instance, target, "enable"))
			return 0;
		message("cannot %s: the event %s:%s cannot be enabled or disabled; give another "
			"one", asked->verb, target->system, target->name);
		return -1;
	}
	if (has_histogram(instance, target))
		return 0;
	adder = xprintf("userevents trigger %s%s%s%s:%s hist:keys=FIELD",
			instance->name ? "-i " : "", instance->name ? instance->name : "",
			instance->name ? " " : "", target->system, target->name);
	message("cannot %s: %s:%s has no histogram to switch; add one first: %s", asked->verb,
		target->system, target->name, adder);
	free(adder);
	return -1;
}

static int check_target(const struct asked *asked)
{
	const char *target = asked->trigger->target;
	struct event_list list;
	int result;

	if (!target)
		return 0;
	if (target[strcspn(target, "*?[]/")]) {
		message("cannot %s: \"%s\" is no name of an event; give one as SYSTEM:EVENT",
			asked->verb, target);
		return -1;
	}
	if (instance_find_to_enable(asked->instance, target, &list))
		return -1;
	result = check_target_event(asked, &list.events[0]);
	event_list_free(&list);
	return result;
}

/* Other triggers of the event */

/* The kernel has one of a kind; traceon and traceoff are one kind, and so are other pairs. */
static int excludes(const struct trigger *there, const struct trigger *wanted)
{
	if (!there->line || there->kind == TRIGGER_HIST)
		return 0;
	if (there->kind != wanted->kind && there->kind != trigger_opposite(wanted->kind))
		return 0;
	return !wanted->target || !strcmp(there->target, wanted->target);
}

static void complain_of_other(const struct asked *asked, const struct listed_trigger *other)
{
	const char *kind = trigger_name(asked->trigger->kind);
	enum trigger_kind opposite = trigger_opposite(asked->trigger->kind);
	char *remover = trigger_remover(asked->instance, asked->event, other->trigger.head);

	if (opposite == asked->trigger->kind)
		message("cannot %s: it has \"%s\" already, and the kernel takes one %s; remove "
			"that first: %s", asked->verb, other->text, kind, remover);
	else
		message("cannot %s: it has \"%s\" already, and the kernel takes one of "
			"%s and %s%s; remove that first: %s", asked->verb, other->text, kind,
			trigger_name(opposite), asked->trigger->target ? " for a target" : "",
			remover);
	free(remover);
}

static int check_others(const struct asked *asked)
{
	struct trigger_list list = { 0 };
	int result = 0;

	trigger_list_event(asked->instance, asked->event->system, asked->event->name, &list);
	for (size_t i = 0; i < list.count && !result; i++) {
		if (excludes(&list.items[i].trigger, asked->trigger)) {
			complain_of_other(asked, &list.items[i]);
			result = -1;
		}
	}
	trigger_list_free(&list);
	return result;
}

/* Histograms */

static struct hist_support find_support(const struct asked *asked)
{
	char *path = xprintf("%s/README", asked->instance->tracefs);
	char *text = read_file(path, NULL);
	int is_of_users = !strncmp(asked->event->system, SYSTEM, strlen(SYSTEM));
	const struct hist_support support = {
		.has_nohitcount = text && strstr(text, "nohitcount"),
		.has_common_stacktrace = text && strstr(text, "common_stacktrace"),
		.has_texts = !is_of_users || kernel_version() >= 6004,
	};

	free(text);
	free(path);
	return support;
}

/* "local [global] counter" */
static int has_clock(const char *clocks, const char *clock, int is_current)
{
	char *word = xprintf(is_current ? " [%s] " : " %s ", clock);
	char *all = xprintf(" %s ", clocks);
	int result;

	for (char *at = all; *at; at++)
		if (*at == '\n' || (!is_current && (*at == '[' || *at == ']')))
			*at = ' ';
	/* without brackets there are two blanks around the current one, which does no harm */
	result = strstr(all, word) != NULL;
	free(word);
	free(all);
	return result;
}

static int check_clock_word(const struct asked *asked, const char *clocks, const char *clock,
			    int has_timestamp)
{
	const struct instance *instance = asked->instance;

	if (!has_clock(clocks, clock, 0)) {
		message("cannot %s: there is no clock \"%s\"; there are %.*s", asked->verb, clock,
			(int)strcspn(clocks, "\n"), clocks);
		return -1;
	}
	if (!has_timestamp || instance->name || has_clock(clocks, clock, 1))
		return 0;
	message("cannot %s: common_timestamp changes trace_clock to \"%s\" for all users of the "
		"top instance, and empties its trace; use an instance: mkdir %s/instances/NAME "
		"&& userevents trigger -i NAME %s:%s ...", asked->verb, clock, instance->tracefs,
		asked->event->system, asked->event->name);
	return -1;
}

static int check_clock(const struct asked *asked, const struct hist_facts *facts)
{
	char *path = instance_path(asked->instance, "trace_clock");
	char *clocks = read_file(path, NULL);
	int result = 0;

	if (clocks && (facts->has_timestamp || facts->clock))
		result = check_clock_word(asked, clocks, facts->clock ? facts->clock : "global",
					  facts->has_timestamp);
	free(clocks);
	free(path);
	return result;
}

static int check_histogram(const struct asked *asked)
{
	const struct listed_event *event = asked->event;
	const struct hist_support support = find_support(asked);
	struct tracepoint *tracepoint;
	struct hist_facts facts = { 0 };
	struct trigger_fault fault = { 0 };
	int result;

	if (asked->trigger->kind != TRIGGER_HIST)
		return 0;
	tracepoint = tracepoint_new(event->system, event->name, event->format,
				    event->format_length, HOST_IS_BIG_ENDIAN);
	result = hist_check(asked->trigger, tracepoint, &support, &facts, &fault);
	if (result)
		trigger_report(asked->verb, asked->trigger->line, &fault);
	else
		result = check_clock(asked, &facts);
	free(facts.clock);
	tracepoint_free(tracepoint);
	return result;
}

static int check_filter(const struct asked *asked)
{
	const char *filter = asked->trigger->filter;

	return filter ? kfilter_accept(filter, asked->event, asked->verb) : 0;
}

int trigger_accept(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger)
{
	const struct asked asked = {
		.instance = instance,
		.event = event,
		.trigger = trigger,
		.verb = xprintf("add a trigger to %s:%s", event->system, event->name),
	};
	int result = check_line(&asked) || check_kernel(&asked) || check_target(&asked) ||
		     check_others(&asked) || check_histogram(&asked) || check_filter(&asked);

	free(asked.verb);
	return result ? -1 : 0;
}
