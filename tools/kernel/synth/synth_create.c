/* SPDX-License-Identifier: MIT */
/* Creates synthetic events and the triggers that write them, or nothing at all. */
#include "synth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "kernel/control/instance.h"
#include "found_triggers.h"
#include "kernel/filter/kfilter.h"
#include "synth_event.h"
#include "kernel/tracefs/tracing_files.h"

/* Definitions */

static int complain_of_text(const char *text, struct synth_problem *problem)
{
	message("cannot create the synthetic event: %s", problem->reason);
	if (problem->at <= strlen(text))
		message_caret(text, problem->at);
	free(problem->reason);
	return -1;
}

static int parse(const char *text, struct synth_definition *definition)
{
	struct synth_problem problem;

	if (synth_definition_read(text, definition, &problem) ||
	    synth_definition_check(definition, &problem))
		return complain_of_text(text, &problem);
	return 0;
}

static int has_event(const char *tracefs, const char *name)
{
	char *path = xprintf("%s/events/synthetic/%s", tracefs, name);
	int result = !access(path, F_OK);

	free(path);
	return result;
}

static int check_new(const char *tracefs, const char *name)
{
	char *path = tracing_path(tracefs, "synthetic_events");
	int exists = !access(path, F_OK);

	free(path);
	if (!exists)
		message("cannot create %s: this kernel has no synthetic events "
			"(CONFIG_SYNTH_EVENTS)", name);
	else if (has_event(tracefs, name))
		message("cannot create %s: it exists; delete it first, with: userevents synth "
			"delete %s", name, name);
	return exists && !has_event(tracefs, name) ? 0 : -1;
}

/* Write the definition: 0, or -1 after a message. */
static int define(const char *tracefs, const struct synth_definition *definition)
{
	char *path = tracing_path(tracefs, "synthetic_events");
	char *text = synth_definition_text(definition);
	char *verb = xprintf("create %s", definition->name);
	struct refusal refusal;
	int result = control_try(tracefs, path, text, &refusal);

	if (result)
		refusal_report(&refusal, verb);
	refusal_free(&refusal);
	free(verb);
	free(text);
	free(path);
	return result ? -1 : 0;
}

int synth_define(const char *tracefs, const char *text)
{
	struct synth_definition definition;
	int result = parse(text, &definition) || check_new(tracefs, definition.name) ||
		     define(tracefs, &definition);
	char *canonical = result ? NULL : synth_definition_text(&definition);

	if (canonical)
		printf("%s\n", canonical);
	free(canonical);
	synth_definition_free(&definition);
	return result ? -1 : 0;
}

/* Events of two */

/* Things that exist, to be taken back after a failure. */
struct creation {
	const struct synth_wish *wish;
	struct instance instance;
	struct event_list from, to;
	struct synth_pair pair;
	int made_instance, made_event;
	struct found_trigger set[2]; /* directory and text; unset: NULL */
	size_t set_count;
};

static void take_back(struct creation *creation)
{
	while (creation->set_count)
		found_trigger_remove(&creation->set[--creation->set_count]);
	if (creation->made_event)
		synth_event_remove(creation->instance.tracefs, creation->wish->name);
	if (creation->made_instance)
		instance_remove(&creation->instance);
}

static int sum_entries(void *context, const char *path, const char *name)
{
	char *file = xprintf("%s/stats", path), *text = read_file(file, NULL);
	unsigned long long *sum = context, entries;

	(void)name;
	if (text && sscanf(text, "entries: %llu", &entries) == 1)
		*sum += entries;
	free(text);
	free(file);
	return 0;
}

/* Setting the clock throws the instance's recorded events away. */
static int check_recorded(struct creation *creation, int discards)
{
	char *path = instance_path(&creation->instance, "per_cpu");
	unsigned long long sum = 0;

	if (creation->pair.uses_clock && !discards)
		directories_each(path, sum_entries, &sum);
	free(path);
	if (!sum)
		return 0;
	return wish_refuse(creation->wish, "to measure time, the kernel would discard the %llu "
			   "recorded events of the instance \"%s\"; add --discard, or use "
			   "another instance", sum, creation->instance.name);
}

