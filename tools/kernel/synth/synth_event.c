/* SPDX-License-Identifier: MIT */
/* Reads which synthetic events exist, and removes them. */
#include "synth_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"
#include "synth_pair.h"

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

/* Finds fields in the format files of events. */

struct line {
	const char *declaration; /* "unsigned int status" */
	size_t length;
	const char *name;
	size_t name_length;
	unsigned int size;
	int is_signed;
};

/* Split "field:DECLARATION; offset:O; size:S; signed:B;": 0 or -1. */
static int split(const char *text, struct line *line)
{
	const char *end = strchr(text, ';'), *bracket;
	unsigned int offset;

	if (!end || sscanf(end, ";\toffset:%u;\tsize:%u;\tsigned:%d;", &offset, &line->size,
			   &line->is_signed) != 3)
		return -1;
	line->declaration = text;
	line->length = (size_t)(end - text);
	line->name = end;
	while (line->name > text && !strchr(" *", line->name[-1]))
		line->name--;
	bracket = memchr(line->name, '[', (size_t)(end - line->name));
	line->name_length = (size_t)((bracket ? bracket : end) - line->name);
	return 0;
}

#define FIELD "\tfield:"

/* The first line at or behind a place of the format, and the place behind it; or NULL. */
static const char *next_line(const char *text, struct line *line)
{
	while (text && (text = strstr(text, FIELD))) {
		text += strlen(FIELD);
		if (!split(text, line))
			return line->declaration + line->length;
	}
	return NULL;
}

static int has(const struct line *line, const char *word)
{
	return memmem(line->declaration, line->length, word, strlen(word)) != NULL;
}

static enum event_field_kind kind_of(const struct line *line)
{
	const int is_number = line->size == 1 || line->size == 2 || line->size == 4 ||
			      line->size == 8;

	if (has(line, "char[") || (has(line, "char") && has(line, "[")))
		return has(line, "unsigned") ? FIELD_OTHER : FIELD_TEXT;
	if (has(line, "[") || has(line, "struct ") || has(line, "__rel_loc") ||
	    has(line, "__data_loc") || has(line, "char *"))
		return FIELD_OTHER;
	return is_number ? FIELD_NUMBER : FIELD_OTHER;
}

static int has_own_type(const struct line *line)
{
	char type[16];

	snprintf(type, sizeof(type), "s%u ", line->size * 8);
	return line->is_signed && strncmp(line->declaration, type, strlen(type));
}

int event_field_find(const struct listed_event *event, const char *name,
		     struct event_field *field)
{
	const char *text = event->format;
	struct line line;

	/* the kernel's histograms have it in addition */
	if (!strcmp(name, "common_cpu")) {
		*field = (struct event_field){ .size = sizeof(unsigned int) };
		return 0;
	}
	while ((text = next_line(text, &line))) {
		if (strlen(name) != line.name_length ||
		    memcmp(name, line.name, line.name_length))
			continue;
		*field = (struct event_field){ kind_of(&line), line.size, line.is_signed,
					       has_own_type(&line) };
		return 0;
	}
	return -1;
}

void event_field_names(const struct listed_event *event, struct words *names)
{
	const char *text = event->format;
	struct line line;

	while ((text = next_line(text, &line)))
		if (strncmp(line.name, "common_", strlen("common_")))
			words_add(names, xstrndup(line.name, line.name_length));
}

int event_field_text_works(const struct listed_event *event)
{
	const int is_of_users = !strcmp(event->system, SYSTEM) ||
				!strcmp(event->system, SYSTEM_MULTI);

	return !is_of_users || kernel_version() >= 6004;
}
