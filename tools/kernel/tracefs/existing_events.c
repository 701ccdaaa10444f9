/* SPDX-License-Identifier: MIT */
/*
 * Lists the user events that exist now, parsed; recognizes event probes; and describes
 * fields as the kernel's filters and histograms take them.
 */
#include "tracing_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userevents/decode/status.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
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

/* Recognizes event probes. */

/* Their formats, as those of synthetic events, begin with a blank, or are empty. */
static int may_be_one(const struct listed_event *event)
{
	return strstr(event->format, "print fmt: \" ") ||
	       strstr(event->format, "print fmt: \"\"");
}

int event_is_event_probe(const char *directory, const struct listed_event *event)
{
	AUTO_FREE char *path = NULL, *text = NULL, *line = NULL;
	const char *found;
	int result;

	if (!may_be_one(event))
		return 0;
	path = tracing_path(directory, "dynamic_events");
	text = read_file(path, NULL);
	line = xprintf("e:%s/%s ", event->system, event->name);
	found = text ? strstr(text, line) : NULL;
	result = found && (found == text || found[-1] == '\n');
	return result;
}

/*
 * Finds the field that the kernel's filters mean by a name: first those of the event,
 * then some that every event has (trace_find_event_field() in
 * kernel/trace/trace_events.c).
 */

struct common_field {
	const char *name, *type;
	enum kernel_field_kind kind;
	uint8_t size, is_signed;
	int since; /* kernel_version() */
};

static const struct common_field common_fields[] = {
	{ "comm", "char *", KERNEL_COMM, 0, 0, 0 },
	{ "CPU", "int", KERNEL_CPU, 4, 1, 0 },
	{ "cpu", "int", KERNEL_CPU, 4, 1, 0 },
	{ "common_cpu", "int", KERNEL_CPU, 4, 1, 0 },
	{ "COMM", "char *", KERNEL_COMM, 0, 0, 0 },
	{ "stacktrace", "char *", KERNEL_NUMBER, 0, 0, 6003 },
	{ "STACKTRACE", "char *", KERNEL_NUMBER, 0, 0, 6003 },
	{ "common_type", "unsigned short", KERNEL_NUMBER, 2, 0, 0 },
	{ "common_flags", "unsigned char", KERNEL_NUMBER, 1, 0, 0 },
	{ "common_preempt_count", "unsigned char", KERNEL_NUMBER, 1, 0, 0 },
	{ "common_pid", "int", KERNEL_NUMBER, 4, 1, 0 },
};
#define COMMON_FIELDS (sizeof(common_fields) / sizeof(common_fields[0]))

/* Fields of the event */

#define SIGN ";\tsigned:"

static int type_has(const struct ue_record_field *field, const char *word)
{
	return memmem(field->type, field->type_length, word, strlen(word)) != NULL;
}

static int type_is(const struct ue_record_field *field, const char *type)
{
	return field->type_length == strlen(type) &&
	       !memcmp(field->type, type, strlen(type));
}

/* Brackets stand behind the name in the text of a format, and in the type otherwise. */
static int is_bracketed(const struct ue_record_field *field)
{
	return type_has(field, "[") || field->name[field->name_length] == '[';
}

/*
 * filter_assign_type() in kernel/trace/trace_events_filter.c, which goes by the type's
 * text.
 */
static enum kernel_field_kind kind_of(const struct ue_record_field *field, int kernel)
{
	const int is_char = type_has(field, "char");

	if (field->location != UE_LOCATION_HERE && is_char)
		return KERNEL_TEXT_DYNAMIC;
	if (field->location == UE_LOCATION_DATA && type_has(field, "cpumask_t") &&
	    kernel >= 6006)
		return KERNEL_CPU_MASK;
	if (is_bracketed(field) && is_char)
		return KERNEL_TEXT_HERE;
	if (type_is(field, "char *") || type_is(field, "const char *"))
		return KERNEL_TEXT_POINTER;
	return KERNEL_NUMBER;
}

static int is_char(const struct ue_record_field *field)
{
	return type_is(field, "char") && field->size == 1 && !is_bracketed(field);
}

static int is_number(const struct ue_record_field *field)
{
	return is_char(field) ||
	       (field->location == UE_LOCATION_HERE && !field->is_array &&
		field->element_size && field->element_size == field->size);
}

/*
 * The end of a format's line: "...; size:4; signed:1;". A definition has no such
 * end: user events take every type for signed that does not begin with a 'u'.
 */
