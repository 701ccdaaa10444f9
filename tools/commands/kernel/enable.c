/* SPDX-License-Identifier: MIT */
/*
 * userevents enable switches events on, or shows which are on; userevents disable switches
 * events off, and takes out processes.
 */
#include <stdlib.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "kernel/enabling/switches.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *tracefs, *instance_name;
static struct words definitions;
static struct pid_wishes wishes;
static struct boot boot = { .output = BOOT_UNIT };
static const char *output;
static int is_json, lists, is_at_boot, prints_arguments, has_clear_pids;

static const struct tool_option options[] = {
	INSTANCE_OPTION(instance_name),
	{ .name = "register", .letter = 'r', .words = &definitions, .value = "EVENT",
	  .help = "Register \"NAME TYPE FIELD; ...\", or the name of an\n"
		  "EventHeader tracepoint, first, and switch it on, so that\n"
		  "no event of a program that starts later is missed. It\n"
		  "stays until \"userevents delete\", or, with Linux 6.4 to\n"
		  "6.6, as long as it is on. May be repeated." },
	{ .name = "pid", .letter = 'p', .words = &wishes.only, .value = "PID",
	  .help = "Record events only of this process: of all threads that it\n"
		  "has now; or of one thread, by its number. Adds to those of\n"
		  "the instance, and is for all its events. May be repeated." },
	{ .name = "not-pid", .words = &wishes.except, .value = "PID",
	  .help = "Record no events of this process, or thread. May be\n"
		  "repeated." },
	{ .name = "follow", .letter = 'f', .flag = &wishes.follows,
	  .help = "The same for threads and children that those processes\n"
		  "start from now on, and take out those that end (option\n"
		  "event-fork of the instance, for all its processes)." },
	{ .name = "at-boot", .flag = &is_at_boot,
	  .help = "Write a unit of systemd that registers and switches on\n"
		  "these events at boot, before services start, instead of\n"
		  "doing so now. Replaces that of an earlier --at-boot." },
	{ .name = "output", .letter = 'o', .text = &output, .value = "FILE", .is_path = 1,
	  .help = "Write that unit to FILE, \"-\" for standard output (default\n"
		  BOOT_UNIT ")." },
	{ .name = "print-arguments", .flag = &prints_arguments,
	  .help = "Print instead the arguments of the kernel that switch these\n"
		  "events on before the first program runs; not for user\n"
		  "events, which do not exist by then." },
	{ .name = "list", .letter = 'l', .flag = &lists,
	  .help = "Print the states of the events instead." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of a table." },
	TRACEFS_OPTION(tracefs),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "enable",
	.arguments = "[GLOB...]",
	.help = "Switches events on: the kernel then records them in the buffer of the instance.\n"
		"A GLOB names events as set_event does: EVENT, SYSTEM:EVENT, SYSTEM: or SYSTEM;\n"
		"\"!\" before it switches off. EVENT means user events, or else those of any\n"
		"system. Prints the events with their states. If one word names nothing, or\n"
		"anything else fails, nothing is changed.\n\n"
		"With --list, or without anything to do, prints the states of events:\n"
		"  0   off                                 X  of a system: some are on\n"
		"  1   on                                  ?  of a system: nothing to switch\n"
		"  0*  off, but a trigger needs it         1* on, and a trigger needs it\n"
		"and the processes for which they are recorded. Without a GLOB that is all user\n"
		"events, and of other systems those that are not off.\n\n"
		"Undo it with \"userevents disable\", which also takes out processes.\n",
	.options = options,
};

static int list(const struct instance *instance, const struct words *globs)
{
	AUTO(switches_free) struct switches switches = { 0 };

	if (switches_look(&switches, instance, globs))
		return EXIT_FAILED;
	switches_print(&switches, is_json);
	return pid_lists_show(instance, is_json) ? EXIT_FAILED : 0;
}

static int has_pids(void)
{
	return wishes.only.count || wishes.except.count || wishes.follows || has_clear_pids;
}

static int print_result(const struct instance *instance, const struct switches *switches)
{
	switches_print(switches, is_json);
	return has_pids() && pid_lists_show(instance, is_json) ? EXIT_FAILED : 0;
}

/* Pids first, so that no event of others is recorded meanwhile. */
static int set(const struct instance *instance, struct kept_events *kept,
	       struct switches *switches, const struct pid_lists *before)
{
	if (kept_events_register(kept, instance->tracefs))
		return -1;
	if (pid_lists_add(before, instance, &wishes)) {
		kept_events_take_back(kept);
		return -1;
	}
	if (switches_set(switches, instance)) {
		pid_lists_set_back(before, instance);
		kept_events_take_back(kept);
		return -1;
	}
	kept_events_close(kept);
	return 0;
}

static int enable(const struct instance *instance, const struct words *globs,
		  struct kept_events *kept)
{
	AUTO(switches_free) struct switches switches = { 0 };
	AUTO(pid_lists_free) struct pid_lists before = { 0 };
	int status = EXIT_FAILED;

	switches_add_new(&switches, &kept->names);
	if (!switches_add(&switches, instance, globs, 1, &kept->names) &&
	    !pid_lists_read(&before, instance)) {
		status = pid_lists_check(&before, &wishes);
		if (!status)
			status = set(instance, kept, &switches, &before) ? EXIT_FAILED : 0;
	}
	if (!status) {
		status = print_result(instance, &switches);
		kept_events_report(kept);
	}
	return status;
}

static int has_wanted(const struct switches *switches)
{
	for (size_t i = 0; i < switches->count; i++)
		if (switches->items[i].is_wanted)
			return 1;
	message("cannot enable at boot: no event is left to be switched on");
	return 0;
}

/* Events are enabled at the next boot; nothing is changed now. */
static int prepare_boot(const struct words *globs, struct kept_events *kept)
{
	struct switches switches = { 0 };
	struct instance instance;
	int result;

	boot.tracefs = tracefs ? realpath(tracefs, NULL) : NULL;
	boot.instance = instance_name;
	boot.output = output ? output : BOOT_UNIT;
	if (boot_check(&boot, "enable"))
		return EXIT_WRONG_USAGE;
	/* events of all instances are the same, and this one may not exist yet */
	if (instance_open(&instance, tracefs, NULL))
		return EXIT_FAILED;
	switches_add_new(&switches, &kept->names);
	result = switches_add(&switches, &instance, globs, 1, &kept->names);
	switches_sort(&switches);
	if (!result && !has_wanted(&switches))
		result = -1;
	if (!result)
		result = is_at_boot ? boot_write_unit(&boot, &instance, kept, &switches) :
				      boot_print_arguments(&boot, &instance, &switches);
	switches_free(&switches);
	instance_close(&instance);
	return result ? EXIT_FAILED : 0;
}

static int check_boot(int argc)
{
	if (is_at_boot && prints_arguments)
		return options_complain(&usage, "--at-boot and --print-arguments exclude each "
					"other; --at-boot reports the arguments, too");
	if (output && !is_at_boot)
		return options_complain(&usage, "--output is for --at-boot");
	if (!is_at_boot && !prints_arguments)
		return 0;
	if (lists || is_json || has_pids())
		return options_complain(&usage, "for the next boot, only events can be given: "
					"processes have other numbers then");
	if (!argc && !definitions.count)
		return options_complain(&usage, "no event is given");
	return 0;
}

static int has_task(int argc)
{
	return argc || definitions.count || has_pids();
}

static int command_enable(int argc, char **argv)
{
	const struct words globs = { (const char **)argv, (size_t)argc };
	struct instance instance;
	struct kept_events kept;
	int status = check_boot(argc);

	if (status)
		return status;
	if (lists && has_task(0))
		return options_complain(&usage, "--list changes nothing, so it excludes "
					"--register, --pid, --not-pid and --follow");
	status = kept_events_check(&kept, &definitions);
	if (!status)
		status = pid_wishes_check(&wishes, "enable", 1);
	if (status)
		return status;
	if (is_at_boot || prints_arguments)
		return prepare_boot(&globs, &kept);
	if (instance_open(&instance, tracefs, instance_name))
		return EXIT_FAILED;
	status = lists || !has_task(argc) ? list(&instance, &globs) :
					    enable(&instance, &globs, &kept);
	instance_close(&instance);
	return status;
}

const struct command enable_command = { &usage, command_enable };

/* disable */

static const struct tool_option disable_options[] = {
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

static const struct usage disable_usage = {
	.command = "disable",
	.arguments = "[GLOB...]",
	.help = "Switches events off, as \"userevents enable\" switches them on; see its --help for\n"
		"GLOB and the states that this prints. Triggers of the events go on, and so do\n"
		"recorders of their own, such as perf and \"userevents record\". If one word names\n"
		"nothing, or anything else fails, nothing is changed.\n\n"
		"The kernel can only clear a list of processes and write it anew, so between the\n"
		"two there is a moment in which it is empty.\n",
	.options = disable_options,
};

struct pids {
	struct pid_lists before, after;
};

/* Check all before the first is changed. */
static int prepare_off(const struct instance *instance, const struct words *globs,
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
static int set_off(const struct instance *instance, struct switches *switches,
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

	if (!prepare_off(instance, globs, &switches, &pids) &&
	    !set_off(instance, &switches, &pids))
		status = print_result(instance, &switches);
	pid_lists_free(&pids.before);
	pid_lists_free(&pids.after);
	return status;
}

static int remove_unit(int argc)
{
	boot.output = output ? output : BOOT_UNIT;
	if (argc || has_pids() || is_json || instance_name || tracefs)
		return options_complain(&disable_usage,
					"--at-boot removes the whole unit, so it takes "
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
		return options_complain(&disable_usage, "--output is for --at-boot");
	if (!argc && !has_pids())
		return options_complain(&disable_usage, "no event is given");
	if (has_clear_pids && (wishes.only.count || wishes.except.count))
		return options_complain(&disable_usage,
					"--clear-pids and --pid or --not-pid exclude "
					"each other");
	status = pid_wishes_check(&wishes, "disable", 0);
	if (status)
		return status;
	if (instance_open(&instance, tracefs, instance_name))
		return EXIT_FAILED;
	status = disable(&instance, &globs);
	instance_close(&instance);
	return status;
}

const struct command disable_command = { &disable_usage, command_disable };
