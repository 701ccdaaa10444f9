/* SPDX-License-Identifier: MIT */
/*
 * userevents latency: how long it takes from events that start something to those that end it.
 */
#include <string.h>
#include <unistd.h>

#include "answers/compare/compare.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "commands.h"
#include "answers/pairs/pairing.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("find pairs");
static struct pair_options pair_options;
static const char *by_text, *sort_text, *where;
static enum group_order order;
static int has_no_bars, lists_open, has_within;
static int has_threads;
static struct compare_options compared;
static struct form_options forms;
static enum answer_form form;
static uint64_t groups = 100, max_open = 65536, slowest = UINT64_MAX;

static const struct tool_option options[] = {
	PAIR_OPTIONS(pair_options),
	{ .name = "by", .text = &by_text, .value = "FIELD", .is_path = 1,
	  .once = "\"userevents query\" groups by several fields",
	  .help = "Also a row of percentiles for each value of this field of\n"
		  "START, or of STOP if START lacks it; and bars of the five\n"
		  "that are first." },
	GROUP_OPTIONS(groups, sort_text),
	{ .name = "no-bars", .flag = &has_no_bars,
	  .help = "Percentiles and the table of --by alone." },
	{ .name = "slowest", .letter = 's', .number = &slowest, .value = "N",
	  .help = "Show the N slowest pairs (at most 1000): both events, and\n"
		  "up to 100 between them, of the same activity, thread or\n"
		  "field (with --thread also of activities within it), and\n"
		  "of child activities, marked with > (those whose start\n"
		  "names this one as related, and theirs). The default is\n"
		  "both events of 5 pairs." },
	{ .name = "open", .letter = 'o', .flag = &lists_open,
	  .help = "Also list the starts that never ended, the oldest first,\n"
		  "with their ages at the last event." },
	{ .name = "cpu", .flag = &has_threads,
	  .help = "Also how long the threads of pairs ran, were runnable but\n"
		  "waited for a processor, and were blocked: of recordings\n"
		  "of \"record --sched\", or with --watch. It is known of\n"
		  "pairs that start and end on one thread." },
	{ .name = "max-open", .number = &max_open, .value = "N", .least = 1,
	  .help = "Keep at most N starts that have not ended (default\n"
		  "65536), and 64M of their bytes. The oldest are dropped,\n"
		  "and counted." },
	FORM_OPTIONS(forms, "A JSON object, in nanoseconds, with all buckets that are\n"
		     "not empty.", "a row for each\nbucket, or value of --by; with --cpu, without --by, one\nrow."),
	COMPARE_OPTIONS(compared),
	STREAM_OPTIONS_WHERE(stream, "to",
	{ .name = "where", .letter = 'w', .text = &where, .value = "EXPR",
	  .once = "join expressions with &&",
	  .help = "Only pairs for which this is true: 'duration > 10ms &&\n"
		  "command == \"set\"'. A field is of START or STOP, whichever\n"
		  "has it; of both, start.NAME and stop.NAME. pid, level, time\n"
		  "and other properties are of START; stop.level is of STOP." }),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "latency",
	.verb = "find pairs",
	.arguments = "[START STOP] FILE...|--run PROGRAM|--watch",
	.help = "Finds pairs of events, START and the next STOP with the same key, and prints\n"
		"how long they took: percentiles, a histogram, the slowest ones. START and STOP\n"
		"are names, or GLOBs as of -e, and may be options as well, --start and --stop.\n"
		"Without them, pairs are EventHeader events with the opcodes start and stop.\n"
		"Two arguments are START and STOP unless one of them is \"-\" or a file that\n"
		"exists; with --run and --watch, unless the first one has a \"/\" or is a program.\n\n"
		"A start that is followed by another one with its key never ends; only --thread\n"
		"keeps both. If START and STOP are the same, the times between such events are\n"
		"measured. Events without a key, starts without an end, ends without a start,\n"
		"pairs whose times are of different clocks or run backward are counted.\n"
		"Percentiles and limits of rows are at most 0.4 % off, all else is exact. FILE is\n"
		"anything that \"userevents decode\" reads. The exit status is 1 if there is no\n"
		"pair, and with --open no start that never ended, or if starts were dropped,\n"
		"and with --cpu without a record of the scheduler.\n\n"
		COMPARE_HELP
		"The expression of --split is about a pair, as that of --where.\n",
	.options = options,
	.examples = "userevents latency RequestStart RequestStop server.uecap\n"
		"userevents latency A_start A_stop --key id --by client --no-bars perf.data\n"
		"userevents latency RequestStart RequestStop --compare before.uecap after.uecap\n",
};

/* Arguments */

static int is_file(const char *name)
{
	return !strcmp(name, "-") || !access(name, F_OK);
}

/* Whether the first two arguments are START and STOP. */
static int has_names(char **arguments, int count)
{
	if (count < 2)
		return 0;
	if (stream.is_run || stream.is_watch)
		return !strchr(arguments[0], '/') && !program_exists(arguments[0]);
	return !is_file(arguments[0]) && !is_file(arguments[1]);
}

