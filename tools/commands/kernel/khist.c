/* SPDX-License-Identifier: MIT */
/*
 * userevents khist: counts the values of a field in the kernel.
 */
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/khist/kernel_question.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"
#include "record/recording/recording.h"

static struct question_options asked = QUESTION_OPTIONS_INIT;
static const char *where;

static const struct tool_option options[] = {
	{ .name = "by", .words = &asked.by, .value = "FIELD", .is_path = 1,
	  .help = "Also for each value of this field, or of tid or cpu, the\n"
		  "thread and the processor that wrote the event. May be\n"
		  "given twice: the kernel has three keys." },
	{ .name = "where", .letter = 'w', .text = &where, .value = "FILTER", .is_path = 1,
	  .help = "Only events that this filter of the kernel passes:\n"
		  "'status >= 500 && shard != 3'." },
	{ .name = "buckets", .letter = 'b', .text = &asked.buckets, .value = "WIDTH",
	  .is_path = 1,
	  .help = "Of buckets: a number; or exact: each number alone; or\n"
		  "log2: one for each power of 2; or auto, the default: at\n"
		  "most 1 % of the numbers in it, and below 1000 each alone." },
	{ .name = "unit", .letter = 'u', .text = &asked.unit, .value = "ns|us|ms|s",
	  .help = "FIELD is a time in this unit; show it as one." },
	QUESTION_OPTIONS(asked),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "khist",
	.verb = "count in the kernel",
	.arguments = "EVENT FIELD [-- COMMAND [ARGUMENT...]]",
	.help = "Lets the kernel count the values of a field, in a tracing instance of the\n"
		"command's own, which is removed at the end. Nothing is recorded, so nothing is\n"
		"lost, and the writer waits for no reader. EVENT is of any system: NAME or\n"
		"SYSTEM:NAME. FIELD is an integer or, from kernel 6.4 on, a text: its first 255\n"
		"bytes, without blanks at its end.\n\n"
		"Counts are exact. Percentiles, min and max are shown as the bucket they are in:\n"
		"\"p99 200 .. 299\". In JSON a percentile is the middle of its bucket, p99Error\n"
		"half of its width, min and max are the limits of the outermost buckets. A row\n"
		"\"200 .. 299\" has both numbers; with --unit it ends before the second.\n\n"
		"It ends with Ctrl-C or q, after --duration, or with COMMAND, whose terminal is\n"
		"left to it; then the answer is printed. Events of COMMAND are registered before\n"
		"it starts; counted are those of all processes.\n\n"
		"The exit status is 1 after a failure, and if values were dropped, as there were\n"
		"more than --size; otherwise that of COMMAND. What a killed khist leaves behind,\n"
		"\"userevents cleanup\" removes.\n",
	.options = options,
};

/* The events of the COMMAND */

static struct recording registered = { .fd = -1 };

int events_of_command_begin(char **command, const char *tracefs)
{
	if (!command)
		return 0;
	registered.tracefs = tracefs;
	registered.recorder.tracefs = tracing_find(tracefs);
	return registered.recorder.tracefs && !register_first(&registered, command[0]) ? 0 : -1;
}

void events_of_command_end(void)
{
	register_first_end(&registered);
}

static int command_khist(int argc, char **argv)
{
	static const char *const names[] = { "event", "field" };
	const char *given[2];
	int status = question_options_parse(&asked, &usage, argc, argv, names, given);

	if (status != OPTIONS_GO_ON)
		return status;
	if (events_of_command_begin(asked.command, asked.tracefs))
		return EXIT_FAILED;
	status = field_question_answer(&asked, given[0], given[1], where);
	events_of_command_end();
	return status;
}

const struct command khist_command = { NULL, command_khist };
