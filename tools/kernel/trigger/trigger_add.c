/* SPDX-License-Identifier: MIT */
/* Adds a trigger, and reports its surprises. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "kernel/control/instance.h"
#include "kernel/filter/kfilter.h"
#include "kernel/tracefs/hist_file.h"
#include "kernel/tracefs/tracing_files.h"
#include "trigger.h"

/* Reads the trigger files of events. */

static void add(struct trigger_list *list, const char *system, const char *event,
		const char *text)
{
	struct listed_trigger item = { .event = xprintf("%s:%s", system, event),
				       .text = xstrdup(text) };

	trigger_parse(&item.trigger, text);
	list->items = xgrow(list->items, list->count, sizeof(item));
	list->items[list->count++] = item;
}

/* A file without triggers has a comment that lists their kinds. */
int trigger_list_event(const struct instance *instance, const char *system, const char *event,
		       struct trigger_list *list)
{
	AUTO_FREE char *path =
		instance_path(instance, "events/%s/%s/trigger", system, event);
	char *text = read_file(path, NULL), *rest = text, *line;
	int error = text ? 0 : -errno;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line && *line != '#') {
			hist_fold_cpu(line);
			add(list, system, event, line);
		}
	free(text);
	return error;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int add_system(const struct instance *instance, const char *system,
		      struct trigger_list *list)
{
	AUTO_FREE char *path = instance_path(instance, "events/%s", system);
	AUTO(close_directory) DIR *directory = opendir(path);
	struct dirent *entry;
	int error = 0;

	/* events may have gone meanwhile, and some of the system ftrace have no triggers */
	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = trigger_list_event(instance, system, entry->d_name, list);

			error = result && result != -ENOENT && result != -ENODEV ? result : error;
		}
	return error;
}

int trigger_list_all(const struct instance *instance, struct trigger_list *list)
{
	AUTO_FREE char *path = instance_path(instance, "events");
	AUTO(close_directory) DIR *directory = opendir(path);
	int error = directory ? 0 : -errno;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = add_system(instance, entry->d_name, list);

			error = result ? result : error;
		}
	if (error)
		message("cannot read the triggers in %s: %s; run as root", path, strerror(-error));
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

/* The form that the kernel gave it */

__attribute__((format(printf, 3, 4))) static void
doubt(const struct trigger *trigger, size_t at, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *sentence;

	va_start(arguments, format);
	sentence = xvprintf(format, arguments);
	va_end(arguments);
	message("doubtful trigger: %s", sentence);
	message_caret(trigger->line, at);
}

/* Words that the kernel lists as others, or not at all. */
static const char *const unlisted[] = { "key",	  "val",      "values", "pause",
					"cont",	  "continue", "NOHC",	"ascending",
					"bucket", "cpu",      "CPU",	"stacktrace" };

static int is_kept(const char *line, size_t at, const char *word, const char *listed)
{
	AUTO_FREE char *number = NULL;

	for (size_t i = 0; i < sizeof(unlisted) / sizeof(unlisted[0]); i++)
		if (!strcmp(word, unlisted[i]))
			return 1;
	if (!isdigit((unsigned char)*word))
		return trigger_find_word(listed, word) != NULL;
	/* the kernel calculates, so other numbers may be parts of a sum */
	if (line[at - 1] != ':' && (at < 6 || strncmp(line + at - 6, ":size=", 6)))
		return 1;
	number = xprintf("%" PRIu64, (uint64_t)strtoull(word, NULL, 0));
	return trigger_find_word(listed, number) != NULL;
}