static int prepare_instance(struct creation *creation, const char *tracefs, const char *name,
			    int discards)
{
	char *path = xprintf("%s/instances/%s", tracefs, name);

	creation->made_instance = access(path, F_OK) && errno == ENOENT;
	free(path);
	if (instance_open_or_make(&creation->instance, tracefs, name)) {
		creation->made_instance = 0;
		return -1;
	}
	return check_recorded(creation, discards);
}

static int set_trigger(struct creation *creation, const struct listed_event *event,
		       char *text)
{
	char *path = instance_event_path(&creation->instance, event, "trigger");
	char *verb = xprintf("create %s: %s:%s refuses its trigger", creation->wish->name,
			     event->system, event->name);
	struct refusal refusal;
	int result = control_try(creation->instance.directory, path, text, &refusal);

	if (result)
		refusal_report(&refusal, verb);
	else
		creation->set[creation->set_count++] = (struct found_trigger){
			.directory = instance_event_path(&creation->instance, event, "."),
			.text = text,
		};
	refusal_free(&refusal);
	free(verb);
	free(path);
	return result ? -1 : 0;
}

static int set_up(struct creation *creation, const char *tracefs)
{
	char *path;
	int result;

	if (define(tracefs, &creation->pair.definition))
		return -1;
	creation->made_event = 1;
	if (set_trigger(creation, &creation->from.events[0], creation->pair.from_trigger) ||
	    set_trigger(creation, &creation->to.events[0], creation->pair.to_trigger))
		return -1;
	path = instance_path(&creation->instance, "events/synthetic/%s/enable",
			     creation->wish->name);
	result = control_write(path, "1");
	free(path);
	if (result)
		wish_refuse(creation->wish, "enabling it failed: %s", strerror(-result));
	return result;
}

static void tell(const struct creation *creation)
{
	char *text = synth_definition_text(&creation->pair.definition);
	const char *made = creation->made_instance ? ", which was made for it" : "";

	printf("%s\n", text);
	printf("It is written into the instance \"%s\"%s. To see it:\n"
	       "    cat %s/trace_pipe\n", creation->instance.name, made,
	       creation->instance.directory);
	free(text);
}

/* Find both events, which every instance has, before anything is made. */
static int look(struct creation *creation, const char *tracefs)
{
	struct instance top;
	int result;

	if (instance_open(&top, tracefs, NULL))
		return -1;
	result = instance_find_to_enable(&top, creation->wish->from, &creation->from) ||
		 instance_find_to_enable(&top, creation->wish->to, &creation->to) ||
		 synth_pair_make(creation->wish, &creation->from.events[0],
				 &creation->to.events[0], &creation->pair);
	instance_close(&top);
	return result ? -1 : 0;
}

static int check_filter(const struct synth_wish *wish, const char *filter,
			const struct listed_event *event)
{
	char *verb;
	int result;

	if (!filter)
		return 0;
	verb = xprintf("create %s", wish->name);
	result = kfilter_accept(filter, event, verb);
	free(verb);
	return result;
}

static int check_snapshot(const struct synth_wish *wish, const char *tracefs)
{
	char *path = tracing_path(tracefs, "snapshot");
	int exists = !access(path, F_OK);

	free(path);
	if (exists || !wish->snapshot)
		return 0;
	return wish_refuse(wish, "this kernel takes no snapshots (CONFIG_TRACER_SNAPSHOT)");
}

static int check(const struct creation *creation, const char *tracefs)
{
	const struct synth_wish *wish = creation->wish;

	return check_filter(wish, wish->where_from, &creation->from.events[0]) ||
	       check_filter(wish, wish->where_to, &creation->to.events[0]) ||
	       check_new(tracefs, wish->name) || check_snapshot(wish, tracefs);
}

int synth_create(const char *tracefs, const char *instance, const struct synth_wish *wish,
		 int discards)
{
	struct creation creation = { .wish = wish };
	int result = look(&creation, tracefs) || check(&creation, tracefs);
	sigset_t before;

	/* nothing is left half set up, and its name is not one that cleanup knows */
	signals_hold(&before);
	result = result || prepare_instance(&creation, tracefs, instance, discards) ||
		 set_up(&creation, tracefs);
	if (result)
		take_back(&creation);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!result)
		tell(&creation);
	for (size_t i = 0; i < creation.set_count; i++)
		free(creation.set[i].directory);
	event_list_free(&creation.from);
	event_list_free(&creation.to);
	synth_pair_free(&creation.pair);
	instance_close(&creation.instance);
	return result ? -1 : 0;
}
