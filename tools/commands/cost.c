/* SPDX-License-Identifier: MIT */
/*
 * userevents cost: the price that a program pays for enabled events.
 *
 * The program runs many times, with events and without in turn, so that changes of the
 * machine are in both; and a third time with a reader, but no event enabled, as a
 * program pays once for being read, and then for each event. The processor time is the
 * program's own, by the kernel's counts of its children; reading the events is not in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "answers/compare/compare.h"
#include "commands.h"
#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "common/text/text_table.h"
#include "read/stream/stream.h"

#define RUNS_MAX 1000u
#define TELL_MORE "more --runs, longer ones or a quieter machine tell more\n"

static struct words globs;
static uint64_t runs = 10, buffer;
static int is_json;

static const struct tool_option options[] = {
	{ .name = "runs", .letter = 'n', .number = &runs, .value = "N", .least = 2,
	  .help = "Run the program N times of each kind (default 10)." },
	{ .name = "event", .letter = 'e', .words = &globs, .value = "GLOB",
	  .help = "Enable only events whose name matches. May be repeated." },
	{ .name = "buffer", .letter = 'b', .number = &buffer, .value = "BYTES",
	  .least = UE_RING_BYTES_LEAST,
	  .help = "Memory for events that wait, as of \"userevents run\"." },
	{ .name = "json", .letter = 'j', .flag = &is_json, .help = "A JSON object." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "cost",
	.verb = "measure",
	.arguments = "[--] PROGRAM [ARGUMENT...]",
	.help = "Measures what it costs a program that its events are enabled: runs it without\n"
		"a reader, with one that enables nothing, and with events, in turn, and compares\n"
		"its processor time (of all its threads and children) and the time until it\n"
		"ends. Events are written into memory, as under \"userevents run --mode drop\",\n"
		"which needs no root; the time for reading them is not the program's. Its output\n"
		"goes nowhere. One run before all is not counted, and prints what it prints.\n\n"
		"Intervals are from a bootstrap of the runs (1000 rounds, 99 %): they say how far\n"
		"another measurement may be from this one. An event costs what is more with\n"
		"events than with a reader alone, divided by the events. The exit status is 1 if\n"
		"the program fails, or has no events.\n",
	.options = options,
	.examples = "userevents cost ./server --benchmark\n"
		"userevents cost --runs 30 -e 'Request*' -- ./server --benchmark\n",
	.stops_at_argument = 1,
};

/* One run */

enum kind { WITHOUT, ATTACHED, WITH, KINDS };

static const char *const kinds[KINDS] = { "without events", "with a reader", "with events" };

struct measured {
	double processor, wall; /* nanoseconds */
	uint64_t events, lost;
};

