/* SPDX-License-Identifier: MIT */
/*
 * Reads which synthetic events exist, and removes them; finds the fields and the keys
 * of a new one in the two events that it is made of.
 */
#include "synth.h"

#include <errno.h>
#include <stdarg.h>
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

/* Find a field, also a common one, and common_cpu. 0, or -1: the event has none. */
static int event_field_find(const struct listed_event *event, const char *name,
			    struct event_field *field)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	return event_field_of(tracepoint, name, field);
}

/* The names of the event's own fields, for messages; never freed. */
static void event_field_names(const struct listed_event *event, struct words *names)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	kernel_field_names(tracepoint, names);
}

/*
 * Whether histograms of this kernel take the field's text for a text. Linux 6.1 does so
 * for all events but user events.
 */
static int event_field_text_works(const struct listed_event *event)
{
	const int is_of_users = !strcmp(event->system, SYSTEM) ||
				!strcmp(event->system, SYSTEM_MULTI);

	return !is_of_users || kernel_version() >= 6004;
}

/*
 * Finds the fields and the keys of a synthetic event in the two events that it is made
 * of.
 */

int wish_refuse(const struct synth_wish *wish, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	message("cannot create %s: %s", wish->name, text);
	return -1;
}

/* Fields */

static int complain_of_field(const struct pair_parts *parts,
			     const struct listed_event *event, const char *name)
{
	struct words names = { 0 };
	const char *near;

	event_field_names(event, &names);
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	if (near)
		return wish_refuse(parts->wish, "%s:%s has no field \"%s\"; did you mean \"%s\"?",
				   event->system, event->name, name, near);
	return wish_refuse(parts->wish, "%s:%s has no field \"%s\"", event->system, event->name,
			   name);
}

/* Find a field that histograms can copy. */
int pair_parts_find(const struct pair_parts *parts, const struct listed_event *event,
		    const char *name, struct event_field *field)
{
	if (event_field_find(event, name, field))
		return complain_of_field(parts, event, name);
	if (field->kind == FIELD_OTHER)
		return wish_refuse(parts->wish, "the field \"%s\" of %s:%s is neither a "
			      "number nor a text, and the kernel copies nothing else", name,
			      event->system, event->name);
	if (field->kind == FIELD_TEXT && !event_field_text_works(event))
		return wish_refuse(parts->wish, "the field \"%s\" of %s:%s is a text, which this "
			      "kernel does not know of user events; Linux 6.4 does", name,
			      event->system, event->name);
	return 0;
}

/* A name without "from." or "to.", which neither event has. */
static int complain_of_both(const struct pair_parts *parts, const char *name)
{
	struct words names = { 0 };
	const char *near;

	words_add(&names, "elapsed");
	event_field_names(parts->from, &names);
	event_field_names(parts->to, &names);
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	return wish_refuse(parts->wish, "neither %s:%s nor %s:%s has a field \"%s\"%s%s%s",
			   parts->from->system, parts->from->name, parts->to->system,
			   parts->to->name, name, near ? "; did you mean \"" : "",
			   near ? near : "", near ? "\"?" : "");
}

static int is_in(const struct listed_event *event, const char *name)
{
	struct event_field field;

	return !event_field_find(event, name, &field);
}

#define ELAPSED "elapsed"

/* The kernel has one unit for a histogram, so two would be printed in the same one. */
static int check_unit(const struct pair_parts *parts, enum part_source source)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->items[i].source >= NANOSECONDS &&
		    parts->items[i].source != source)
			return wish_refuse(parts->wish, "the kernel measures one event either "
					   "in elapsed.ns or in elapsed.us, not in both");
	return 0;
}

static int find_elapsed(const struct pair_parts *parts, const char *unit,
			struct part *part)
{
	if (!*unit || !strcmp(unit, ".ns"))
		part->source = NANOSECONDS;
	else if (!strcmp(unit, ".us"))
		part->source = MICROSECONDS;
	else
		return wish_refuse(parts->wish, "\"" ELAPSED "%s\" has no unit of the "
				   "kernel; write " ELAPSED ".ns or " ELAPSED ".us",
				   unit);
	part->type = (struct event_field){ .size = 8 };
	return check_unit(parts, part->source);
}

/*
 * An expression: elapsed.us, from.FIELD, to.FIELD, or FIELD of the stop or else the
 * start.
 */
