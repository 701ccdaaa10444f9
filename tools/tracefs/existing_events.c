/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/decode/status.h>

#include "existing_events.h"
#include "records/event_glob.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/whole_file.h"
#include "tracing_files.h"

/* One event */

struct tracepoint *event_open(const char *directory, const char *system,
			      const char *name)
{
	struct tracepoint_parts parts = {
		.system = system,
		.system_length = strlen(system),
		.name = name,
		.name_length = strlen(name),
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct tracepoint *tracepoint;
	char path[4096], *text;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", directory, system, name);
	text = read_file(path, &parts.format_length);
	if (!text)
		return NULL;
	parts.format = text;
	tracepoint = tracepoint_new(&parts);
	free(text);
	if (!tracepoint)
		errno = ENOMEM;
	return tracepoint;
}

size_t event_name_length(const struct tracepoint *tracepoint)
{
	const char *dot = strrchr(tracepoint->name, '.');

	if (!dot || strcmp(tracepoint->system, SYSTEM_MULTI))
		return strlen(tracepoint->name);
	return (size_t)(dot - tracepoint->name);
}

/* Format files have the brackets behind the name, and any number in them. */
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
	const char *path = tracing_path(directory, "user_events_status");
	size_t length, name_length = strlen(tracepoint->name);
	struct ue_status_entry entry;
	struct ue_status status;
	int result, users = 0;
	char *text = read_file(path, &length);

	free((char *)path);
	if (!text)
		return -1;
	ue_status_begin(&status, text, length);
	while ((result = ue_status_next(&status, &entry)))
		if (result == 1 && entry.name_length == name_length &&
		    !memcmp(entry.name, tracepoint->name, name_length))
			users = (int)entry.users;
	free(text);
	return users;
}

/* All of them */

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "enable") &&
	       strcmp(entry->d_name, "filter");
}

/* An event may go away while we look: then it is none. */
static int visit_event(const char *directory, const char *system, const char *name,
		       events_visit *visit, void *context)
{
	struct tracepoint *tracepoint = event_open(directory, system, name);
	int result;

	if (!tracepoint && (errno == ENOENT || errno == ENOTDIR || errno == ENODEV))
		return 0;
	if (!tracepoint) {
		message("%s:%s cannot be read: %s.", system, name, strerror(errno));
		return -1;
	}
	result = visit(tracepoint, context);
	tracepoint_free(tracepoint);
	return result;
}

static int has_user_events(const char *directory)
{
	const char *path = tracing_path(directory, "user_events_status");
	int result = !access(path, F_OK);

	free((char *)path);
	return result;
}

static void warn_of_status(const char *path)
{
	static int is_told;

	if (!is_told)
		message("An event is left out: its name is empty or has a \"/\". The kernel "
			"lists no event's directory because of it; names are read from %s.",
			path);
	is_told = 1;
}

static int visit_entry(const struct ue_status_entry *entry,
		       int (*visit)(const char *name, void *context), void *context)
{
	char *name;
	int result;

	if (!entry->name_length || memchr(entry->name, '/', entry->name_length))
		return 0;
	name = xstrndup(entry->name, entry->name_length);
	result = visit(name, context);
	free(name);
	return result;
}

int events_of_status(const char *directory,
		     int (*visit)(const char *name, void *context), void *context)
{
	const char *path = tracing_path(directory, "user_events_status");
	struct ue_status_entry entry;
	struct ue_status status;
	int is_entry, result = 0;
	size_t length;
	char *text = tracing_read(path, &length);

	if (text)
		warn_of_status(path);
	free((char *)path);
	if (!text)
		return -1;
	ue_status_begin(&status, text, length);
	while (!result && (is_entry = ue_status_next(&status, &entry)))
		if (is_entry > 0)
			result = visit_entry(&entry, visit, context);
	free(text);
	return result;
}

static int add_name(const char *name, void *names)
{
	words_add(names, xstrdup(name));
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int read_directory(const char *path, struct words *names)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_name, NULL);

	for (int i = 0; i < count; i++)
		words_add(names, entries[i]->d_name);
	if (count >= 0)
		free(entries);
	return count < 0 ? -1 : 0;
}

/* All names of a system, in their order. */
static int read_names(const char *directory, const char *system, struct words *names)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/events/%s", directory, system);
	if (read_directory(path, names)) {
		if (errno == ENOENT && has_user_events(directory))
			return 0; /* there is none yet */
		if (errno == EIO)
			return events_of_status(directory, add_name, names);
		if (errno == ENOENT && tracing_lacks_user_events(directory))
			return -1;
		message("%s cannot be read: %s. \"userevents doctor\" says how to fix it.",
			path, strerror(errno));
		return -1;
	}
	return 0;
}

static int each_of_system(const char *directory, const char *system,
			  const struct words *globs, events_visit *visit, void *context)
{
	struct words names = { NULL, 0 };
	int result = read_names(directory, system, &names);

	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), by_name);
	for (size_t i = 0; i < names.count && !result; i++)
		if (glob_matches(globs, system, names.items[i], strlen(names.items[i])))
			result = visit_event(directory, system, names.items[i], visit,
					     context);
	return result;
}

int events_each(const char *directory, const struct words *globs, events_visit *visit,
		void *context)
{
	int result = each_of_system(directory, SYSTEM, globs, visit, context);

	return result ? result :
			each_of_system(directory, SYSTEM_MULTI, globs, visit, context);
}