static double nanoseconds_of(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static double children_time(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return nanoseconds_of(used.ru_utime) + nanoseconds_of(used.ru_stime);
}

static void nothing(void *context)
{
	(void)context;
}

static int run_without(char **argv)
{
	struct program program;
	int status, error;

	if (program_start(&program, argv, nothing, NULL))
		return EXIT_FAILED;
	error = program_go(&program);
	if (error)
		return program_complain(argv[0], error);
	while (waitpid(program.pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int take_page(struct sink *sink, const struct ue_captured_page *page)
{
	(void)sink;
	(void)page;
	return 0;
}

static const char *const no_event = "(none)"; /* a glob */

static int run_with(char **argv, enum kind kind, struct measured *measured)
{
	struct stream stream = STREAM_INIT("measure");
	struct sink sink = { .take_page = take_page, .fd = -1 };
	int status;

	stream.filter.globs = globs;
	if (kind == ATTACHED)
		stream.filter.globs = (struct words){ (const char **)&no_event, 1 };
	stream.drops = 1;
	stream.keeps_output = 1;
	stream.buffer = buffer;
	if (stream_begin(&stream))
		return EXIT_WRONG_USAGE;
	status = stream_program(&stream, argv, &sink);
	measured->events = stream.events;
	measured->lost = stream.lost;
	stream_free(&stream);
	return status;
}

/* An exit status. */
static int measure(char **argv, enum kind kind, struct measured *measured)
{
	const double before = children_time();
	const int64_t begun = clock_now(CLOCK_MONOTONIC);
	const int status = kind == WITHOUT ? run_without(argv) : run_with(argv, kind, measured);

	measured->wall = (double)(clock_now(CLOCK_MONOTONIC) - begun);
	measured->processor = children_time() - before;
	return status;
}

/* All runs */

struct cost {
	double processor[KINDS][RUNS_MAX], wall[KINDS][RUNS_MAX];
	uint64_t events, lost; /* of all runs */
};

/* Each is first in turn, as the first may warm something up for those that follow. */
static int measure_round(char **argv, size_t number, struct cost *cost, enum kind *kind)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct measured measured = { .events = 0 };
		int status;

		*kind = (enum kind)((i + number) % KINDS);
		status = measure(argv, *kind, &measured);
		if (status)
			return status;
		cost->processor[*kind][number] = measured.processor;
		cost->wall[*kind][number] = measured.wall;
		cost->events += measured.events + measured.lost;
		cost->lost += measured.lost;
	}
	return EXIT_ALL_WORKED;
}

/* The descriptor is the program's, and leads nowhere; returns where ours led. */
static int mute(int fd)
{
	const int kept = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere >= 0)
		dup2(nowhere, fd);
	close(nowhere);
	return kept;
}

static void unmute(int fd, int kept)
{
	dup2(kept, fd);
	close(kept);
}

static int measure_all(char **argv, struct cost *cost)
{
	struct measured first = { .events = 0 };
	int status = measure(argv, WITH, &first);
	enum kind kind = WITH;
	int kept;

	/* its reasons were printed */
	if (status == EXIT_WRONG_USAGE || (!first.events && !first.lost))
		return status ? status : EXIT_FAILED;
	kept = mute(STDERR_FILENO);
	for (size_t i = 0; i < runs && !status; i++)
		status = measure_round(argv, i, cost, &kind);
	unmute(STDERR_FILENO, kept);
	if (status)
		message("cannot measure %s: %s it ended with status %d", argv[0], kinds[kind],
			status);
	return status ? EXIT_FAILED : EXIT_ALL_WORKED;
}

/* Output */

static void put_row(struct text_table *table, const char *name, const struct change *change)
{
	char text[QUANTITY_TEXT_MAX];

	table_cell(table, name);
	quantity_text(text, change->before, UNIT_NS);
	table_cell(table, text);
	quantity_text(text, change->after, UNIT_NS);
	table_cell(table, text);
	table_cellf(table, "%+.2f %%", change->relative * 100);
	table_cellf(table, "%+.2f %%", change->low * 100);
	table_cellf(table, "%+.2f %%", change->high * 100);
	table_cell(table, change->verdict == COMPARE_NOISE ? "noise" : "differs");
}

struct results {
	struct change processor, wall; /* with events, from without */
	struct change attached;	       /* processor time with a reader, from without */
	struct change events;	       /* the same with events, from with a reader */
};

static void set_results(const struct cost *cost, struct results *results)
{
	compare_runs(cost->processor[WITHOUT], cost->processor[WITH], runs, &results->processor);
	compare_runs(cost->wall[WITHOUT], cost->wall[WITH], runs, &results->wall);
	compare_runs(cost->processor[WITHOUT], cost->processor[ATTACHED], runs,
		     &results->attached);
	compare_runs(cost->processor[ATTACHED], cost->processor[WITH], runs, &results->events);
}

/* A share of the time with a reader, for one event. */
static double per_event(const struct cost *cost, const struct results *results, double share)
{
	return share * results->events.before * (double)runs / (double)cost->events;
}

static void put_text(const struct cost *cost, const struct results *results)
{
	const struct change *events = &results->events;
	struct text_table table = { .columns = 0 };
	AUTO(bytes_free) struct bytes out = { .at = NULL };

	table_column(&table, "", 0);
	table_column(&table, "WITHOUT", 1);
	table_column(&table, "WITH", 1);
	table_column(&table, "CHANGE", 1);
	table_column(&table, "99 % FROM", 1);
	table_column(&table, "TO", 1);
	table_column(&table, "", 0);
	put_row(&table, "processor time", &results->processor);
	put_row(&table, "with a reader alone", &results->attached);
	put_row(&table, "time until the end", &results->wall);
	table_put(&table, &out);
	bytes_addf(&out, "%" PRIu64 " runs of each kind, %.0f events a run; ", runs,
		   (double)cost->events / (double)runs);
	if (events->low > 0)
		bytes_addf(&out, "an event costs %.0f ns (99 %%: %.0f to %.0f)\n",
			   per_event(cost, results, events->relative),
			   per_event(cost, results, events->low),
			   per_event(cost, results, events->high));
	else if (events->high > 0)
		bytes_addf(&out, "an event costs at most %.0f ns (99 %%);\n" TELL_MORE,
			   per_event(cost, results, events->high));
	else
		bytes_addf(&out, "the cost of an event is hidden by other changes;\n" TELL_MORE);
	if (cost->lost)
		bytes_addf(&out, "%.0f events a run found no room; --buffer BYTES gives more\n",
			   (double)cost->lost / (double)runs);
	bytes_print(&out);
}

static void add_change(struct bytes *json, const char *key, const struct change *change)
{
	json_open(json, key, '{');
	json_float(json, "without", change->before);
	json_float(json, "with", change->after);
	json_float(json, "change", change->relative);
	json_float(json, "low", change->low);
	json_float(json, "high", change->high);
	json_close(json, '}');
}

static void put_json(const struct cost *cost, const struct results *results)
{
	const struct change *events = &results->events;
	AUTO(bytes_free) struct bytes json = { .at = NULL };

	json_open(&json, NULL, '{');
	json_count(&json, "runs", runs);
	json_count(&json, "events", cost->events);
	json_count(&json, "lost", cost->lost);
	json_float(&json, "confidence", 0.99);
	add_change(&json, "processorTime", &results->processor);
	add_change(&json, "readerAlone", &results->attached);
	add_change(&json, "wallTime", &results->wall);
	json_open(&json, "eventCost", '{');
	json_float(&json, "nanoseconds", per_event(cost, results, events->relative));
	json_float(&json, "low", per_event(cost, results, events->low));
	json_float(&json, "high", per_event(cost, results, events->high));
	json_close(&json, '}');
	json_close(&json, '}');
	bytes_add(&json, "\n", 1);
	bytes_print(&json);
}

static int command_cost(int argc, char **argv)
{
	int status, kept;
	struct results results;
	AUTO_FREE struct cost *cost = NULL;

	if (!argc)
		return options_complain(&usage, "no program is given");
	if (runs > RUNS_MAX)
		return options_complain(&usage, "--runs is at most %u", RUNS_MAX);
	unsetenv("USEREVENTS_FD");
	cost = xcalloc(1, sizeof(*cost));
	fflush(stdout);
	kept = mute(STDOUT_FILENO);
	status = measure_all(argv, cost);
	unmute(STDOUT_FILENO, kept);
	if (!status) {
		set_results(cost, &results);
		(is_json ? put_json : put_text)(cost, &results);
	}
	return status;
}

const struct command cost_command = { &usage, command_cost };
