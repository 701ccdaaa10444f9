/* SPDX-License-Identifier: MIT */
/*
 * userevents doctor: finds out why events do not arrive.
 *
 * Each part checks one thing, and reports a fact, its meaning, and the command that fixes
 * it. An answer may be "unknown".
 */
#include <unistd.h>

#include "commands.h"
#include "kernel/doctor/report.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "common/cli/message.h"

static const char *root = "";
static int is_json;
static struct words processes;

static const struct tool_option options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	{ .name = "root", .text = &root, .value = "DIR",
	  .help = "Check the files of another system below DIR, and not\n"
		  "this kernel." },
	{ .name = "pid", .letter = 'p', .words = &processes, .value = "PID",
	  .help = "Check this running process, given by number or name,\n"
		  "instead of the system: name the events that it has\n"
		  "and did not register. May be repeated. Not with --root." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "doctor",
	.verb = "look at this machine",
	.arguments = "",
	.help = "Reports what keeps events from arriving on this system, for this user: each line\n"
		"is a fact and what it means, with the command that fixes it. Begins with \"ok\",\n"
		"\"!!\" for a problem, \"??\" for an unknown answer, \"--\" for a remark. Changes\n"
		"nothing. The last lines are known faults of user_events in this kernel.\n\n"
		"With --pid, reports for each program and shared object of a process that uses\n"
		"libuserevents which of its events are registered: those of UE_EVENT() and\n"
		"UE_TRACEPOINT(). Of those that are not, it names the first 10 of each. Of each\n"
		"ring that the process writes to, it reports whether the size fits. It takes\n"
		"the rights that \"userevents losses --help\" lists. \"userevents run PROGRAM\"\n"
		"reports the same of a program that it starts.\n\n"
		"The exit status is 0 when there is no problem, else 1: also if a process cannot\n"
		"be found or read.\n",
	.options = options,
};

static int command_doctor(int argc, char **argv)
{
	struct doctor doctor = { 0 };

	(void)argv;
	if (argc)
		return options_complain(&usage, "it takes no arguments");
	if (*root && processes.count)
		return options_complain(&usage, "--root and --pid exclude each other");
	doctor.root = root;
	doctor.is_json = is_json;
	doctor.has_colour = !is_json && output_has_colour();
	if (processes.count) {
		doctor_processes(&doctor, &processes);
		return doctor.problems ? EXIT_FAILED : EXIT_ALL_WORKED;
	}
	doctor_kernel(&doctor);
	doctor_tracefs(&doctor);
	doctor_features(&doctor);
	doctor_listeners(&doctor);
	doctor_perf(&doctor);
	doctor_bpf(&doctor);
	doctor_faults(&doctor);
	return doctor.problems ? EXIT_FAILED : EXIT_ALL_WORKED;
}

const struct command doctor_command = { &usage, command_doctor };