static int find_source(const struct pair_parts *parts, const char *text,
		       struct part *part)
{
	const size_t length = strlen(ELAPSED);

	if (!strncmp(text, ELAPSED, length) && (!text[length] || text[length] == '.'))
		return find_elapsed(parts, text + length, part);
	part->source = !is_in(parts->to, text) && is_in(parts->from, text) ? FROM : TO;
	part->field = text;
	if (!strncmp(text, "from.", 5) || !strncmp(text, "to.", 3)) {
		part->source = *text == 'f' ? FROM : TO;
		part->field = strchr(text, '.') + 1;
	} else if (!is_in(parts->from, text) && !is_in(parts->to, text)) {
		return complain_of_both(parts, text);
	}
	return pair_parts_find(parts, part->source == FROM ? parts->from : parts->to,
			       part->field, &part->type);
}

static const char *type_of(const struct event_field *field, char text[12])
{
	if (field->kind == FIELD_TEXT)
		return "char";
	snprintf(text, 12, "%c%u", field->is_signed ? 's' : 'u', field->size * 8);
	return text;
}

/* The kernel takes two fields of one name, also of one of its own, and reads one. */
static int check_name(const struct pair_parts *parts, const char *name)
{
	if (!strncmp(name, "common_", strlen("common_")))
		return wish_refuse(parts->wish,
				   "the field's name \"%s\" begins with \"common_\", "
				   "as those of the kernel do",
				   name);
	for (size_t i = 0; i < parts->count; i++)
		if (!strcmp(parts->items[i].name, name))
			return wish_refuse(parts->wish, "two fields are called \"%s\"",
					   name);
	return 0;
}

/* word: NAME=EXPRESSION, or an expression that names the field. */
static int add_part(struct pair_parts *parts, const char *word)
{
	const char *equals = strchr(word, '='), *expression = equals ? equals + 1 : word;
	const char *dot = strchr(expression, '.');
	struct part part = { .source = TO };
	int result;

	if (find_source(parts, expression, &part))
		return -1;
	if (equals)
		part.name = xstrndup(word, (size_t)(equals - word));
	else if (part.field)
		part.name = xstrdup(part.field);
	else
		part.name = xstrndup(word, dot ? (size_t)(dot - word) : strlen(word));
	result = check_name(parts, part.name);
	parts->items = xgrow(parts->items, parts->count, sizeof(part));
	parts->items[parts->count++] = part;
	return result;
}

static int add_parts(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->wish->fields.count; i++)
		if (add_part(parts, parts->wish->fields.items[i]))
			return -1;
	return 0;
}

char *pair_parts_definition(const struct pair_parts *parts)
{
	char *text = xstrdup(parts->wish->name), type[12];

	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];

		xappend(&text, "%s %s %s%s", i ? ";" : "", type_of(&part->type, type),
			part->name, part->type.kind == FIELD_TEXT ? "[]" : "");
	}
	return text;
}

/* Keys */

static int add_key(struct pair_parts *parts, const char *word)
{
	const char *equals = strchr(word, '=');
	AUTO_FREE char *from =
		equals ? xstrndup(word, (size_t)(equals - word)) : xstrdup(word);
	const char *to = equals ? equals + 1 : word;
	struct event_field a, b;
	int result = pair_parts_find(parts, parts->from, from, &a) ||
		     pair_parts_find(parts, parts->to, to, &b);

	if (!result &&
	    (a.kind != b.kind || (a.kind == FIELD_NUMBER && a.size != b.size) ||
	     a.is_signed != b.is_signed))
		result = wish_refuse(parts->wish, "the key \"%s\" has different types in the two "
				"events, so the kernel finds no pair", word);
	xappend(&parts->keys[0], "%s%s", parts->keys[0] ? "," : "", from);
	xappend(&parts->keys[1], "%s%s", parts->keys[1] ? "," : "", to);
	return result ? -1 : 0;
}

static int add_keys(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->wish->keys.count; i++)
		if (add_key(parts, parts->wish->keys.items[i]))
			return -1;
	return 0;
}

int pair_parts_make(struct pair_parts *parts)
{
	return add_parts(parts) || add_keys(parts) ? -1 : 0;
}

void pair_parts_free(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free(parts->items[i].name);
	free(parts->items);
	free(parts->keys[0]);
	free(parts->keys[1]);
}