/* Text in a histogram: the kernel adds up addresses, or does not know that it is text. */
static void doubt_text(const struct trigger *trigger, size_t at, const char *word,
		       const struct listed_event *event,
		       const struct tracepoint *tracepoint)
{
	const int kernel = kernel_version();
	const char *part = trigger->line + at;
	struct kernel_field field;

	if (kernel_field_find(tracepoint, word, strlen(word), kernel, &field) ||
	    !kernel_field_is_text(&field) || !field.own)
		return;
	while (part > trigger->line && *part != ':')
		part--;
	if (is_of_users(event) && kernel < 6004)
		doubt(trigger, at,
		      "\"%s\" is text, which this kernel does not read from user "
		      "events (Linux 6.4 does); \"userevents hist\" can count by it",
		      word);
	else if (!strncmp(part, ":val", 4))
		doubt(trigger, at,
		      "\"%s\" is text, and the kernel adds up its addresses; give "
		      "it in keys=",
		      word);
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

/* A count is lower in the list once the trigger has acted. */
static int is_count(const struct trigger *trigger, const char *word)
{
	return trigger->is_counted && isdigit((unsigned char)*word) &&
	       strtoull(word, NULL, 10) == trigger->left;
}

/*
 * The kernel forgets all but the last of several "keys=", rounds sizes, and drops the
 * text after a count: parts that it does not list are reported.
 */
static void doubt_words(const struct trigger *trigger, const struct listed_event *event,
			const char *listed)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);
	int is_lost = 0;

	for (size_t at = word_length(trigger->line); at < trigger->rest_at;) {
		const size_t length = word_length(trigger->line + at);
		AUTO_FREE char *word = xstrndup(trigger->line + at, length);

		if (length && trigger->kind == TRIGGER_HIST)
			doubt_text(trigger, at, word, event, tracepoint);
		if (length && !is_lost && !is_count(trigger, word) &&
		    !is_kept(trigger->line, at, word, listed)) {
			is_lost = 1;
			doubt(trigger, at,
			      "the kernel did not take \"%s\" as it is; compare "
			      "what it lists",
			      word);
		}
		at += length ? length : 1;
	}
}

static int has_histogram(const struct instance *instance, const char *target)
{
	char *copy = xstrdup(target), *name = strchr(copy, ':');
	AUTO(trigger_list_free) struct trigger_list list = { 0 };
	int result = 0;

	*name++ = '\0';
	trigger_list_event(instance, copy, name, &list);
	for (size_t i = 0; i < list.count; i++)
		result |= list.items[i].trigger.kind == TRIGGER_HIST;
	free(copy);
	return result;
}

static void doubt_count(const struct trigger *trigger)
{
	const char *count = trigger->line + trigger->count_at + 1;

	count += strspn(count, " \t");
	if (count[0] == '0' && isdigit((unsigned char)count[1]))
		doubt(trigger, (size_t)(count - trigger->line),
		      "the kernel reads %.*s, as it begins with 0, as octal",
		      (int)strspn(count, "0123456789"), count);
	if (!trigger->left)
		doubt(trigger, strlen(trigger->head),
		      "it never acts; write how often as in "
		      "\"%s:5\", or nothing for always",
		      trigger->head);
}

static void warn(const struct instance *instance, const struct listed_event *event,
		 const struct trigger *trigger, const char *listed)
{
	if (trigger->is_counted)
		doubt_count(trigger);
	doubt_words(trigger, event, listed);
	if (trigger->filter)
		kfilter_warn(trigger->filter, event);
	if (trigger_switches_hist(trigger->kind) && trigger->target &&
	    !has_histogram(instance, trigger->target))
		message("%s has no histogram to switch yet; to add one: userevents trigger "
			"%s%s%s%s hist:keys=FIELD",
			trigger->target, instance->name ? "-i " : "",
			instance->name ? instance->name : "", instance->name ? " " : "",
			trigger->target);
}

/* Changes by the kernel */

static char *read_clock(const struct instance *instance)
{
	AUTO_FREE char *path = instance_path(instance, "trace_clock");

	return read_file(path, NULL);
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
		      const struct trigger *trigger, const struct trigger_list *before)
{
	AUTO(trigger_list_free) struct trigger_list after = { 0 };

	trigger_list_event(instance, event->system, event->name, &after);
	for (size_t i = 0; i < after.count; i++) {
		if (has_text(before, after.items[i].text))
			continue;
		print(after.items[i].event, after.items[i].text);
		warn(instance, event, trigger, after.items[i].text);
	}
}

/* Refusals that are not the kernel's */

