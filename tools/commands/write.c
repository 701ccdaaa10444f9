/* SPDX-License-Identifier: MIT */
/*
 * userevents write: writes one event from a shell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>
#include <userevents/eventheader_name.h>
#include <userevents/write.h>

#include "commands.h"
#include "kernel/tracefs/tracing_files.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/compose/compose.h"

static const char *directory;
static const char *event_name;
static int is_quiet;

static const struct tool_option options[] = {
	{ .name = "event", .letter = 'e', .text = &event_name, .value = "EVENT",
	  .help = "Of an EventHeader tracepoint, such as Shop_L4K1: the name\n"
		  "of the event. The tracepoint need not exist." },
	{ .name = "quiet", .letter = 'q', .flag = &is_quiet,
	  .help = "Print nothing if the event has no listener." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "write",
	.arguments = "NAME|DEFINITION [FIELD=VALUE...]",
	.help = "Writes one event: one that exists, by its name, or one that is defined here,\n"
		"\"tick u32 count; __rel_loc char[] text\". Every field needs a value: integers\n"
		"in decimal or 0x, text, arrays as 1,2,3, other bytes in hex.\n\n"
		"An EventHeader event describes itself: give its fields here, as text or with a\n"
		"type: --event OrderPlaced Shop_L4K1 who=me \"u32 count=5\". Types are\n"
		EVENTHEADER_TYPES ".\n\n"
		"The exit status is also 0 if the event has no listener, so that a script can\n"
		"keep its events.\n",
	.options = options,
};

#define FIELDS_MAX 256

static struct ue_record_field fields[FIELDS_MAX];

static int describe(const char *definition, struct ue_record_layout *format)
{
	int count = ue_record_layout_define(format, SYSTEM, definition, fields, FIELDS_MAX,
					    0);

	return count >= 0 && count <= FIELDS_MAX ? 0 : -1;
}

static int ask_for_event(const char *tracepoint, int length)
{
	message("cannot write %.*s: an EventHeader tracepoint has many events; choose one with "
		"--event NAME", length, tracepoint);
	return EXIT_WRONG_USAGE;
}

/* The definition of an event that exists; NULL after a message, with an exit status. */
static const char *look_up(const char *name, int *status)
{
	struct ue_eventheader_name parts;
	struct tracepoint *tracepoint;
	const char *definition;

	*status = EXIT_FAILED;
	directory = tracing_find(directory);
	if (!directory || tracing_lacks_user_events(directory))
		return NULL;
	tracepoint = event_open(directory, SYSTEM, name);
	if (!tracepoint && errno == ENOENT &&
	    !ue_eventheader_name_parse(name, strlen(name), &parts, NULL)) {
		*status = ask_for_event(name, (int)strlen(name));
		return NULL;
	}
	if (!tracepoint && errno == ENOENT) {
		message("cannot write %s: there is no event \"%s\"; \"userevents list\" "
			"prints the events, and \"%s u32 count\" makes one", name, name, name);
		return NULL;
	}
	if (!tracepoint) {
		message("cannot read the fields of %s: %s; give them: \"%s u32 count\"", name,
			strerror(errno), name);
		return NULL;
	}
	definition = event_definition(tracepoint);
	tracepoint_free(tracepoint);
	return definition;
}

static int write_event(int fd, const char *definition, const void *bytes, size_t size)
{
	struct ue_event *event = session_register(fd, definition, 0);
	int result, length = (int)strcspn(definition, " ");

	if (!event)
		return EXIT_FAILED;
	if (!ue_enabled(event)) {
		if (!is_quiet)
			message("%.*s has no listener, so it was not written.", length,
				definition);
		return EXIT_ALL_WORKED;
	}
	result = ue_write(fd, event, bytes, size);
	if (!result)
		return EXIT_ALL_WORKED;
	message("cannot write %.*s: %s", length, definition,
		ue_explain(UE_CALL_WRITE, result));
	return EXIT_FAILED;
}

static int send(const char *definition, const void *bytes, size_t size)
{
	int status, fd = session_open(directory);

	if (fd < 0)
		return EXIT_FAILED;
	status = write_event(fd, definition, bytes, size);
	ue_close(fd);
	return status;
}

/* Write an event that describes itself. */
static int run_eventheader(const char *definition, int count, char **words)
{
	int length = (int)strcspn(definition, " ");
	struct ue_eventheader_name name;
	struct ue_builder *builder;
	const void *bytes;
	int status;
	long size;

	if (!event_name || !*event_name)
		return ask_for_event(definition, length);
	if (ue_eventheader_name_parse(definition, (size_t)length, &name, NULL) ||
	    !name.level) {
		message("cannot write %.*s: its name has no level, 1 to ff behind \"_L\", which "
			"its events need", length, definition);
		return EXIT_WRONG_USAGE;
	}
	builder = ue_builder_new();
	if (!builder) {
		message("cannot write %.*s: out of memory", length, definition);
		return EXIT_FAILED;
	}
	if (eventheader_build(builder, event_name, count, words, usage.command)) {
		status = EXIT_WRONG_USAGE;
	} else {
		size = ue_builder_bytes(builder, name.level, NULL, NULL, &bytes);
		status = send(definition, bytes, (size_t)size);
	}
	ue_builder_free(builder);
	return status;
}

/* Write an event. */
static int run(const char *definition, int count, char **assignments)
{
	static struct payload payload;
	struct ue_record_layout format;

	if (describe(definition, &format)) {
		message("cannot write \"%s\": the kernel accepts its fields, but this tool does "
			"not", definition);
		return EXIT_FAILED;
	}
	if (format.is_eventheader)
		return run_eventheader(definition, count, assignments);
	if (event_name) {
		message("cannot write \"%s\": it is no EventHeader tracepoint, whose "
			"names are like Shop_L4K1, without fields; leave out --event", definition);
		return EXIT_WRONG_USAGE;
	}
	if (payload_build(&payload, definition, &format, count, assignments,
			  usage.command))
		return EXIT_WRONG_USAGE;
	return send(definition, payload.bytes, payload.length);
}

static int command_write(int argc, char **argv)
{
	int status;
	const char *definition;

	if (!argc)
		return options_complain(&usage, "no event is given");
	if (event_name || strchr(argv[0], ' ')) {
		definition = definition_complete(argv[0], 0, "");
		return definition ? run(definition, argc - 1, argv + 1) : EXIT_WRONG_USAGE;
	}
	definition = look_up(argv[0], &status);
	return definition ? run(definition, argc - 1, argv + 1) : status;
}

const struct command write_command = { &usage, command_write };
