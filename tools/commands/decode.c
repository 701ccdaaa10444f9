/* SPDX-License-Identifier: MIT */
/*
 * userevents decode: prints recordings as text or JSON.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "records/filter.h"
#include "input/open_input.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/options.h"
#include "output/printer.h"

static const char *format_text = "text";
static int is_json;
static const char *meta_text = "+n"; /* the default */
static struct filter filter;
static const char *from_text, *to_text;

static const struct tool_option options[] = {
	{ .name = "format", .letter = 'f', .text = &format_text, .value = "FORMAT",
	  .help = "text (the default), json: one array, jsonl: an object a\n"
		  "line, or perf-decode: an array for each file." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines: the same as --format jsonl." },
	{ .name = "event", .letter = 'e', .words = &filter.globs, .value = "GLOB",
	  .help = "Only events whose name matches: NAME or SYSTEM:NAME of the\n"
		  "tracepoint, of EventHeader also EVENT or PROVIDER:EVENT.\n"
		  "May be repeated." },
	{ .name = "from", .text = &from_text, .value = "TIME",
	  .help = "Only events of this time or later: seconds or a date, as\n"
		  "they are printed; a date may be short: 2026-01-31 (UTC)." },
	{ .name = "to", .text = &to_text, .value = "TIME",
	  .help = "Only events before this time." },
	META_OPTION(meta_text),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "decode",
	.arguments = "FILE...",
	.help = "Prints the events of recordings: perf.data, trace.dat, captures, rings,\n"
		"files of EventHeader events; - is standard input. Events of several files are\n"
		"merged by time. Of a damaged file everything before the damage is printed.\n"
		"A ring is read without changing it, whether or not its programs still run.\n\n"
		"The exit status is 1 when a file is damaged or cannot be read, when the\n"
		"recorder lost events, when events are malformed, cannot be shown or put in\n"
		"order, and when no event passes -e, --from and --to.\n",
	.options = options,
};

struct source_of_records {
	struct input input;
	struct record record;
	int has_record;
};

/* Reading a mapped file raises SIGBUS if the file became shorter meanwhile. */
static sigjmp_buf unreadable;

static void on_fault(int number)
{
	siglongjmp(unreadable, number);
}

/* Report on an input at its end; 1 if events of it are missing. */
static int finish(struct input *input, int result)
{
	if (result < 0)
		message("cannot read all of %s: %s", input->shown, input->problem);
	if (input->unknown)
		message("cannot show %llu samples of %s: it describes no event that they "
			"belong to", (unsigned long long)input->unknown, input->shown);
	if (input->lost)
		message("%llu events were lost when %s was recorded%s%s.",
			(unsigned long long)input->lost, input->shown,
			input->reasons ? ": " : "", input->reasons ? input->reasons : "");
	if (input->overwritten)
		message("%s keeps the newest events; %llu older ones were overwritten.",
			input->shown, (unsigned long long)input->overwritten);
	if (input->unfinished)
		message("%llu events of %s are missing: their writers died before these were "
			"complete.", (unsigned long long)input->unfinished, input->shown);
	if (input->bare)
		message("cannot show %llu samples of %s: they lack the bytes of their "
			"events; "
			"record with perf record --raw-samples",
			(unsigned long long)input->bare, input->shown);
	if (input->late)
		message("cannot put %llu events of %s in order: later ones were printed "
			"before they were read; %s", (unsigned long long)input->late,
			input->shown, source_is_lasting(&input->source) ?
			"more memory lets more of them be kept" :
			"save the stream as a file, which is kept in order as a whole");
	return result < 0 || input->unknown || input->lost || input->bare || input->late;
}

/* Read up to the next record that passes the filter; 1 after a fault. */
static int advance(struct source_of_records *source)
{
	int result;

	do
		result = input_next(&source->input, &source->record);
	while (result > 0 && !filter_passes(&filter, &source->record));
	source->has_record = result > 0;
	return result > 0 ? 0 : finish(&source->input, result);
}

static struct source_of_records *earliest(struct source_of_records *sources, int count)
{
	struct source_of_records *best = NULL;

	for (int i = 0; i < count; i++)
		if (sources[i].has_record &&
		    (!best ||
		     sources[i].record.sample.time < best->record.sample.time))
			best = &sources[i];
	return best;
}

/* All records of these files, by time. */
static int print_merged(struct printer *printer, struct source_of_records *sources,
			int count)
{
	struct source_of_records *next;
	int failed = 0;

	for (int i = 0; i < count; i++)
		failed |= advance(&sources[i]);
	while ((next = earliest(sources, count))) {
		if (printer_print(printer, &next->record))
			return 1;
		failed |= advance(next);
	}
	return failed;
}

/* The layout of perf-decode has an array for each file. */
static int print_apart(struct printer *printer, struct source_of_records *sources,
		       int count)
{
	int failed = 0;

	for (int i = 0; i < count && !printer->is_broken; i++) {
		printer_begin_file(printer, sources[i].input.path);
		if (sources[i].input.kind)
			failed |= print_merged(printer, &sources[i], 1);
		printer_end_file(printer);
	}
	return failed;
}

static int open_all(struct source_of_records *sources, char **paths, int count)
{
	int failed = 0;

	for (int i = 0; i < count; i++) {
		struct input *input = &sources[i].input;

		if (!input_open(input, paths[i]))
			continue;
		message("cannot read %s: %s", input->shown, input->problem);
		input_close(input);
		failed = 1;
	}
	return failed;
}

static int print_all(struct printer *printer, struct source_of_records *sources,
		     int count)
{
	return printer->format == PRINT_PERF_DECODE ?
		       print_apart(printer, sources, count) :
		       print_merged(printer, sources, count);
}

static int decode_all(struct printer *printer, struct source_of_records *sources,
		      char **paths, int count)
{
	int failed = open_all(sources, paths, count), opened = 0;

	for (int i = 0; i < count; i++)
		if (sources[i].input.kind || printer->format == PRINT_PERF_DECODE)
			sources[opened++] = sources[i];
	failed |= print_all(printer, sources, opened);
	for (int i = 0; i < opened; i++)
		input_close(&sources[i].input);
	return failed;
}

/* After a fault nothing is closed, as a function may have stopped anywhere. */
static int decode_guarded(struct printer *printer, struct source_of_records *sources,
			  char **paths, int count)
{
	if (!sigsetjmp(unreadable, 1))
		return decode_all(printer, sources, paths, count);
	printer_drop_part(printer);
	message("cannot read all of a file: it became shorter while it was read");
	return 1;
}

static int decode(struct printer *printer, char **paths, int count)
{
	struct source_of_records *sources = xcalloc((size_t)count, sizeof(*sources));
	int failed;

	signal(SIGBUS, on_fault);
	filter_begin(&filter);
	printer_begin(printer);
	failed = decode_guarded(printer, sources, paths, count);
	failed |= printer_end(printer);
	free(sources);
	failed |= printer_report(printer);
	failed |= filter_report(&filter);
	return failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}

static int is_twice(char **words, const char *word)
{
	int count = 0;

	for (; *words; words++)
		count += !strcmp(*words, word);
	return count > 1;
}

int command_decode(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct printer printer = { 0 };

	if (status != OPTIONS_GO_ON)
		return status;
	if (print_format_parse(is_json ? "jsonl" : format_text, &printer.format) ||
	    print_meta_parse(meta_text, &printer.meta) ||
	    (from_text && filter_time_parse(from_text, &filter.from)) ||
	    (to_text && filter_time_parse(to_text, &filter.to)))
		return EXIT_WRONG_USAGE;
	if (!argc)
		return options_complain(&usage, "no recording is given");
	if (is_twice(argv, "-"))
		return options_complain(&usage, "\"-\" is given more than once");
	if (filter_is_empty(&filter))
		return EXIT_WRONG_USAGE;
	return decode(&printer, argv, argc);
}
