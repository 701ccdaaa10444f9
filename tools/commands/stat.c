/* SPDX-License-Identifier: MIT */
/*
 * userevents stat: counts events by name, and by the values of a field.
 */
#include "answers/counts/tally.h"
#include "answers/compare/compare.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "commands.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("count");
static struct compare_options compared;
static const char *by_text;
static uint64_t groups = 1000;
static struct form_options forms;
static enum answer_form form;

static const struct tool_option options[] = {
	{ .name = "by", .text = &by_text, .value = "FIELD", .is_path = 1,
	  .once = "\"userevents query\" groups by several fields",
	  .help = "A row for each value of the field, or of pid, tid, comm,\n"
		  "cpu, cgroup, level, opcode, activity and so on. If no event\n"
		  "of a recording has it, nothing is printed but that; what\n"
		  "cannot be read again is counted by names all the same." },
	{ .name = "groups", .number = &groups, .value = "N", .least = 1,
	  .help = "Rows for the N values with most events (default 1000). All\n"
		  "others share the row \"(others)\" of their event." },
	FORM_OPTIONS(forms, "A JSON object.", "a row for each\n"
		     "event, or value of --by."),
	COMPARE_OPTIONS(compared),
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "stat",
	.verb = "count",
	.arguments = "FILE... | --run PROGRAM | --watch",
	.help = "Counts events. Prints a row for each name: how many, how many a second (from\n"
		"the first event of all to the last one), the bytes of their payloads (perf pads\n"
		"them), of how many processes, and when the first and the last came. LOST\n"
		"BEFORE, which captures and rings have, are lost events of the same processes,\n"
		"right before events of the row. The last line has the sum, and all losses that\n"
		"are known.\n\n"
		"FILE is anything that \"userevents decode\" reads. Memory does not grow with the\n"
		"number of events.\n\n"
		COMPARE_HELP,
	.options = options,
	.examples = "userevents stat server.uecap\n"
		"userevents stat -e QueryFailed --by client server.uecap\n"
		"userevents stat --compare before.uecap after.uecap\n",
};

static int answer(char **arguments, struct asked_field *by)
{
	AUTO(tally_free) struct tally tally;
	int status, is_unknown;

	tally_begin(&tally, by, groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX - 1);
	status = stream_read(&stream, &usage, arguments, &tally.sink);
	if (tally_is_uncertain(&tally) && stream_is_lasting(&stream, arguments)) {
		tally_again(&tally);
		if (stream_again(&stream, arguments, &tally.sink) && !status)
			status = EXIT_FAILED;
	}
	is_unknown = by && asked_field_report(by);
	if (status != EXIT_WRONG_USAGE && (stream.events || !status) &&
	    !(is_unknown && stream_is_lasting(&stream, arguments))) {
		pager_begin(NULL);
		if (form)
			tally_print_form(&tally, stream.lost, form);
		else
			tally_print(&tally, stream.lost);
	}
	return is_unknown && !status ? EXIT_FAILED : status;
}

static int command_stat(int argc, char **argv)
{
	int status;
	struct asked_field by = { .found = 0 };

	(void)argc;
	if (by_text && compare_is_asked(&compared))
		return options_complain(&usage, "--by is not for --compare and --split");
	if (answer_form_choose(&forms, &usage, &form))
		return EXIT_WRONG_USAGE;
	compared.form = form;
	if (compare_is_asked(&compared))
		return compare_events(&compared, &stream, &usage, argv);
	if (by_text && asked_field_parse(&by, by_text))
		return EXIT_WRONG_USAGE;
	status = answer(argv, by_text ? &by : NULL);
	asked_field_free(&by);
	stream_free(&stream);
	return status;
}

const struct command stat_command = { &usage, command_stat };