/* A histogram with times sets the clock of all users of the top instance. */
static int check_clock(const struct instance *instance, const struct listed_event *event,
		       const struct trigger *trigger)
{
	AUTO_FREE char *clock = NULL, *clocks = NULL, *current = NULL;
	int result;

	if (instance->name || trigger->kind != TRIGGER_HIST ||
	    !trigger_find_word(trigger->head, "common_timestamp"))
		return 0;
	clock = trigger_part(trigger, "clock=");
	current = xprintf("[%s]", clock ? clock : "global");
	clocks = read_clock(instance);
	result = clocks && !strstr(clocks, current) ? -1 : 0;
	if (result)
		message("cannot add a trigger to %s:%s: common_timestamp changes trace_clock to "
			"\"%s\" for all users of the top instance, and empties its trace; use an "
			"instance: mkdir %s/instances/NAME && userevents trigger -i NAME %s:%s ...",
			event->system, event->name, clock ? clock : "global",
			instance->tracefs, event->system, event->name);
	return result;
}

/* A target that does not exist is left to the kernel. */
static int check_target(const struct instance *instance, const struct trigger *trigger)
{
	AUTO_FREE char *system = trigger->target ? xstrdup(trigger->target) : NULL;
	char *name = system ? strchr(system, ':') : NULL;
	struct listed_event event = { .system = system };
	char *path;
	int result = 0;

	if (name) {
		*name++ = '\0';
		event.name = name;
		path = instance_event_path(instance, &event, "format");
		event.format = read_file(path, &event.format_length);
		result = event.format ? event_check_trust(&event) : 0;
		free(event.format);
		free(path);
	}
	return result;
}

int trigger_add(const struct instance *instance, const struct listed_event *event,
		const struct trigger *trigger)
{
	AUTO_FREE char *path = NULL, *text = NULL, *clock = NULL;
	struct trigger_list before = { 0 };
	struct refusal refusal;
	int result;

	if (check_clock(instance, event, trigger) || check_target(instance, trigger))
		return -1;
	path = instance_event_path(instance, event, "trigger");
	text = trigger_text(trigger);
	clock = read_clock(instance);
	trigger_list_event(instance, event->system, event->name, &before);
	result = control_try(instance->directory, path, text, &refusal);
	if (result) {
		trigger_explain(instance, event, trigger, &before, &refusal);
	} else {
		print_new(instance, event, trigger, &before);
		report_clock(instance, clock);
	}
	refusal_free(&refusal);
	trigger_list_free(&before);
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
	return xstrdup(trigger->is_paused	      ? "paused" :
		       trigger->kind == TRIGGER_OTHER ? "?" :
							"always");
}

static void print_line(const struct listed_trigger *item, size_t event_width,
		       size_t meaning_width)
{
	AUTO_FREE char *left = left_of(&item->trigger),
		       *meaning = trigger_meaning(&item->trigger);

	put(item->event, event_width);
	printf("%6s  ", left);
	put(meaning, meaning_width);
	controls_print(item->text, strlen(item->text));
	putchar('\n');
}

void trigger_list_print(const struct trigger_list *list)
{
	size_t event_width = strlen("EVENT"), meaning_width = strlen("MEANING");

	for (size_t i = 0; i < list->count; i++) {
		AUTO_FREE char *meaning = trigger_meaning(&list->items[i].trigger);

		event_width = wider(event_width, list->items[i].event);
		meaning_width = wider(meaning_width, meaning);
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
	AUTO_FREE char *meaning = trigger_meaning(&item->trigger);

	putchar('{');
	json_member("event", item->event, strlen(item->event), 1);
	member("trigger", item->text);
	if (trigger->kind != TRIGGER_OTHER)
		member("kind", trigger_name(trigger->kind));
	if (trigger->target)
		member("target", trigger->target);
	if (trigger->filter)
		member("filter", trigger->filter);
	if (trigger->is_counted)
		printf(",\"left\":%" PRIu64, trigger->left);
	if (trigger->kind == TRIGGER_HIST)
		printf(",\"paused\":%s", trigger->is_paused ? "true" : "false");
	member("meaning", meaning);
	puts("}");
}

void trigger_list_print_json(const struct trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		print_json(&list->items[i]);
}
