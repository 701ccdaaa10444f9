/* SPDX-License-Identifier: MIT */
/*
 * userevents klatency: measures in the kernel how long it takes from one event to another.
 */
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/khist/kernel_question.h"
#include "kernel_commands.h"

static struct question_options asked = QUESTION_OPTIONS_INIT;
static struct kernel_pair_options pairs;

static const struct tool_option options[] = {
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

static const struct usage usage = {
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
	.options = options,
};

static int command_klatency(int argc, char **argv)
{
	static const char *const names[] = { "START", "STOP" };
	const char *given[2];
	int status = question_options_parse(&asked, &usage, argc, argv, names, given);

	if (status != OPTIONS_GO_ON)
		return status;
	if (!pairs.keys.count && !pairs.by_thread)
		return options_complain(&usage, "no key is given: --key FIELD or --thread");
	if (events_of_command_begin(asked.command, asked.tracefs))
		return EXIT_FAILED;
	status = pair_question_answer(&asked, &pairs, given[0], given[1]);
	events_of_command_end();
	return status;
}

const struct command klatency_command = { NULL, command_klatency };