static int is_signed(const struct ue_record_field *field)
{
	const char *behind = field->name + field->name_length;
	const char *at = memmem(behind, strcspn(behind, "\n"), SIGN, strlen(SIGN));

	return at ? at[strlen(SIGN)] == '1' : *field->type != 'u';
}

static uint32_t comparable_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 ? size : 0;
}

/* The range of a number; it means nothing for other fields. */
static void set_range(struct kernel_field *field)
{
	const uint32_t bits = comparable_size(field->size) * 8;
	const uint64_t all = bits ? UINT64_MAX >> (64 - bits) : 0;

	field->least = field->is_signed ? ~(all / 2) : 0;
	field->most = field->is_signed ? all / 2 : all;
}

static void describe(struct kernel_field *to, const struct ue_record_field *field,
		     int kernel)
{
	to->kind = kind_of(field, kernel);
	to->size = to->kind == KERNEL_NUMBER ? comparable_size(field->size) : field->size;
	to->is_signed = is_signed(field);
	to->is_number = to->kind == KERNEL_NUMBER && is_number(field);
	to->is_bytes = to->kind != KERNEL_NUMBER && to->kind != KERNEL_TEXT_POINTER &&
		       (type_has(field, "unsigned") || type_has(field, "struct"));
	to->type = field->type;
	to->type_length = (int)field->type_length;
	to->brackets = field->name[field->name_length] == '[' ? "[]" : "";
	to->own = field;
	set_range(to);
}

/* Fields of all events */

static void describe_common(struct kernel_field *to, const struct common_field *field,
			    const struct tracepoint *tracepoint)
{
	to->kind = field->kind;
	to->size = field->size;
	to->is_signed = field->is_signed;
	to->is_number = 1;
	to->type = field->type;
	to->type_length = (int)strlen(field->type);
	to->brackets = "";
	set_range(to);
	/* numbers of processors and threads are never negative */
	if (field->is_signed)
		to->least = 0;
	if (!strcmp(field->name, "common_type") && tracepoint->format.id)
		to->least = to->most = tracepoint->format.id;
}

int kernel_field_is_copied_text(const struct kernel_field *field)
{
	return (field->kind == KERNEL_TEXT_HERE || field->kind == KERNEL_TEXT_DYNAMIC) &&
	       !field->is_bytes;
}

int kernel_field_is_text(const struct kernel_field *field)
{
	return field->kind >= KERNEL_TEXT_HERE && field->kind <= KERNEL_COMM;
}

int kernel_field_find(const struct tracepoint *tracepoint, const char *name,
		      size_t length, int kernel, struct kernel_field *field)
{
	const struct ue_record_layout *format = &tracepoint->format;

	*field = (struct kernel_field){ .name = name, .name_length = (int)length };
	for (uint32_t i = 0; i < format->field_count; i++) {
		if (format->fields[i].name_length != length ||
		    memcmp(format->fields[i].name, name, length))
			continue;
		describe(field, &format->fields[i], kernel);
		field->count++;
	}
	for (size_t i = 0; i < COMMON_FIELDS && !field->count; i++) {
		if (common_fields[i].since > kernel ||
		    strlen(common_fields[i].name) != length ||
		    memcmp(common_fields[i].name, name, length))
			continue;
		describe_common(field, &common_fields[i], tracepoint);
		field->count++;
	}
	return field->count ? 0 : -1;
}

void kernel_field_names(const struct tracepoint *tracepoint, struct words *names)
{
	for (uint32_t i = 0; i < tracepoint->format.field_count; i++)
		words_add(names, xstrndup(tracepoint->fields[i].name,
					  tracepoint->fields[i].name_length));
}

char *kernel_field_nearest(const struct tracepoint *tracepoint, const char *name,
			   size_t length)
{
	AUTO_FREE char *typed = xstrndup(name, length);
	struct words names = { 0 };

	kernel_field_names(tracepoint, &names);
	for (size_t i = 0; i < COMMON_FIELDS; i++)
		if (!common_fields[i].since) /* stacktrace is no value */
			words_add(&names, xstrdup(common_fields[i].name));
	/* people know its other names */
	return words_nearest(&names, !strcmp(typed, "pid") || !strcmp(typed, "tid") ?
					     "common_pid" : typed);
}

struct tracepoint *event_format(const struct listed_event *event)
{
	return tracepoint_new(event->system, event->name, event->format,
			      event->format_length, HOST_IS_BIG_ENDIAN);
}
