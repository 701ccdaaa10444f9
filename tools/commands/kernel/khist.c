/* SPDX-License-Identifier: MIT */
/*
 * userevents khist counts the values of a field in the kernel; userevents klatency
 * measures there how long it takes from one event to another.
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

/* The events of the COMMAND exist before it starts. */

static struct recording registered = { .fd = -1 };

/* 0, or -1 after a message. */
static int events_of_command_begin(char **command, const char *tracefs)
{
	if (!command)
		return 0;
	registered.tracefs = tracefs;
	registered.recorder.tracefs = tracing_find(tracefs);
	return registered.recorder.tracefs && !register_first(&registered, command[0]) ? 0 : -1;
}

static void events_of_command_end(void)
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

/* klatency */

static struct kernel_pair_options pairs;

static const struct tool_option pair_options[] = {
	{ .name = "key", .letter = 'k', .words = &pairs.keys, .value = "FIELD[=FIELD]",
	  .is_path = 1,
	  .help = "A START and the next STOP with an equal value of this\n"
		  "field are a pair; with =, of another one of STOP. With up\n"
		  "to three, all must be equal." },
	{ .name = "thread", .letter = 't', .flag = &pairs.by_thread,
	  .help = "The thread that wrote them is a key." },
	{ .name = "by", .words = &asked.by, .value = "FIELD", .is_path = 1,
	  .help = "Also for each value of this field of START, or of STOP if\n"
		  "START lacks it. May be given twice." },
	{ .name = "where-start", .text = &pairs.where_start, .value = "FILTER", .is_path = 1,
	  .help = "Only starts that this filter of the kernel passes:\n"
		  "'shard == 3'." },
	{ .name = "where-stop", .text = &pairs.where_stop, .value = "FILTER", .is_path = 1,
	  .help = "Only stops that this filter of the kernel passes." },
	{ .name = "buckets", .letter = 'b', .text = &asked.buckets, .value = "WIDTH",
	  .is_path = 1,
	  .help = "Of buckets: a number of units; or exact: each nanosecond\n"
		  "alone; or log2: one for each power of 2; or auto, the\n"
		  "default: at most 1 % of the times in it, and below 1 us\n"
		  "each nanosecond alone." },
	{ .name = "unit", .letter = 'u', .text = &asked.unit, .value = "ns|us|ms|s",
	  .help = "That of --buckets (default us). Times are measured in\n"
		  "nanoseconds in any case." },
	QUESTION_OPTIONS(asked),
	OPTIONS_END,
};

static const struct usage pair_usage = {
	.command = "klatency",
	.verb = "measure in the kernel",
	.arguments = "START STOP --key FIELD [-- COMMAND...]",
	.help = "Lets the kernel measure the time from START to the next STOP with the same\n"
		"keys, and count the times, in a tracing instance of the command's own, which is\n"
		"removed at the end, as is a synthetic event. Nothing is recorded. START and STOP\n"
		"are different events of any system: NAME or SYSTEM:NAME. Keys have the same\n"
		"type in both: integers or, from kernel 6.4 on, texts.\n\n"
		"A start that is followed by another one with its keys never ends. The kernel\n"
		"keeps every key it has seen, also after its pair has ended: threads or sockets\n"
		"are few, but unique ids run out. When there are more than --size, events are\n"
		"dropped; then the exit status is 1, and the message has, for one key of one\n"
		"name, the command that measures the same in user space, where a key is forgotten\n"
		"as its pair ends.\n\n"
		"The answer ends with the number of starts without a stop, and of stops without a\n"
		"start, in the time of the measurement. What runs while it begins or ends has its\n"
		"other event before or after, and is among them.\n\n"
		"Times are shown as by \"userevents khist\", and in JSON in nanoseconds. It ends\n"
		"with Ctrl-C or q, after --duration, or with COMMAND, whose terminal is left to\n"
		"it; then the answer is printed. The exit status is 1 after a failure, otherwise\n"
		"that of COMMAND. What a killed klatency leaves behind, \"userevents cleanup\"\n"
		"removes.\n",
	.options = pair_options,
};

static int command_klatency(int argc, char **argv)
{
	static const char *const names[] = { "START", "STOP" };
	const char *given[2];
	int status =
		question_options_parse(&asked, &pair_usage, argc, argv, names, given);

	if (status != OPTIONS_GO_ON)
		return status;
	if (!pairs.keys.count && !pairs.by_thread)
		return options_complain(&pair_usage, "no key is given: --key FIELD or --thread");
	if (events_of_command_begin(asked.command, asked.tracefs))
		return EXIT_FAILED;
	status = pair_question_answer(&asked, &pairs, given[0], given[1]);
	events_of_command_end();
	return status;
}

const struct command klatency_command = { NULL, command_klatency };
