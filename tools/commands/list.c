/* SPDX-License-Identifier: MIT */
/*
 * userevents list: prints the events that exist, with their fields.
 *
 * Each line of text is a definition that "userevents register --file" accepts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "commands.h"
#include "cli/safe_text.h"
#include "output/event_summary.h"
#include "tracefs/existing_events.h"
#include "records/event_glob.h"
#include "cli/options.h"
#include "tracefs/tracing_files.h"

static const char *directory;
static int is_json;
static size_t printed;

static const struct tool_option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines, with offsets and listeners, instead of text." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "list",
	.arguments = "[GLOB...]",
	.help = "Prints the events that exist, or those whose name matches a GLOB, with their\n"
		"fields, as \"userevents register --file\" accepts them. The fields of EventHeader\n"
		"events are in each event, so the parts of their names are printed.\n\n"
		"The exit status is 1 if no event matches a GLOB.\n",
	.options = options,
};

static int print_text(const struct tracepoint *tracepoint)
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
	fputs(",\"fields\":[", stdout);
	for (uint32_t i = 0; i < format->field_count; i++)
		print_field(&format->fields[i], !i);
	putchar(']');
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

int command_list(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct words globs = { (const char **)argv, (size_t)argc };

	if (status != OPTIONS_GO_ON)
		return status;
	directory = tracing_find(directory);
	if (!directory)
		return EXIT_FAILED;
	if (events_each(directory, &globs, print, NULL))
		return EXIT_FAILED;
	return globs_found(&globs, printed) ? EXIT_ALL_WORKED : EXIT_FAILED;
}