static int check(void)
{
	if (pair_options_check(&pair_options, &usage))
		return EXIT_WRONG_USAGE;
	has_within = slowest != UINT64_MAX;
	stream.recording.has_sched = has_threads && stream.is_watch;
	slowest = has_within ? slowest : 5;
	if (slowest > SLOWEST_MAX)
		return options_complain(&usage, "--slowest is at most %u", SLOWEST_MAX);
	if (max_open > UINT32_MAX / 4)
		return options_complain(&usage, "--max-open is at most %u", UINT32_MAX / 4);
	if (answer_form_choose(&forms, &usage, &form))
		return EXIT_WRONG_USAGE;
	if ((form == FORM_CSV || form == FORM_TSV) && (has_within || lists_open))
		return options_complain(&usage, "--slowest and --open are not for --csv and --tsv; "
					"use --json, or the table requests of userevents query");
	if (has_threads && stream.is_run)
		return options_complain(&usage, "--cpu needs records of the scheduler, which --run "
					"has not; use --watch, or record --sched");
	return group_order_parse(sort_text, &order) ? EXIT_WRONG_USAGE : 0;
}

/* Without names, there may be several kinds of activities. */
static int parse_fields(struct pairing *pairing, struct asked_field *by)
{
	const char *text = by_text ? by_text : pairing->asked.has_names ? NULL : "meta.event";

	if (text && asked_field_parse(by, text))
		return EXIT_WRONG_USAGE;
	pairing->set.by = text ? by : NULL;
	return 0;
}

static void set_options(struct pairing *pairing)
{
	pairing->set.groups.most = groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX - 1;
	pairing->set.has_no_bars = has_no_bars;
	pairing->set.order = order;
	pairing->slowest.most = (uint32_t)slowest;
	pairing->slowest.is_json = form != FORM_TEXT;
	pairing->slowest.has_within = has_within && slowest;
	pairing->lists_open = lists_open;
	pairing->pairs.most = (uint32_t)max_open;
	if (has_threads)
		pairing_follow_threads(pairing, &stream);
}

static int answer(struct pairing *pairing, const struct asked_field *by, char **arguments)
{
	int status = stream_read(&stream, &usage, arguments, &pairing->sink), failed;

	if (histogram_set_is_uncertain(&pairing->set) && stream_is_lasting(&stream, arguments)) {
		pairing_again(pairing);
		if (stream_again(&stream, arguments, &pairing->sink) && !status)
			status = EXIT_FAILED;
	}
	histogram_set_end(&pairing->set);
	if (status == EXIT_WRONG_USAGE)
		return status;
	if (!stream.events)
		return status ? status : EXIT_FAILED;
	failed = by_text && pairing_has_pairs(pairing) && asked_field_report(by);
	pager_begin(NULL);
	if (!failed || !stream_is_lasting(&stream, arguments))
		failed |= pairing_print(pairing, form);
	return failed && !status ? EXIT_FAILED : status;
}

/* Each side has starts of its own. */
static int read_side(void *context, int side, char **files)
{
	struct comparison *comparison = context;
	AUTO(asked_field_free) struct asked_field by = { .found = 0 };
	AUTO(pairing_free) struct pairing pairing;
	int status;

	status = pairing_begin(&pairing, &pair_options, &stream.kinds) ? EXIT_WRONG_USAGE : 0;
	set_options(&pairing);
	pairing.comparison = comparison;
	comparison->is_split = side == COMPARE_SPLIT;
	pairing.side = side;
	pairing.slowest.most = 0;
	if (!status)
		status = parse_fields(&pairing, &by);
	pairing.set.by = NULL;
	if (side == COMPARE_SPLIT && !(pairing.split = where_parse_pairs(compared.split)))
		status = EXIT_WRONG_USAGE;
	if (!status && where && pairing_choose(&pairing, where))
		status = EXIT_WRONG_USAGE;
	if (!status)
		status = compare_stream(&stream, &usage, side, files, &pairing.sink);
	if (status != EXIT_WRONG_USAGE && stream.events && pairing_report(&pairing))
		status = EXIT_FAILED;
	if (pairing.split && !status && where_report(pairing.split))
		status = EXIT_FAILED;
	return status;
}

static int compare(char **arguments)
{
	struct comparison comparison = { .count = 0 };
	const char *sides[2];
	int status;

	if (by_text || lists_open || has_within || has_threads)
		return options_complain(&usage, "--by, --open, --slowest and --cpu are "
					"not for --compare and --split");
	status = compare_read(&compared, &stream, &usage, arguments, sides, read_side,
			      &comparison);
	if (sides[1] && comparison.count && form)
		comparison_print_form(&comparison, sides, form);
	else if (sides[1] && comparison.count)
		comparison_put_values(&comparison, sides, UNIT_NS);
	comparison_free(&comparison);
	stream_free(&stream);
	return status;
}

static int command_latency(int argc, char **argv)
{
	int status, named;
	AUTO(asked_field_free) struct asked_field by = { .found = 0 };
	struct pairing pairing;

	status = check();
	if (status)
		return status;
	named = !pair_options.start && has_names(argv, argc);
	if (named && !argv[2] && !stream.is_run && !stream.is_watch)
		return options_complain(&usage, "no recording is given: \"%s\" and \"%s\", "
					"which are not files here, are START and STOP",
					argv[0], argv[1]);
	if (named)
		pair_options.start = argv[0], pair_options.end = argv[1];
	if (compare_is_asked(&compared))
		return compare(argv + 2 * named);
	status = pairing_begin(&pairing, &pair_options, &stream.kinds) ? EXIT_WRONG_USAGE : 0;
	set_options(&pairing);
	if (!status)
		status = parse_fields(&pairing, &by);
	if (!status && where && pairing_choose(&pairing, where))
		status = EXIT_WRONG_USAGE;
	if (!status)
		status = answer(&pairing, &by, argv + 2 * named);
	pairing_free(&pairing);
	stream_free(&stream);
	return status;
}

const struct command latency_command = { &usage, command_latency };
