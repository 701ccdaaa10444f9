/* SPDX-License-Identifier: MIT */
/* Adds a trigger, and reports what a person would not expect of it. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "trigger_change.h"

/* Reads the trigger files of events. */

static void add(struct trigger_list *list, const char *system, const char *event,
		const char *text)
{
	struct listed_trigger item = { .event = xprintf("%s:%s", system, event),
				       .text = xstrdup(text) };
	struct trigger_fault fault;

	if (trigger_parse(&item.trigger, text, &fault))
		free(fault.sentence);
	list->items = xgrow(list->items, list->count, sizeof(item));
	list->items[list->count++] = item;
}

/* Without triggers, the file has comments: which kinds there are. */
int trigger_list_event(const struct instance *instance, const char *system, const char *event,
		       struct trigger_list *list)
{
	char *path = instance_path(instance, "events/%s/%s/trigger", system, event);
	char *text = read_file(path, NULL), *rest = text, *line;
	int error = text ? 0 : -errno;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add(list, system, event, line);
	free(text);
	free(path);
	return error;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int add_system(const struct instance *instance, const char *system,
		      struct trigger_list *list)
{
	char *path = instance_path(instance, "events/%s", system);
	DIR *directory = opendir(path);
	struct dirent *entry;
	int error = 0;

	free(path);
	/* events may have gone meanwhile, and some of the system ftrace have no triggers */
	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = trigger_list_event(instance, system, entry->d_name, list);

			error = result && result != -ENOENT && result != -ENODEV ? result : error;
		}
	if (directory)
		closedir(directory);
	return error;
}

int trigger_list_all(const struct instance *instance, struct trigger_list *list)
{
	char *path = instance_path(instance, "events");
	DIR *directory = opendir(path);
	int error = directory ? 0 : -errno;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = add_system(instance, entry->d_name, list);

			error = result ? result : error;
		}
	if (directory)
		closedir(directory);
	if (error)
		message("cannot read the triggers in %s: %s; run as root", path, strerror(-error));
	free(path);
	return error ? -1 : 0;
}

void trigger_list_free(struct trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].event);
		free(list->items[i].text);
		trigger_free(&list->items[i].trigger);
	}
	free(list->items);
	*list = (struct trigger_list){ 0 };
}

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

/* Prints triggers: as a table whose last column "--remove" accepts, or as JSON. */

/* Longer words make their line longer, and not the column wider. */
#define WIDTH_MAX 60

static void put(const char *text, size_t width)
{
	size_t length = strlen(text);

	controls_print(text, length);
	printf("%*s  ", length < width ? (int)(width - length) : 0, "");
}

static size_t wider(size_t width, const char *text)
{
	size_t length = strlen(text);

	return length > width && length <= WIDTH_MAX ? length : width;
}

/* "5", "paused", or "always", to be freed */
static char *left_of(const struct trigger *trigger)
{
	if (trigger->is_counted)
		return xprintf("%" PRIu64, trigger->left);
	return xstrdup(trigger->is_paused ? "paused" : trigger->line ? "always" : "?");
}

static char *meaning_of(const struct listed_trigger *item)
{
	return item->trigger.line ? trigger_meaning(&item->trigger) :
				    xstrdup("a kind that is not known to this version");
}

static void print_line(const struct listed_trigger *item, size_t event_width,
		       size_t meaning_width)
{
	char *left = left_of(&item->trigger), *meaning = meaning_of(item);

	put(item->event, event_width);
	printf("%6s  ", left);
	put(meaning, meaning_width);
	controls_print(item->text, strlen(item->text));
	putchar('\n');
	free(left);
	free(meaning);
}

void trigger_list_print(const struct trigger_list *list)
{
	size_t event_width = strlen("EVENT"), meaning_width = strlen("MEANING");

	for (size_t i = 0; i < list->count; i++) {
		char *meaning = meaning_of(&list->items[i]);

		event_width = wider(event_width, list->items[i].event);
		meaning_width = wider(meaning_width, meaning);
		free(meaning);
	}
	if (!list->count)
		return;
	put("EVENT", event_width);
	fputs("  LEFT  ", stdout);
	put("MEANING", meaning_width);
	puts("TRIGGER");
	for (size_t i = 0; i < list->count; i++)
		print_line(&list->items[i], event_width, meaning_width);
}

static void member(const char *key, const char *text)
{
	json_member(key, text, strlen(text), 0);
}

static void print_json(const struct listed_trigger *item)
{
	const struct trigger *trigger = &item->trigger;
	char *meaning = meaning_of(item);

	putchar('{');
	json_member("event", item->event, strlen(item->event), 1);
	member("trigger", item->text);
	if (trigger->line)
		member("kind", trigger_name(trigger->kind));
	if (trigger->target)
		member("target", trigger->target);
	if (trigger->filter)
		member("filter", trigger->filter);
	if (trigger->is_counted)
		printf(",\"left\":%" PRIu64, trigger->left);
	if (trigger->line && trigger->kind == TRIGGER_HIST)
		printf(",\"paused\":%s", trigger->is_paused ? "true" : "false");
	member("meaning", meaning);
	puts("}");
	free(meaning);
}

void trigger_list_print_json(const struct trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		print_json(&list->items[i]);
}
