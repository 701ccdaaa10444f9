/* SPDX-License-Identifier: MIT */
/* Walks the trigger files of all instances. */
#include "found_triggers.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/control/control_file.h"

static int is_directory(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

int directories_each(const char *path,
		     int (*call)(void *context, const char *path, const char *name),
		     void *context)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_directory, alphasort), result = 0;

	for (int i = 0; i < count; i++) {
		char *inner = xprintf("%s/%s", path, entries[i]->d_name);

		if (!result)
			result = call(context, inner, entries[i]->d_name);
		free(inner);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return result;
}

struct walk {
	struct found_triggers *triggers;
	const char *instance;
	const char *system;
};

/* The kernel ends the line of a histogram with its state. */
static char *without_state(const char *line)
{
	static const char *const states[] = { " [active]", " [paused]", ":unlimited" };
	size_t length = strlen(line);

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		const size_t end = strlen(states[i]);

		if (length > end && !strcmp(line + length - end, states[i]))
			return xstrndup(line, length - end);
	}
	return xstrdup(line);
}

static void add(const struct walk *walk, const char *directory, const char *event,
		const char *line)
{
	struct found_triggers *triggers = walk->triggers;

	triggers->items = xgrow(triggers->items, triggers->count, sizeof(*triggers->items));
	triggers->items[triggers->count++] = (struct found_trigger){
		.instance = walk->instance ? xstrdup(walk->instance) : NULL,
		.directory = xstrdup(directory),
		.system = xstrdup(walk->system),
		.event = xstrdup(event),
		.text = without_state(line),
	};
}

static int look_at_event(void *context, const char *path, const char *name)
{
	char *file = xprintf("%s/trigger", path), *text = read_file(file, NULL);
	char *rest = text, *line;

	/* lines with '#' list the triggers that can be set */
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add(context, path, name, line);
	free(text);
	free(file);
	return 0;
}

static int look_at_system(void *context, const char *path, const char *name)
{
	struct walk *walk = context;

	walk->system = name;
	return directories_each(path, look_at_event, walk);
}

static int look_at_instance(void *context, const char *path, const char *name)
{
	struct walk walk = { .triggers = context, .instance = name };
	char *events = xprintf("%s/events", path);
	int result = directories_each(events, look_at_system, &walk);

	free(events);
	return result;
}

void triggers_find(const char *tracefs, struct found_triggers *triggers)
{
	char *instances = xprintf("%s/instances", tracefs);

	*triggers = (struct found_triggers){ 0 };
	look_at_instance(triggers, tracefs, NULL);
	directories_each(instances, look_at_instance, triggers);
	free(instances);
}

void triggers_free(struct found_triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++) {
		free(triggers->items[i].instance);
		free(triggers->items[i].directory);
		free(triggers->items[i].system);
		free(triggers->items[i].event);
		free(triggers->items[i].text);
	}
	free(triggers->items);
	*triggers = (struct found_triggers){ 0 };
}

/* A text and what follows a name in it: one of these characters. */
static int has_call(const char *text, const char *before, const char *name,
		    const char *behind)
{
	char *call = xprintf("%s%s", before, name);
	const char *at = text;
	int has = 0;

	while (!has && (at = strstr(at, call))) {
		at += strlen(call);
		has = *at && strchr(behind, *at);
	}
	free(call);
	return has;
}

int trigger_writes(const struct found_trigger *trigger, const char *name)
{
	/* the second form is the older one */
	return !strncmp(trigger->text, "hist:", strlen("hist:")) &&
	       (has_call(trigger->text, ").trace(", name, ",)") ||
		has_call(trigger->text, ").", name, "("));
}

static int write_trigger(const struct found_trigger *trigger, const char *prefix)
{
	char *path = xprintf("%s/trigger", trigger->directory);
	char *text = xprintf("%s%s", prefix, trigger->text);
	int result = control_write(path, text);

	free(text);
	free(path);
	return result;
}

int found_trigger_remove(const struct found_trigger *trigger)
{
	return write_trigger(trigger, "!");
}

int trigger_restore(const struct found_trigger *trigger)
{
	return write_trigger(trigger, "");
}
