/* SPDX-License-Identifier: MIT */
/* Reads which synthetic events exist, and removes them. */
#include "synth_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/control_file.h"
#include "synth_pair.h"
#include "kernel/tracefs/tracing_files.h"

static void add(struct synth_events *events, char *line)
{
	const char *name = strsep(&line, "\t ");

	events->items = xgrow(events->items, events->count, sizeof(*events->items));
	events->items[events->count++] = (struct synth_event){
		xstrdup(name), xstrdup(line ? line + strspn(line, "\t ") : ""),
	};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct synth_event *)a)->name,
		      ((const struct synth_event *)b)->name);
}

int synth_events_read(const char *tracefs, struct synth_events *events)
{
	char *path = tracing_path(tracefs, "synthetic_events"), *text, *rest, *line;

	*events = (struct synth_events){ 0 };
	text = tracing_read(path, NULL);
	free(path);
	if (!text)
		return -1;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			add(events, line);
	free(text);
	if (events->count)
		qsort(events->items, events->count, sizeof(*events->items), by_name);
	return 0;
}

void synth_events_free(struct synth_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		free(events->items[i].name);
		free(events->items[i].fields);
	}
	free(events->items);
	*events = (struct synth_events){ 0 };
}

const struct synth_event *synth_events_find(const struct synth_events *events,
					    const char *name)
{
	for (size_t i = 0; i < events->count; i++)
		if (!strcmp(events->items[i].name, name))
			return &events->items[i];
	return NULL;
}

/* The kernel frees triggers a moment after they are removed. */
#define TRIES 50
#define PAUSE { .tv_nsec = 20000000 }

int synth_event_remove(const char *tracefs, const char *name)
{
	const struct timespec pause = PAUSE;
	char *path = tracing_path(tracefs, "synthetic_events");
	char *text = xprintf("!%s", name);
	int result = control_write(path, text);

	for (int i = 0; i < TRIES && result == -EBUSY; i++) {
		nanosleep(&pause, NULL);
		result = control_write(path, text);
	}
	free(text);
	free(path);
	return result;
}

int synth_event_owns(const struct found_trigger *trigger, const char *name)
{
	return !strncmp(trigger->text, "hist:", strlen("hist:")) &&
	       synth_pair_owns(trigger->text, name);
}

struct enabled {
	const char *name;
	void (*call)(void *context, const char *instance, const char *directory);
	void *context;
};

static int look_at_instance(void *context, const char *path, const char *instance)
{
	const struct enabled *enabled = context;
	char *directory = xprintf("%s/events/synthetic/%s", path, enabled->name);
	char *file = xprintf("%s/enable", directory), *text = read_file(file, NULL);

	if (text && *text == '1')
		enabled->call(enabled->context, instance, directory);
	free(text);
	free(file);
	free(directory);
	return 0;
}

void synth_event_enabled_each(const char *tracefs, const char *name,
			      void (*call)(void *context, const char *instance,
					   const char *directory),
			      void *context)
{
	struct enabled enabled = { name, call, context };
	char *instances = tracing_path(tracefs, "instances");

	look_at_instance(&enabled, tracefs, NULL);
	directories_each(instances, look_at_instance, &enabled);
	free(instances);
}
