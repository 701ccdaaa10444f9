/* SPDX-License-Identifier: MIT */
/* Reads which synthetic events exist, and removes them. */
#include "synth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
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
	AUTO_FREE char *path = tracing_path(tracefs, "synthetic_events"), *text;
	char *rest, *line;

	*events = (struct synth_events){ 0 };
	text = tracing_lacks(tracefs, TRACING_SYNTHETIC_EVENTS, "find synthetic events") ?
		       NULL : tracing_read(path, NULL);
	if (!text)
		return -1;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			add(events, line);
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
	AUTO_FREE char *path = tracing_path(tracefs, "synthetic_events");
	AUTO_FREE char *text = xprintf("!%s", name);
	int result = control_write(path, text);

	for (int i = 0; i < TRIES && result == -EBUSY; i++) {
		nanosleep(&pause, NULL);
		result = control_write(path, text);
	}
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
	AUTO_FREE char *directory =
		xprintf("%s/events/synthetic/%s", path, enabled->name);
	AUTO_FREE char *file = xprintf("%s/enable", directory),
		       *text = read_file(file, NULL);

	if (text && *text == '1')
		enabled->call(enabled->context, instance, directory);
	return 0;
}

void synth_event_enabled_each(const char *tracefs, const char *name,
			      void (*call)(void *context, const char *instance,
					   const char *directory),
			      void *context)
{
	struct enabled enabled = { name, call, context };
	AUTO_FREE char *instances = tracing_path(tracefs, "instances");

	look_at_instance(&enabled, tracefs, NULL);
	directories_each(instances, look_at_instance, &enabled);
}

/* Finds fields in the format files of events. */

static int has_own_type(const struct kernel_field *field)
{
	char type[12];

	snprintf(type, sizeof(type), "s%u", field->size * 8);
	return field->is_signed && (field->type_length != (int)strlen(type) ||
				    memcmp(field->type, type, strlen(type)));
}

int event_field_of(const struct tracepoint *event, const char *name,
		   struct event_field *field)
{
	struct kernel_field found;

	/* the kernel's histograms have it in addition */
	if (!strcmp(name, "common_cpu")) {
		*field = (struct event_field){ .size = sizeof(unsigned int) };
		return 0;
	}
	if (kernel_field_find(event, name, strlen(name), kernel_version(), &found) ||
	    (!found.own && strncmp(name, "common_", strlen("common_"))))
		return -1;
	*field = (struct event_field){
		.kind = kernel_field_is_copied_text(&found) ? FIELD_TEXT :
			found.is_number ? FIELD_NUMBER : FIELD_OTHER,
		.size = found.size,
		.is_signed = found.is_signed,
		.has_own_type = has_own_type(&found),
	};
	return 0;
}

int event_field_find(const struct listed_event *event, const char *name,
		     struct event_field *field)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	return event_field_of(tracepoint, name, field);
}

void event_field_names(const struct listed_event *event, struct words *names)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	kernel_field_names(tracepoint, names);
}

int event_field_text_works(const struct listed_event *event)
{
	const int is_of_users = !strcmp(event->system, SYSTEM) ||
				!strcmp(event->system, SYSTEM_MULTI);

	return !is_of_users || kernel_version() >= 6004;
}
