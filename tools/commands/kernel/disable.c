/* SPDX-License-Identifier: MIT */
/*
 * userevents disable: switches events off, and takes out processes.
 */
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "kernel/enabling/switches.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *tracefs, *instance_name;
static struct pid_wishes wishes;
static const char *output;
static int is_json, has_clear_pids, is_at_boot;

static const struct tool_option options[] = {
	INSTANCE_OPTION(instance_name),
	{ .name = "pid", .letter = 'p', .words = &wishes.only, .value = "PID",
	  .help = "Take this process out of those for which events are\n"
		  "recorded (set_event_pid): all its threads; or one thread,\n"
		  "by its number. May be repeated. When no process is left,\n"
		  "events of all are recorded." },
	{ .name = "not-pid", .words = &wishes.except, .value = "PID",
	  .help = "Take it out of those for which no events are recorded\n"
		  "(set_event_notrace_pid). May be repeated." },
	{ .name = "clear-pids", .letter = 'c', .flag = &has_clear_pids,
	  .help = "Take all out of both lists." },
	{ .name = "follow", .letter = 'f', .flag = &wishes.follows,
	  .help = "Switch off what \"userevents enable --follow\" does." },
	{ .name = "at-boot", .flag = &is_at_boot,
	  .help = "Remove the unit that \"userevents enable --at-boot\" wrote,\n"
		  "also if it is active, and change nothing else." },
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "That unit is FILE (default\n"
		  BOOT_UNIT ")." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of a table." },
	TRACEFS_OPTION(tracefs),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "disable",
	.arguments = "[GLOB...]",
	.help = "Switches events off, as \"userevents enable\" switches them on; see its --help for\n"
		"GLOB and the states that this prints. Triggers of the events go on, and so do\n"
		"recorders of their own, such as perf and \"userevents record\". If one word names\n"
		"nothing, or anything else fails, nothing is changed.\n\n"
		"The kernel can only clear a list of processes and write it anew, so between the\n"
		"two there is a moment in which it is empty.\n",
	.options = options,
};

static int has_pids(void)
{
	return wishes.only.count || wishes.except.count || wishes.follows || has_clear_pids;
}

static int print_result(const struct instance *instance, const struct switches *switches)
{
	switches_print(switches, is_json);
	return has_pids() && pid_lists_show(instance, is_json) ? EXIT_FAILED : 0;
}

struct pids {
	struct pid_lists before, after;
};

/* Check all before the first is changed. */
static int prepare(const struct instance *instance, const struct words *globs,
		   struct switches *switches, struct pids *pids)
{
	static const struct words none;

	if (switches_add(switches, instance, globs, 0, &none))
		return -1;
	if (!has_pids())
		return 0;
	if (pid_lists_read(&pids->before, instance))
		return -1;
	return pid_lists_without(&pids->after, &pids->before, &wishes, has_clear_pids);
}

/* Pids last, so that no event of others is recorded meanwhile. */
static int set(const struct instance *instance, struct switches *switches,
	       const struct pids *pids)
{
	if (switches_set(switches, instance))
		return -1;
	if (!has_pids() ||
	    !pid_lists_take_out(&pids->after, &pids->before, instance, has_clear_pids))
		return 0;
	switches_set_back(switches, instance);
	return -1;
}

static int disable(const struct instance *instance, const struct words *globs)
{
	AUTO(switches_free) struct switches switches = { 0 };
	struct pids pids = { 0 };
	int status = EXIT_FAILED;

	if (!prepare(instance, globs, &switches, &pids) && !set(instance, &switches, &pids))
		status = print_result(instance, &switches);
	pid_lists_free(&pids.before);
	pid_lists_free(&pids.after);
	return status;
}

static int remove_unit(int argc)
{
	const struct boot boot = { .output = output ? output : BOOT_UNIT };

	if (argc || has_pids() || is_json || instance_name || tracefs)
		return options_complain(&usage, "--at-boot removes the whole unit, so it takes "
					"only --output");
	return boot_remove_unit(&boot) ? EXIT_FAILED : 0;
}

static int command_disable(int argc, char **argv)
{
	int status;
	const struct words globs = { (const char **)argv, (size_t)argc };
	struct instance instance;

	if (is_at_boot)
		return remove_unit(argc);
	if (output)
		return options_complain(&usage, "--output is for --at-boot");
	if (!argc && !has_pids())
		return options_complain(&usage, "no event is given");
	if (has_clear_pids && (wishes.only.count || wishes.except.count))
		return options_complain(&usage, "--clear-pids and --pid or --not-pid exclude each "
					"other");
	status = pid_wishes_check(&wishes, "disable", 0);
	if (status)
		return status;
	if (instance_open(&instance, tracefs, instance_name))
		return EXIT_FAILED;
	status = disable(&instance, &globs);
	instance_close(&instance);
	return status;
}

const struct command disable_command = { &usage, command_disable };
