/* SPDX-License-Identifier: MIT */
/* Adds a trigger, and reports what a person would not expect of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/safe_text.h"
#include "kernel/control/control_file.h"
#include "trigger_change.h"

static int is_of_users(const struct listed_event *event)
{
	return !strncmp(event->system, SYSTEM, strlen(SYSTEM));
}

static void advise_stack(const struct listed_event *event)
{
	if (is_of_users(event))
		message("the stack is the kernel's, which for a user event is always its write; "
			"the program's: perf record -g -e %s:%s, or --user-stack in an "
			"--instance",
			event->system, event->name);
}

static void advise_snapshot(const struct instance *instance)
{
	message("the snapshot has a second buffer, as large as the first; read it in "
		"%s/snapshot, and free it, once no trigger takes one, with: echo 0 >%s/snapshot",
		instance->directory, instance->directory);
}

void trigger_advise(const struct instance *instance, const struct listed_event *event,
		    const struct trigger *trigger)
{
	if (trigger->kind == TRIGGER_STACKTRACE)
		advise_stack(event);
	else if (trigger->kind == TRIGGER_SNAPSHOT)
		advise_snapshot(instance);
	else if ((trigger->kind == TRIGGER_TRACEON || trigger->kind == TRIGGER_TRACEOFF) &&
		 !instance->name)
		message("%s switches tracing_on of the top instance, for all who use that; an "
			"instance of your own has one of its own (--instance)",
			trigger_name(trigger->kind));
}

/* Changes by the kernel */

static char *read_clock(const struct instance *instance)
{
	char *path = instance_path(instance, "trace_clock"), *text = read_file(path, NULL);

	free(path);
	return text;
}

/* The name in brackets. */
static void report_clock(const struct instance *instance, const char *before)
{
	char *after = read_clock(instance), *clock = after ? strchr(after, '[') : NULL;

	if (clock && before && strcmp(before, after))
		message("common_timestamp changed the clock of %s to %.*s, which emptied "
			"its trace",
			instance->directory, (int)strcspn(clock + 1, "]"), clock + 1);
	free(after);
}

static int has_text(const struct trigger_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].text, text))
			return 1;
	return 0;
}

static void print(const char *event, const char *text)
{
	controls_print(event, strlen(event));
	putchar(' ');
	controls_print(text, strlen(text));
	putchar('\n');
}

static void print_new(const struct instance *instance, const struct listed_event *event,
		      const struct trigger_list *before)
{
	struct trigger_list after = { 0 };

	trigger_list_event(instance, event->system, event->name, &after);
	for (size_t i = 0; i < after.count; i++)
		if (!has_text(before, after.items[i].text))
			print(after.items[i].event, after.items[i].text);
	trigger_list_free(&after);
}

/* Refusals */

/* The part of a histogram by which the kernel compares two of them first. */
static int has_same_keys(const char *listed, const char *wanted)
{
	const char *a = strstr(listed, ":keys="), *b = strstr(wanted, ":key");
	size_t length;

	b = b ? strchr(b, '=') : NULL;
	if (!a || !b)
		return 0;
	a += strlen(":keys=");
	length = strcspn(a, ": ");
	return length == strcspn(b + 1, ": ") && !strncmp(a, b + 1, length);
}

static void report_existing(const struct instance *instance, const struct listed_event *event,
			    const struct trigger *trigger, const struct trigger_list *list)
{
	const char *there = "an equal one";
	char *remover;

	for (size_t i = 0; i < list->count; i++)
		if (has_same_keys(list->items[i].text, trigger->line))
			there = list->items[i].trigger.line;
	remover = trigger_remover(instance, event, "'");
	message("cannot add a trigger to %s:%s: it has \"%s\" already; remove that first: "
		"%s%s'", event->system, event->name, there, remover, there);
	free(remover);
}

static void report(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger, const struct trigger_list *list,
		   const struct refusal *refusal)
{
	char *verb;

	if (refusal->error == EEXIST) {
		report_existing(instance, event, trigger, list);
		return;
	}
	verb = xprintf("add a trigger to %s:%s", event->system, event->name);
	refusal_report(refusal, verb);
	free(verb);
}

int trigger_add(const struct instance *instance, const struct listed_event *event,
		const struct trigger *trigger)
{
	char *path = instance_event_path(instance, event, "trigger");
	char *text = trigger_text(trigger), *clock = read_clock(instance);
	struct trigger_list before = { 0 };
	struct refusal refusal;
	int result;

	trigger_list_event(instance, event->system, event->name, &before);
	result = control_try(instance->directory, path, text, &refusal);
	if (result) {
		report(instance, event, trigger, &before, &refusal);
	} else {
		print_new(instance, event, &before);
		report_clock(instance, clock);
	}
	refusal_free(&refusal);
	trigger_list_free(&before);
	free(clock);
	free(text);
	free(path);
	return result ? -1 : 0;
}
