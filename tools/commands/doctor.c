/* SPDX-License-Identifier: MIT */
/*
 * userevents doctor: why do my events not arrive?
 *
 * Each part looks at one thing and reports what it found, what that means, and the
 * command that mends it. What cannot be told is said to be so.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "doctor/doctor.h"
#include "cli/json_out.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "tracefs/tracing_files.h"

static const char *root = "";
static int is_json;

static const struct option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	{ .name = "root", .text = &root, .value = "DIR",
	  .help = "Look at the files below DIR, those of another system.\n"
		  "Nothing is asked of the kernel then." },
	{ 0 },
};

static const struct usage usage = {
	.command = "doctor",
	.arguments = "",
	.help = "Says what stands in the way of events on this system, for this user: each line\n"
		"is a fact and what it means, with the command that mends it. Begins with \"ok\",\n"
		"\"!!\" for what is in the way, \"??\" for what could not be told, \"--\" for what is\n"
		"worth knowing. Changes nothing.\n\n"
		"The exit status is 0 when nothing is in the way, else 1.\n",
	.options = options,
};

const char *doctor_text(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		return text;
	message("There is no memory left.");
	exit(EXIT_FAILED);
}

const char *doctor_path(const struct doctor *doctor, const char *path)
{
	return doctor_text("%s%s", doctor->root, path);
}

char *doctor_read(const struct doctor *doctor, const char *path)
{
	size_t length;
	char *text = read_file(doctor_path(doctor, path), &length);

	if (text && length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return text;
}

static const char *const answers[] = {
	[UE_ANSWER_NOT_ASKED] = "not asked",
	[UE_ANSWER_YES] = "yes",
	[UE_ANSWER_NO] = "no",
	[UE_ANSWER_UNKNOWN] = "could not tell",
};

static void member(const char *key, const char *text)
{
	json_member(key, text, strlen(text), 0);
}

static void print_json(const struct finding *finding)
{
	putchar('{');
	json_member("check", finding->check, strlen(finding->check), 1);
	member("answer", answers[finding->answer]);
	printf(",\"problem\":%s", finding->is_problem ? "true" : "false");
	member("fact", finding->fact);
	if (finding->meaning)
		member("meaning", finding->meaning);
	if (finding->mend)
		member("mend", finding->mend);
	fputs("}\n", stdout);
}

enum mark { OK, WRONG, UNKNOWN, NOTE };

static const struct {
	const char *text;
	const char *colour;
} marks[] = {
	[OK] = { "ok", "\x1b[32m" },
	[WRONG] = { "!!", "\x1b[1;31m" },
	[UNKNOWN] = { "??", "\x1b[33m" },
	[NOTE] = { "--", "\x1b[2m" },
};

static enum mark mark_of(const struct finding *finding)
{
	if (finding->is_problem)
		return WRONG;
	if (finding->answer == UE_ANSWER_UNKNOWN)
		return UNKNOWN;
	return finding->answer == UE_ANSWER_YES ? OK : NOTE;
}

static void print_text(const struct doctor *doctor, const struct finding *finding)
{
	enum mark mark = mark_of(finding);

	printf("%s%s%s %s%s%s.\n", doctor->has_colour ? marks[mark].colour : "",
	       marks[mark].text, doctor->has_colour ? "\x1b[0m" : "", finding->fact,
	       finding->meaning ? ": " : "", finding->meaning ? finding->meaning : "");
	if (finding->mend)
		printf("   $ %s\n", finding->mend);
}

void doctor_report(struct doctor *doctor, const struct finding *finding)
{
	doctor->problems += finding->is_problem;
	if (doctor->is_json)
		print_json(finding);
	else
		print_text(doctor, finding);
}

int command_doctor(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct doctor doctor = { 0 };

	if (status != OPTIONS_GO_ON)
		return status;
	if (argc)
		return options_complain(&usage, "doctor: It takes no arguments.");
	doctor.root = root;
	doctor.is_json = is_json;
	doctor.has_colour = !is_json && terminal_has_colour(STDOUT_FILENO);
	doctor_kernel(&doctor);
	doctor_tracefs(&doctor);
	doctor_features(&doctor);
	doctor_listeners(&doctor);
	doctor_perf(&doctor);
	doctor_btf(&doctor);
	return doctor.problems ? EXIT_FAILED : EXIT_ALL_WORKED;
}
