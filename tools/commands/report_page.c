/* SPDX-License-Identifier: MIT */
/*
 * userevents report: writes a page of HTML about events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "commands.h"
#include "common/output/out_file.h"
#include "answers/question/asked_field.h"
#include "answers/report/html_page.h"
#include "common/text/amount.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("report");
static const char *path;
static struct compare_options compared;
static struct pair_options pair_options;
static struct asked_pairs asked;
static struct asked_pairs asked_of_all; /* events, also those that --where leaves out */

static const struct tool_option options[] = {
	{ .name = "output", .letter = 'o', .text = &path, .value = "FILE", .is_path = 1,
	  .help = "The page; \"-\" is standard output." },
	{ .name = "compare", .flag = &compared.is_compared,
	  .help = "Of two recordings, BEFORE and AFTER, side by side: rates\n"
		  "of events and durations of activities, the change of each\n"
		  "with an interval, and pictures of both." },
	PAIR_OPTIONS(pair_options),
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "report",
	.arguments = "-o FILE RECORDING...|--run PROGRAM|--watch",
	.help = "Writes a page of HTML about events, to look at and to pass on: counts and\n"
		"rates by event, a time line of threads and activities, how long activities\n"
		"took with the slowest of them and those that never ended, errors, the values\n"
		"of fields, and losses; also what the thread did in slow activities and in the\n"
		"10 ms before errors. It is one file that loads nothing, runs no scripts,\n"
		"and shows names and values of the recording as text, whatever is in them.\n\n"
		"An activity is what EventHeader events with the opcodes start and stop and\n"
		"with one activity id enclose, or without ids those of one thread, which may\n"
		"nest. --start, --stop and --key name other pairs, also of classic events, as\n"
		"\"latency\" finds them. With records of the scheduler (record --sched) the page\n"
		"also shows how long the slowest of them ran, were runnable and were blocked.\n\n"
		"--where selects events, not pairs: \"latency --where\" does that. The page\n"
		"says how many pairs have lost their start or their stop by it; then it lists\n"
		"no starts that never ended.\n\n"
		"Memory and the size of the page are bounded; where something is left out, the\n"
		"page says so.\n\n"
		"With --compare the page shows two recordings side by side, as \"stat\" and\n"
		"\"latency\" do.\n\n"
		"The source is RECORDING..., as of userevents decode, or --run, or --watch.\n"
		"If there are no events to show, and that is a failure, no page is written.\n"
		"The exit status is 1 when events are missing, after the page is written;\n"
		"with --run it is otherwise that of the program.\n",
	.options = options,
	.examples = "userevents report -o page.html server.uecap\n"
		"userevents report -o page.html --from=-60s server.ring\n"
		"userevents report -o page.html --start A_start --stop A_stop --key id a.data\n"
		"userevents report -o page.html --compare before.uecap after.uecap\n",
};

struct gathering {
	struct sink sink;
	struct facts facts;
};

static int take(struct sink *sink, struct event *event)
{
	struct facts *facts = &((struct gathering *)sink)->facts;

	if (stream.filter.expression)
		cut_pairs_take(&facts->cut, event, 0);
	facts_take(facts, event);
	return 0;
}

static void take_left_out(struct sink *sink, struct event *event)
{
	cut_pairs_take(&((struct gathering *)sink)->facts.cut, event, 1);
}

static int take_sched(struct sink *sink, const struct record *record)
{
	facts_take_sched(&((struct gathering *)sink)->facts, record);
	return 0;
}

/* The subject of the page */

/* "a.data, 1.2 MiB; b.data, 3 MiB" */
static char *files_text(char **words)
{
	char *text = xstrdup("");

	for (; *words; words++) {
		struct stat status;
		const int is_file = !stat(*words, &status) && S_ISREG(status.st_mode);

		xappend(&text, "%s%s%s%s", *text ? "; " : "", *words, is_file ? ", " : "",
			is_file ? amount_text((double)status.st_size, UNIT_BYTES) : "");
	}
	return text;
}

static char *command_text(char **words, const char *without)
{
	char *text = xstrdup(*words ? "" : without);

	for (; *words; words++)
		xappend(&text, "%s%s", *text ? " " : "", *words);
	return text;
}

static char *title_text(char **words)
{
	const char *slash;

	if (stream.is_run || stream.is_watch)
		return command_text(words, "Events of the kernel");
	slash = strrchr(words[0], '/');
	return words[1] ? xprintf("%s and %s", slash ? slash + 1 : words[0],
				  words[2] ? "other files" : "another file") :
			  xstrdup(slash ? slash + 1 : words[0]);
}

/*
 * Only selected events are on the page, so it says how. words: files to be named, or
 * NULL.
 */
static char *detail_text(char **words)
{
	const int is_live = !words || stream.is_run || stream.is_watch;
	AUTO_FREE char *source = is_live ? xstrdup("") : files_text(words);
	char *text = xprintf("%s%s%s%s%s%s%s", source,
			     stream.filter.expression ? "  where " : "",
			     stream.filter.expression ? stream.filter.expression : "",
			     stream.from ? "  from " : "", stream.from ? stream.from : "",
			     stream.to ? "  to " : "", stream.to ? stream.to : "");

	if (asked.has_names)
		xappend(&text, "  pairs from %s to %s", pair_options.start, pair_options.end);
	if (pair_options.key)
		xappend(&text, "  with an equal %s", pair_options.key);
	for (size_t i = 0; i < stream.filter.globs.count; i++)
		xappend(&text, "  -e %s", stream.filter.globs.items[i]);
	return text;
}

