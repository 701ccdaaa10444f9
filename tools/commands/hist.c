/* SPDX-License-Identifier: MIT */
/*
 * userevents hist: draws the distribution of a field.
 */
#include <unistd.h>

#include "answers/counts/histogram.h"
#include "answers/compare/compare.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "commands.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("make a histogram");
static struct compare_options compared;
static const char *by_text, *sort_text;
static enum group_order order;
static uint64_t groups = 100;
static int has_no_bars;
static struct form_options forms;
static enum answer_form form;

static const struct tool_option options[] = {
	{ .name = "by", .text = &by_text, .value = "FIELD", .is_path = 1,
	  .once = "\"userevents query\" groups by several fields",
	  .help = "Also a row of percentiles for each value of this field, or\n"
		  "of pid, tid, comm, cpu, event and so on; and bars of the\n"
		  "five that are first." },
	GROUP_OPTIONS(groups, sort_text),
	{ .name = "no-bars", .flag = &has_no_bars,
	  .help = "Percentiles and the table of --by alone." },
	FORM_OPTIONS(forms, "A JSON object, with all buckets that are not empty.",
		     "a row for each\nbucket, or value of --by."),
	COMPARE_OPTIONS(compared),
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "hist",
	.verb = "make a histogram",
	.arguments = "EVENT FIELD FILE... | --run PROGRAM | --watch",
	.help = "Draws how a field of events is distributed, and prints count, least, mean,\n"
		"greatest, and percentiles. EVENT is a name, or a GLOB as of -e. FIELD is any\n"
		"field with numbers: status, client.port, sizes[0].\n\n"
		"Percentiles and limits of rows are at most 0.4 % off, all else is exact. A row\n"
		"of whole numbers \"10 .. 19\" has both of them; of others \"1.5 .. 2\" has the\n"
		"first, not the second. Rows of equal width are shown, or such that grow as 1, 2,\n"
		"5, 10: those which tell more numbers apart. FILE is anything that \"userevents\n"
		"decode\" reads. Memory does not grow with the number of events.\n\n"
		COMPARE_HELP,
	.options = options,
	.examples = "userevents hist request_done latency_ns perf.data\n"
		"userevents hist request_done status --by client --no-bars perf.data\n"
		"userevents hist QueryStop rows --compare before.uecap after.uecap\n",
};

static int answer(char **arguments, struct asked_field *by)
{
	struct field_hist hist;
	int status, is_unknown;

	field_hist_begin(&hist, arguments[0]);
	if (asked_field_parse(&hist.field, arguments[1])) {
		field_hist_free(&hist);
		return EXIT_WRONG_USAGE;
	}
	hist.set.has_no_bars = has_no_bars;
	hist.set.by = by;
	hist.set.groups.most = groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX - 1;
	hist.set.order = order;
	status = stream_read(&stream, &usage, arguments + 2, &hist.sink);
	if (histogram_set_is_uncertain(&hist.set) && stream_is_lasting(&stream, arguments + 2)) {
		field_hist_again(&hist);
		if (stream_again(&stream, arguments + 2, &hist.sink) && !status)
			status = EXIT_FAILED;
	}
	histogram_set_end(&hist.set);
	is_unknown = by && asked_field_report(by);
	pager_begin(NULL);
	if (status != EXIT_WRONG_USAGE && !stream.events)
		status = status ? status : EXIT_FAILED;
	else if (status != EXIT_WRONG_USAGE &&
		 !(is_unknown && stream_is_lasting(&stream, arguments + 2)) &&
		 field_hist_print(&hist, &stream.kinds, form) && !status)
		status = EXIT_FAILED;
	field_hist_free(&hist);
	return is_unknown && !status ? EXIT_FAILED : status;
}

static int command_hist(int argc, char **argv)
{
	int status;
	struct asked_field by = { .found = 0 };

	if (argc < 2)
		return options_complain(&usage, argc && access(argv[0], F_OK) ?
						"no field is given" : "no event and no field is given");
	if (argc == 2 && !stream.is_run && !stream.is_watch && !access(argv[1], F_OK))
		return options_complain(&usage, "EVENT or FIELD is missing before the file "
					"\"%s\"", argv[1]);
	if (by_text && compare_is_asked(&compared))
		return options_complain(&usage, "--by is not for --compare and --split");
	if (answer_form_choose(&forms, &usage, &form))
		return EXIT_WRONG_USAGE;
	compared.form = form;
	if (compare_is_asked(&compared))
		return compare_field(&compared, &stream, &usage, argv);
	if (group_order_parse(sort_text, &order))
		return EXIT_WRONG_USAGE;
	if (by_text && asked_field_parse(&by, by_text))
		return EXIT_WRONG_USAGE;
	status = answer(argv, by_text ? &by : NULL);
	asked_field_free(&by);
	stream_free(&stream);
	return status;
}

const struct command hist_command = { &usage, command_hist };
