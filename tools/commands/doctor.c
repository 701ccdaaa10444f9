/* SPDX-License-Identifier: MIT */
/*
 * userevents doctor: why do my events not arrive?
 *
 * Each part looks at one thing and reports what it found, what that means, and the
 * command that mends it. What cannot be told is said to be so.
 */
#include <unistd.h>

#include "commands.h"
#include "doctor/report.h"
#include "cli/options.h"
#include "cli/terminal.h"

static const char *root = "";
static int is_json;

static const struct tool_option options[] = {
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
