/* SPDX-License-Identifier: MIT */
/*
 * userevents list: prints events and their fields: those that exist, or those that a program
 * defines.
 *
 * Each line of text is a definition that "userevents register --file" accepts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>
#include <userevents/event.h>

#include "commands.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/output/printer.h"
#include "kernel/tracefs/tracing_files.h"
#include "common/process/process_losses.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"
#include "common/cli/options.h"

static const char *directory;
static int is_json;
static struct words pids;
static size_t printed;

static const struct tool_option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines, with offsets and listeners, instead of text." },
	{ .name = "pid", .letter = 'p', .words = &pids, .value = "PID",
	  .help = "The events that a process has: those of its program, and of\n"
		  "the libraries that it has loaded. PID may be a name. May be\n"
		  "repeated." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "list",
	.arguments = "[PROGRAM...] [GLOB...]",
	.help = "Prints the events that exist, or those whose name matches a GLOB, with their\n"
		"fields, as \"userevents register --file\" accepts them. The fields of EventHeader\n"
		"events are in each event, so the parts of their names are printed.\n\n"
		"Of a PROGRAM or shared object, a path with a '/', it prints the events that\n"
		"UE_EVENT() and UE_TRACEPOINT() define there, without running it; events that it\n"
		"makes at run time are not in the file. This needs neither root nor user_events.\n\n"
		"The exit status is 1 if no event matches a GLOB, if a PROGRAM or process has no\n"
		"event or cannot be read, or if an event can never be registered: its definition\n"
		"is malformed, or another event of the PROGRAM has its name and other fields.\n",
	.options = options,
	.examples = "userevents list\n"
		"userevents list ./server\n"
		"userevents list --pid server\n",
};

static void print_definition(const struct tracepoint *tracepoint)
{
	size_t length = event_name_length(tracepoint);
	char *definition;

	if (tracepoint->format.is_eventheader) {
		controls_print(tracepoint->name, length);
		eventheader_print("  # ", tracepoint->name, length);
	} else {
		definition = event_definition(tracepoint);
		controls_print(definition, strlen(definition));
		free(definition);
	}
}

static int print_text(const struct tracepoint *tracepoint)
{
	print_definition(tracepoint);
	if (!strcmp(tracepoint->system, SYSTEM_MULTI)) {
		printf("  # %s:", tracepoint->system);
		controls_print(tracepoint->name, strlen(tracepoint->name));
	}
	putchar('\n');
	return 0;
}

static void print_field(const struct ue_record_field *field, int is_first)
{
	fputs(is_first ? "{" : ",{", stdout);
	json_member("name", field->name, field->name_length, 1);
	json_member("type", field->type, field->type_length, 0);
	printf(",\"offset\":%u,\"size\":%u}", field->offset, field->size);
}

static void print_fields(const struct ue_record_layout *format)
{
	fputs(",\"fields\":[", stdout);
	for (uint32_t i = 0; i < format->field_count; i++)
		print_field(&format->fields[i], !i);
	putchar(']');
}

static int print_json(const struct tracepoint *tracepoint)
{
	const struct ue_record_layout *format = &tracepoint->format;
	int users = event_listeners(directory, tracepoint);

	putchar('{');
	json_member("event", tracepoint->name, strlen(tracepoint->name), 1);
	json_member("system", tracepoint->system, strlen(tracepoint->system), 0);
	printf(",\"id\":%u", format->id);
	if (format->is_eventheader)
		eventheader_print_json(tracepoint->name, event_name_length(tracepoint));
	print_fields(format);
	if (users >= 0)
		listeners_print_json((uint32_t)users);
	fputs("}\n", stdout);
	return 0;
}

static int print(const struct tracepoint *tracepoint, void *context)
{
	(void)context;
	printed++;
	return is_json ? print_json(tracepoint) : print_text(tracepoint);
}

/* A file's name without a '/' is a GLOB, and was meant as the file if no event has it. */
static void report_files(const struct words *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (is_file_at(globs->items[i])) {
			message("%s is also a file here: userevents list ./%s", globs->items[i],
				globs->items[i]);
			return;
		}
}

static int print_existing(const struct words *globs)
{
	directory = tracing_find(directory);
	if (!directory || events_each(directory, globs, print, NULL))
		return EXIT_FAILED;
	if (!globs->count && !printed)
		events_report_none();
	return globs_found(globs, printed) ? EXIT_ALL_WORKED : EXIT_FAILED;
}

static int list_existing(const struct words *globs)
{
	const int status = print_existing(globs);

	if (status)
		report_files(globs);
	return status;
}

/* Programs and processes */

struct listing {
	struct words globs;
	int is_of_many; /* files: text names each */
	int has_failed;
	const char *process; /* its name, or NULL */
};

/* The options of "userevents register" that an event needs are a comment. */
static void print_defined_text(const struct tracepoint *tracepoint, uint32_t flags)
{
	print_definition(tracepoint);
	if (flags & UE_EVENT_PERSIST)
		fputs("  # --persist", stdout);
	if (flags & UE_EVENT_MULTI_FORMAT)
		fputs("  # --multi-format", stdout);
	putchar('\n');
}

