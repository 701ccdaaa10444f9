/* SPDX-License-Identifier: MIT */
/* Deletes synthetic events, in the order that the kernel accepts. */
#include "synth.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/hist_file.h"

/* Walks the trigger files of all instances. */

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
		AUTO_FREE char *inner = xprintf("%s/%s", path, entries[i]->d_name);

		if (!result)
			result = call(context, inner, entries[i]->d_name);
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
	AUTO_FREE char *file = xprintf("%s/trigger", path), *text = read_file(file, NULL);
	char *rest = text, *line;

	/* lines with '#' list the triggers that can be set */
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add(context, path, name, line);
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
	AUTO_FREE char *events = xprintf("%s/events", path);

	return directories_each(events, look_at_system, &walk);
}

void triggers_find(const char *tracefs, struct found_triggers *triggers)
{
	AUTO_FREE char *instances = xprintf("%s/instances", tracefs);

	*triggers = (struct found_triggers){ 0 };
	look_at_instance(triggers, tracefs, NULL);
	directories_each(instances, look_at_instance, triggers);
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

/* A text and the character after a name in it: one of these characters. */
static int has_call(const char *text, const char *before, const char *name,
		    const char *behind)
{
	AUTO_FREE char *call = xprintf("%s%s", before, name);
	const char *at = text;
	int has = 0;

	while (!has && (at = strstr(at, call))) {
		at += strlen(call);
		has = *at && strchr(behind, *at);
	}
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
	AUTO_FREE char *path = xprintf("%s/trigger", trigger->directory);
	AUTO_FREE char *text = xprintf("%s%s", prefix, trigger->text);

	hist_fold_cpu(text);
	return control_write(path, text);
}

int found_trigger_remove(const struct found_trigger *trigger)
{
	return write_trigger(trigger, "!");
}

static int trigger_restore(const struct found_trigger *trigger)
{
	return write_trigger(trigger, "");
}

struct deletion {
	const char *tracefs;
	const char *name;
	const struct found_triggers *triggers;
	struct found_trigger **removed; /* in the order of removal */
	size_t removed_count;
	struct words enabled; /* files "enable" that were 1 and are 0 now */
	size_t users; /* that are not ours */
	int is_quiet;
};

static const char *shown(const char *instance)
{
	return instance ? instance : "(top)";
}

static int is_ours(const struct deletion *deletion, const struct found_trigger *trigger)
{
	return synth_event_owns(trigger, deletion->name);
}

/* Users that others made */

static int is_in_our_instance(const struct deletion *deletion, const char *instance)
{
	const struct found_triggers *triggers = deletion->triggers;

	for (size_t i = 0; i < triggers->count; i++)
		if (is_ours(deletion, &triggers->items[i]) && instance &&
		    triggers->items[i].instance &&
		    !strcmp(triggers->items[i].instance, instance))
			return 1;
	return 0;
}

static void add_user(struct deletion *deletion, const struct found_trigger *trigger,
		     const char *verb)
{
	deletion->users++;
	if (!deletion->is_quiet)
		message("cannot delete %s: a trigger of %s:%s in the instance %s %s it; remove "
			"that with: echo '!%s' >> %s/trigger", deletion->name, trigger->system,
			trigger->event, shown(trigger->instance), verb, trigger->text,
			trigger->directory);
}

/* Whether a trigger that others made needs the variables of ours. */
static int refers(const struct deletion *deletion, const struct found_trigger *trigger)
{
	AUTO_FREE char *variable = xprintf("$%s__", deletion->name);
	int result = !is_ours(deletion, trigger) && strstr(trigger->text, variable);

	return result && is_in_our_instance(deletion, trigger->instance);
}

static void look_at_trigger(struct deletion *deletion, const struct found_trigger *trigger)
{
	const int is_of_event = !strcmp(trigger->system, "synthetic") &&
				!strcmp(trigger->event, deletion->name);

	if (is_of_event)
		add_user(deletion, trigger, "uses");
	else if (trigger_writes(trigger, deletion->name) &&
		 (!is_ours(deletion, trigger) || deletion->is_quiet))
		add_user(deletion, trigger, "writes");
	else if (refers(deletion, trigger))
		add_user(deletion, trigger, "uses a variable of");
}

static void look_at_enabled(void *context, const char *instance, const char *directory)
{
	struct deletion *deletion = context;

	if (is_in_our_instance(deletion, instance)) {
		words_add(&deletion->enabled, xprintf("%s/enable", directory));
		return;
	}
	deletion->users++;
	if (!deletion->is_quiet)
		message("cannot delete %s: it is enabled in the instance %s; disable it with: "
			"echo 0 > %s/enable", deletion->name, shown(instance), directory);
}

static size_t find_users(struct deletion *deletion)
{
	for (size_t i = 0; i < deletion->triggers->count; i++)
		look_at_trigger(deletion, &deletion->triggers->items[i]);
	synth_event_enabled_each(deletion->tracefs, deletion->name, look_at_enabled, deletion);
	return deletion->users;
}

/* Removal */

static int remove_trigger(struct deletion *deletion, struct found_trigger *trigger)
{
	int result = found_trigger_remove(trigger);

	if (result) {
		message("cannot delete %s: its trigger of %s:%s in the instance %s is in use: %s",
			deletion->name, trigger->system, trigger->event,
			shown(trigger->instance), strerror(-result));
		return -1;
	}
	deletion->removed = xgrow(deletion->removed, deletion->removed_count,
				  sizeof(*deletion->removed));
	deletion->removed[deletion->removed_count++] = trigger;
	return 0;
}

/* Those that write it use variables of the others, so they go first. */
static int remove_triggers(struct deletion *deletion, int writes)
{
	for (size_t i = 0; i < deletion->triggers->count; i++) {
		struct found_trigger *trigger = &deletion->triggers->items[i];

		if (is_ours(deletion, trigger) &&
		    !!trigger_writes(trigger, deletion->name) == writes &&
		    remove_trigger(deletion, trigger))
			return -1;
	}
	return 0;
}

static int remove_event(struct deletion *deletion)
{
	int result;

	for (size_t i = 0; i < deletion->enabled.count; i++)
		control_write(deletion->enabled.items[i], "0");
	result = synth_event_remove(deletion->tracefs, deletion->name);
	if (result)
		message("cannot delete %s: the kernel says \"%s\"; a program such as perf or "
			"trace-cmd may use it", deletion->name, strerror(-result));
	return result;
}

static void restore(struct deletion *deletion)
{
	while (deletion->removed_count)
		trigger_restore(deletion->removed[--deletion->removed_count]);
	for (size_t i = 0; i < deletion->enabled.count; i++)
		control_write(deletion->enabled.items[i], "1");
}

static int delete_one(struct deletion *deletion)
{
	int result = find_users(deletion);
	sigset_t before;

	signals_hold(&before);
	result = result || remove_triggers(deletion, 1) || remove_triggers(deletion, 0) ||
		 remove_event(deletion);
	if (result)
		restore(deletion);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!result)
		printf("%s\n", deletion->name);
	free(deletion->removed);
	free(deletion->enabled.items);
	return result ? -1 : 0;
}