/* The page */

static int write_page(struct outfile *out, struct facts *facts,
		      const struct page_source *source)
{
	struct bytes page = { 0 };

	facts_end(facts);
	page_write(&page, facts, source);
	if (outfile_empty(out)) {
		bytes_free(&page);
		return -1;
	}
	return outfile_move(out, &page);
}

static int show(struct outfile *out, struct facts *facts, char **words, int status)
{
	AUTO_FREE char *title = title_text(words), *detail = detail_text(words);
	const struct page_source source = {
		.title = title,
		.detail = detail,
		.lost = stream.lost,
		.version = UE__VERSION,
		.has_failed = status != EXIT_ALL_WORKED && !stream.is_run,
	};

	return write_page(out, facts, &source);
}

/* 0, or -1 after a message. all: of events that --where leaves out, too. */
static int begin_pairs(struct pairs *pairs, struct pairs *all)
{
	return asked_pairs_begin(&asked, &pair_options, pairs) ||
			       asked_pairs_begin(&asked_of_all, &pair_options, all) ? -1 : 0;
}

static void free_pairs(void)
{
	asked_pairs_free(&asked);
	asked_pairs_free(&asked_of_all);
}

#define FILTERS "--where, -e and the times"

static int report(char **words)
{
	struct gathering gathering = {
		.sink = { .take = take, .take_left_out = take_left_out,
			  .take_sched = take_sched, .fd = -1 },
	};
	struct outfile out = { .fd = -1, .path = path, .rest = "it is incomplete",
			       .inputs = stream_inputs(&stream, words) };
	int status, failed = 0;

	facts_begin(&gathering.facts, &stream.kinds);
	status = begin_pairs(&gathering.facts.pairs, &gathering.facts.cut.pairs) ?
			 EXIT_WRONG_USAGE : outfile_open(&out) ? EXIT_FAILED : 0;
	if (status) {
		facts_free(&gathering.facts);
		return status;
	}
	gathering.facts.threads.lost = &stream.lost_before;
	gathering.facts.threads.doubt_until = &stream.doubt_until;
	status = stream_read(&stream, &usage, words, &gathering.sink);
	if (status == EXIT_ALL_WORKED || gathering.facts.events)
		failed = show(&out, &gathering.facts, words, status);
	failed |= outfile_close(&out);
	failed |= gathering.facts.events && asked_pairs_report(&asked, &stream.kinds, FILTERS);
	asked_pairs_warn(&asked);
	cut_pairs_report(gathering.facts.cut.count);
	facts_free(&gathering.facts);
	free_pairs();
	stream_free(&stream);
	return failed && status == EXIT_ALL_WORKED ? EXIT_FAILED : status;
}

/* Two recordings */

static int read_side(void *context, int side, char **files)
{
	struct compared_facts *facts = context;
	int status;

	compared_facts_begin(facts, side);
	if (begin_pairs(&facts->pairs, &facts->cut.pairs))
		return EXIT_WRONG_USAGE;
	status = compare_stream(&stream, &usage, side, files, &facts->sink);
	compared_facts_end(facts);
	asked_pairs_warn(&asked);
	if (asked_pairs_report(&asked, &stream.kinds, FILTERS) && status == EXIT_ALL_WORKED)
		status = EXIT_FAILED;
	free_pairs();
	return status;
}

static int write_compared(struct outfile *out, struct compared_facts *facts,
			  const char *const names[2], int status)
{
	AUTO_FREE char *title = xprintf("%s and %s", names[0], names[1]),
		       *detail = detail_text(NULL);
	const struct page_source source = {
		.title = title,
		.detail = detail,
		.lost = stream.lost,
		.version = UE__VERSION,
		.has_failed = status != EXIT_ALL_WORKED,
	};
	struct bytes page = { 0 };
	int result;

	compare_page_write(&page, facts, &source, names);
	result = outfile_empty(out);
	if (result)
		bytes_free(&page);
	else
		result = outfile_move(out, &page);
	return result;
}

static int report_compared(char **words)
{
	struct compared_facts facts = { .has_expression = stream.filter.expression != NULL };
	struct outfile out = { .fd = -1, .path = path, .rest = "it is incomplete",
			       .inputs = stream_inputs(&stream, words) };
	const char *names[2];
	int status, failed = 0;

	if (outfile_open(&out))
		return EXIT_FAILED;
	status = compare_read(&compared, &stream, &usage, words, names, read_side, &facts);
	if (names[1] && facts.events.count)
		failed = write_compared(&out, &facts, names, status);
	failed |= outfile_close(&out);
	cut_pairs_report(facts.cut.count);
	compared_facts_free(&facts);
	stream_free(&stream);
	return failed && status == EXIT_ALL_WORKED ? EXIT_FAILED : status;
}

static int command_report(int argc, char **argv)
{
	(void)argc;
	if (!path)
		return options_complain(&usage, "no file for the page is given, -o FILE");
	if (pair_options_check(&pair_options, &usage))
		return EXIT_WRONG_USAGE;
	return compared.is_compared ? report_compared(argv) : report(argv);
}

const struct command report_command = { &usage, command_report };