static void print_defined_json(const struct tracepoint *tracepoint, uint32_t flags,
			       const char *path)
{
	const char *name = tracepoint->name;

	putchar('{');
	json_member("event", name, strlen(name), 1);
	json_member("file", path, strlen(path), 0);
	if (tracepoint->format.is_eventheader)
		eventheader_print_json(name, strlen(name));
	if (flags & UE_EVENT_PERSIST)
		fputs(",\"persist\":true", stdout);
	if (flags & UE_EVENT_MULTI_FORMAT)
		fputs(",\"multi_format\":true", stdout);
	print_fields(&tracepoint->format);
	fputs("}\n", stdout);
}

/* 1, or 0 after a message if it can never be registered. */
static int print_defined(const struct defined_event *event, const char *path)
{
	struct tracepoint *tracepoint = NULL;

	if (!event->problem)
		tracepoint = tracepoint_define(event->definition, HOST_IS_BIG_ENDIAN);
	if (!tracepoint) {
		message("cannot list \"%s\" of %s: it can never be registered: %s",
			event->definition, path,
			event->problem ? event->problem : "its definition is malformed");
		return 0;
	}
	if (is_json)
		print_defined_json(tracepoint, event->flags, path);
	else
		print_defined_text(tracepoint, event->flags);
	tracepoint_free(tracepoint);
	return 1;
}

/* The name of a file may have any bytes, and its line must stay a comment. */
static void print_path(const char *path)
{
	fputs("# ", stdout);
	controls_print(path, strlen(path));
	putchar('\n');
}

/*
 * Events are in the order of their definitions, so those of one name follow each other, with
 * those between them that may share it. last: the one before with a name of its own, or NULL.
 */
static void report_namesake(struct listing *listing, const char *path,
			    const struct defined_event *last, const struct defined_event *one)
{
	if (!last || !are_namesakes(last, one))
		return;
	message("cannot register both \"%s\" and \"%s\" of %s: they have one name, and "
		"different fields; rename one of them", last->definition, one->definition,
		path);
	listing->has_failed = 1;
}

static void print_all(struct listing *listing, const char *path,
		      const struct defined_events *events)
{
	const struct defined_event *last = NULL;
	int is_named = is_json || !listing->is_of_many;

	for (size_t i = 0; i < events->count; i++) {
		const struct defined_event *event = &events->events[i];

		if (!glob_matches(&listing->globs, SYSTEM, event->definition,
				  strcspn(event->definition, " ")))
			continue;
		if (!is_named)
			print_path(path);
		is_named = 1;
		printed++;
		listing->has_failed |= !print_defined(event, path);
		report_namesake(listing, path, last, event);
		if (has_own_name(event))
			last = event;
	}
}

static void list_program(const char *path, struct listing *listing)
{
	AUTO(defined_events_free) struct defined_events events;
	const char *why = defined_events_open(&events, path);

	print_all(listing, path, &events);
	if (why)
		message("cannot list %s%s: %s", events.count ? "all events of " : "", path, why);
	else if (!events.count)
		message("cannot list %s: it has no UE_EVENT() or UE_TRACEPOINT()", path);
	listing->has_failed |= why || !events.count;
}

static void list_module(const char *path, const struct defined_events *events,
			const char *why, void *context)
{
	struct listing *listing = context;

	print_all(listing, path, events);
	if (why)
		message("cannot list %s%s, which process %s has: %s",
			events->count ? "all events of " : "", path, listing->process, why);
	listing->has_failed |= why != NULL;
}

static int list_process(const struct process *process, void *context)
{
	struct listing *listing = context;
	int error, has_failed = listing->has_failed;
	char name[96];
	size_t before = printed;

	snprintf(name, sizeof(name), "%d (%s)", (int)process->pid, process->name);
	listing->process = name;
	listing->has_failed = 0;
	error = process_events_each(process->pid, list_module, listing);
	if (error)
		message("cannot read process %s: %s", name, process_losses_reason(-error));
	else if (printed == before && !listing->globs.count && !listing->has_failed)
		message("cannot list process %s: it has no UE_EVENT() or UE_TRACEPOINT()",
			name);
	listing->has_failed |= has_failed || error ||
			       (printed == before && !listing->globs.count);
	return 0;
}

/* Arguments with a '/' are programs: no event's name has one. */
static int list_defined(const struct words *arguments)
{
	struct listing listing = { .is_of_many = pids.count > 0 };
	struct words programs = { .items = NULL };

	for (size_t i = 0; i < arguments->count; i++)
		words_add(strchr(arguments->items[i], '/') ? &programs : &listing.globs,
			  arguments->items[i]);
	listing.is_of_many |= programs.count > 1;
	for (size_t i = 0; i < programs.count; i++)
		list_program(programs.items[i], &listing);
	if (pids.count)
		listing.has_failed |= processes_find(&pids, list_process, &listing) < 0;
	if (!globs_found(&listing.globs, printed)) {
		report_files(&listing.globs);
		listing.has_failed = 1;
	}
	free(programs.items);
	free(listing.globs.items);
	return listing.has_failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}

static int names_program(const struct words *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (strchr(arguments->items[i], '/'))
			return 1;
	return 0;
}

static int command_list(int argc, char **argv)
{
	struct words arguments = { (const char **)argv, (size_t)argc };

	pager_begin(NULL);
	if (!pids.count && !names_program(&arguments))
		return list_existing(&arguments);
	if (directory)
		return options_complain(&usage, "--tracefs is for events that exist, not for "
					"those of programs and processes");
	return list_defined(&arguments);
}

const struct command list_command = { &usage, command_list };