/* The default instance goes with the last event in it, unless others use it. */
static void remove_instance(const char *tracefs)
{
	struct found_triggers triggers;
	struct instance instance;
	char *path = xprintf("%s/instances/" SYNTH_INSTANCE, tracefs), *enable, *text;
	struct stat stat_of;
	int is_used = stat(path, &stat_of);

	free(path);
	if (is_used || instance_open(&instance, tracefs, SYNTH_INSTANCE))
		return;
	triggers_find(tracefs, &triggers);
	for (size_t i = 0; i < triggers.count; i++)
		is_used |= triggers.items[i].instance &&
			   !strcmp(triggers.items[i].instance, SYNTH_INSTANCE);
	enable = instance_path(&instance, "events/enable");
	text = read_file(enable, NULL);
	is_used |= !text || *text != '0';
	if (!is_used)
		instance_remove(&instance);
	free(text);
	free(enable);
	triggers_free(&triggers);
	instance_close(&instance);
}

static int delete_name(const char *tracefs, const struct synth_events *events,
		       const char *name, int is_quiet)
{
	struct found_triggers triggers;
	struct deletion deletion = {
		.tracefs = tracefs, .name = name, .triggers = &triggers, .is_quiet = is_quiet,
	};
	const char *near;
	int result;

	if (!synth_events_find(events, name)) {
		near = nearest(name, events->items, events->count, sizeof(*events->items));
		message(near ? "cannot delete %s: there is no such synthetic event; did you mean "
			       "\"%s\"?" :
			       "cannot delete %s: there is no such synthetic event; \"userevents "
			       "synth list\" prints them", name, near);
		return -1;
	}
	triggers_find(tracefs, &triggers);
	result = delete_one(&deletion);
	triggers_free(&triggers);
	return result;
}

int synth_delete(const char *tracefs, const struct words *names)
{
	struct synth_events events;
	int result = synth_events_read(tracefs, &events);

	if (result)
		return result;
	for (size_t i = 0; i < names->count; i++)
		result |= delete_name(tracefs, &events, names->items[i], 0);
	synth_events_free(&events);
	remove_instance(tracefs);
	return result;
}

int synth_delete_unused(const char *tracefs)
{
	struct synth_events events;

	if (synth_events_read(tracefs, &events))
		return -1;
	for (size_t i = 0; i < events.count; i++)
		delete_name(tracefs, &events, events.items[i].name, 1);
	synth_events_free(&events);
	return 0;
}
