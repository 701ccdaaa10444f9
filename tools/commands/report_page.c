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
#include "answers/report/html_page.h"
#include "common/text/amount.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("report");
static const char *path;

static const struct tool_option options[] = {
	{ .name = "output", .letter = 'o', .text = &path, .value = "FILE", .is_path = 1,
	  .help = "The page; \"-\" is standard output." },
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "report",
	.arguments = "-o FILE RECORDING...|--run PROGRAM|--watch",
	.help = "Writes a page of HTML about events, to look at and to pass on: counts and\n"
		"rates by event, a time line of threads and activities, how long activities\n"
		"took with the slowest of them, errors, the values of fields, and losses. It is one\n"
		"file that loads nothing, runs no scripts, and shows names and values of the\n"
		"recording as text, whatever is in them.\n\n"
		"An activity is what EventHeader events with the opcodes start and stop and\n"
		"with one activity id enclose, or without ids those of one thread, which may\n"
		"nest. Memory and the size of the page are bounded; where something is left\n"
		"out, the page says so.\n\n"
		"The source is RECORDING..., as of userevents decode, or --run, or --watch.\n"
		"If there are no events to show, and that is a failure, no page is written.\n"
		"The exit status is 1 when events are missing, after the page is written;\n"
		"with --run it is otherwise that of the program.\n",
	.options = options,
	.examples = "userevents report -o page.html server.uecap\n"
		"userevents report -o page.html --from=-60s server.ring\n",
};

struct gathering {
	struct sink sink;
	struct facts facts;
};

static int take(struct sink *sink, struct event *event)
{
	facts_take(&((struct gathering *)sink)->facts, event);
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

/* Only what was selected is on the page, so it says how. */
static char *detail_text(char **words)
{
	char *source = stream.is_run || stream.is_watch ? xstrdup("") : files_text(words);
	char *text = xprintf("%s%s%s%s%s%s%s", source,
			     stream.filter.expression ? "  where " : "",
			     stream.filter.expression ? stream.filter.expression : "",
			     stream.from ? "  from " : "", stream.from ? stream.from : "",
			     stream.to ? "  to " : "", stream.to ? stream.to : "");

	for (size_t i = 0; i < stream.filter.globs.count; i++)
		xappend(&text, "  -e %s", stream.filter.globs.items[i]);
	free(source);
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
	char *title = title_text(words), *detail = detail_text(words);
	const struct page_source source = {
		.title = title,
		.detail = detail,
		.lost = stream.lost,
		.version = UE__VERSION,
		.has_failed = status != EXIT_ALL_WORKED && !stream.is_run,
	};
	int result = write_page(out, facts, &source);

	free(title);
	free(detail);
	return result;
}

static int report(char **words)
{
	struct gathering gathering = { .sink = { .take = take, .fd = -1 } };
	struct outfile out = { .fd = -1, .path = path, .rest = "it is incomplete",
			       .inputs = stream_inputs(&stream, words) };
	int status, failed = 0;

	if (outfile_open(&out))
		return EXIT_FAILED;
	facts_begin(&gathering.facts, &stream.kinds);
	status = stream_read(&stream, &usage, words, &gathering.sink);
	if (status == EXIT_ALL_WORKED || gathering.facts.events)
		failed = show(&out, &gathering.facts, words, status);
	failed |= outfile_close(&out);
	facts_free(&gathering.facts);
	stream_free(&stream);
	return failed && status == EXIT_ALL_WORKED ? EXIT_FAILED : status;
}

int command_report(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);

	if (status != OPTIONS_GO_ON)
		return status;
	if (!path)
		return options_complain(&usage, "no file for the page is given, -o FILE");
	return report(argv);
}
