/* SPDX-License-Identifier: MIT */
/* The user events that exist now, parsed. */
#include "tracing_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userevents/decode/status.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/byte_cursor.h"

struct tracepoint *event_open(const char *directory, const char *system,
			      const char *name)
{
	AUTO_FREE char *path = xprintf("%s/events/%s/%s/format", directory, system, name);
	struct tracepoint *tracepoint = NULL;
	size_t length;
	AUTO_FREE char *text = read_file(path, &length);

	if (text)
		tracepoint = tracepoint_new(system, name, text, length, HOST_IS_BIG_ENDIAN);
	return tracepoint;
}

size_t event_name_length(const struct tracepoint *tracepoint)
{
	const char *dot = strrchr(tracepoint->name, '.');

	if (!dot || strcmp(tracepoint->system, SYSTEM_MULTI))
		return strlen(tracepoint->name);
	return (size_t)(dot - tracepoint->name);
}

/* Format files have the brackets behind the name; the number in them means nothing. */
static int has_brackets(const struct ue_record_field *field)
{
	return field->name[field->name_length] == '[';
}

static int begins(const struct ue_record_field *field, const char *type)
{
	return field->type_length >= strlen(type) &&
	       !memcmp(field->type, type, strlen(type));
}

static void print_field(FILE *to, const struct ue_record_field *field)
{
	fprintf(to, "%.*s", (int)field->type_length, field->type);
	if (has_brackets(field) && field->location)
		fprintf(to, "[]");
	else if (has_brackets(field))
		fprintf(to, "[%u]", field->size);
	fprintf(to, " %.*s", (int)field->name_length, field->name);
	if (begins(field, "struct "))
		fprintf(to, " %u", field->size);
}

char *event_definition(const struct tracepoint *tracepoint)
{
	const struct ue_record_layout *format = &tracepoint->format;
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		memory_is_short();
	fprintf(to, "%.*s", (int)event_name_length(tracepoint), tracepoint->name);
	for (uint32_t i = 0; i < format->field_count; i++) {
		fputs(i ? "; " : " ", to);
		print_field(to, &format->fields[i]);
	}
	fclose(to);
	return text;
}

int event_listeners(const char *directory, const struct tracepoint *tracepoint)
{
	AUTO_FREE char *path = tracing_path(directory, "user_events_status");
	size_t length, name_length = strlen(tracepoint->name);
	struct ue_status_entry entry;
	struct ue_status status;
	int result, users = 0;
	AUTO_FREE char *text = read_file(path, &length);

	if (!text)
		return -1;
	ue_status_begin(&status, text, length);
	while ((result = ue_status_next(&status, &entry)))
		if (result == 1 && entry.name_length == name_length &&
		    !memcmp(entry.name, tracepoint->name, name_length))
			users = (int)entry.users;
	return users;
}

/* All of them */

static int by_name(const void *a, const void *b)
{
	const struct listed_event *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static int visit_event(const struct listed_event *event, events_visit *visit,
		       void *context)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	return visit(tracepoint, context);
}

static int is_tracefs(const char *directory)
{
	AUTO_FREE char *path = tracing_path(directory, "user_events_status");
	int result = !access(path, F_OK);

	if (!result && !tracing_lacks_user_events(directory))
		message("cannot read %s: %s; \"userevents doctor\" reports how to fix it",
			path, strerror(errno));
	return result;
}

void events_report_none(void)
{
	message("no event exists: programs register them while they run; \"userevents list "
		"./PROGRAM\" prints those of a program");
}

int events_each(const char *directory, const struct words *globs, events_visit *visit,
		void *context)
{
	AUTO(event_list_free) struct event_list list = {
		.directory = directory, .globs = globs, .has_user_events_only = 1,
	};
	int result = event_list_look(&list, NULL, NULL);

	if (!result && !list.count && !is_tracefs(directory))
		result = -1;
	if (list.count)
		qsort(list.events, list.count, sizeof(*list.events), by_name);
	for (size_t i = 0; i < list.count && !result; i++)
		result = visit_event(&list.events[i], visit, context);
	return result;
}

/* Recognises event probes. */

/* Their formats, as those of synthetic events, begin with a blank, or are empty. */
static int may_be_one(const struct listed_event *event)
{
	return strstr(event->format, "print fmt: \" ") ||
	       strstr(event->format, "print fmt: \"\"");
}

int event_is_event_probe(const char *directory, const struct listed_event *event)
{
	char *path, *text, *line;
	const char *found;
	int result;

	if (!may_be_one(event))
		return 0;
	path = tracing_path(directory, "dynamic_events");
	text = read_file(path, NULL);
	line = xprintf("e:%s/%s ", event->system, event->name);
	found = text ? strstr(text, line) : NULL;
	result = found && (found == text || found[-1] == '\n');
	free(line);
	free(text);
	free(path);
	return result;
}
