/* SPDX-License-Identifier: MIT */
/*
 * userevents trigger: adds triggers to events, lists and removes them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel/trigger/trigger.h"
#include "kernel_commands.h"

static const char *directory, *name;
static int lists, removes, is_json, wants_user_stack;

static const struct tool_option options[] = {
	INSTANCE_OPTION(name),
	{ .name = "list", .letter = 'l', .flag = &lists,
	  .help = "Print the triggers of EVENTs, or of all events, as\n"
		  "\"trigger\" without arguments does." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "With --list: JSON lines instead of a table." },
	{ .name = "remove", .letter = 'r', .flag = &removes,
	  .help = "Remove the trigger, which is written as --list prints it.\n"
		  "Its count and filter may be left out, and parts of a hist.\n"
		  "Without TRIGGER: all triggers of the event." },
	{ .name = "user-stack", .flag = &wants_user_stack,
	  .help = "With stacktrace and --instance: let the instance add the\n"
		  "program's own stack to each event that it records. The\n"
		  "program and its libraries must have frame pointers." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "trigger",
	.arguments = "EVENT TRIGGER... | --list | --remove",
	.help = "Adds a trigger to an event, and prints it as the kernel lists it: from then on\n"
		"the kernel acts each time the event happens, whether or not the event is\n"
		"enabled. EVENT is a user event, or SYSTEM:EVENT of any system; ftrace:print\n"
		"stands for writes into trace_marker. TRIGGER is one of\n\n"
		"  enable_event:SYSTEM:EVENT[:COUNT]    disable_event:SYSTEM:EVENT[:COUNT]\n"
		"  enable_hist:SYSTEM:EVENT[:COUNT]     disable_hist:SYSTEM:EVENT[:COUNT]\n"
		"  stacktrace[:COUNT]                   snapshot[:COUNT]\n"
		"  traceon[:COUNT]                      traceoff[:COUNT]\n"
		"  hist:keys=FIELD[.MODIFIER],...[:vals=FIELD,...][:sort=...][:size=N]...\n\n"
		"and \"if FILTER\" behind it. It acts COUNT times, or always. Quote what the shell\n"
		"would take for its own: userevents trigger req_start stacktrace:5 if 'id > 4'\n\n"
		"The kernel parses it; if it refuses one, the reason is printed, and if it takes\n"
		"a part for something else, a warning. An event has at most one of each kind;\n"
		"traceon and traceoff are one. There may be several that switch different\n"
		"events, or the histograms of different events, and several hist that differ.\n"
		"Triggers stay until they are removed. A hist with common_timestamp sets the\n"
		"clock of its instance and empties its trace, and so is refused in the top\n"
		"instance, unless that has the clock already.\n\n"
		"The exit status is 1 if the trigger is refused, or if there is none to remove.\n",
	.options = options,
};

/* The words from one on, as one text. */
static char *join(int count, char **words)
{
	char *text = xstrdup(count ? words[0] : "");

	for (int i = 1; i < count; i++)
		xappend(&text, " %s", words[i]);
	return text;
}

/* "!" would remove one. */
static int check_text(const struct listed_event *event, const char *text)
{
	const char *first = text + strspn(text, " \t\n");

	if (*first && *first != '!')
		return 0;
	message("cannot add a trigger to %s:%s: %s", event->system, event->name, *first ?
		"it begins with \"!\", by which the kernel removes one; use: userevents trigger "
		"--remove EVENT TRIGGER" :
		"no trigger is given; write such as \"stacktrace:5\"");
	return -1;
}

static int add(const struct instance *instance, const struct listed_event *event,
	       const char *text)
{
	struct trigger trigger;
	int result;

	if (check_text(event, text))
		return -1;
	trigger_parse(&trigger, text);
	if (wants_user_stack)
		result = user_stack_add(instance, event, &trigger);
	else
		result = trigger_add(instance, event, &trigger);
	if (!result && !wants_user_stack)
		trigger_advise(instance, event, &trigger);
	trigger_free(&trigger);
	return result;
}

/* "ftrace/print", as the kernel's documents write it */
static const char *event_word(const char *word)
{
	char *copy = xstrdup(word), *slash = strchr(copy, '/');

	if (slash && !strchr(word, ':'))
		*slash = ':';
	return copy;
}

static int change(const struct instance *instance, int argc, char **argv)
{
	AUTO_FREE char *text = join(argc - 1, argv + 1);
	struct event_list list;
	const char *word = event_word(argv[0]);
	int result = removes ? instance_find_event(instance, word, &list) :
			       instance_find_to_enable(instance, word, &list);

	if (!result) {
		if (removes)
			result = trigger_remove(instance, &list.events[0],
						argc > 1 ? text : NULL);
		else
			result = add(instance, &list.events[0], text);
		event_list_free(&list);
	}
	return result;
}

/* Events that have no triggers have no such file. */
static void add_listed(const struct instance *instance, const struct listed_event *event,
		       struct trigger_list *triggers)
{
	int error = trigger_list_event(instance, event->system, event->name, triggers);

	if (error && error != -ENOENT)
		message("cannot read the triggers of %s:%s: %s; run as root", event->system,
			event->name, strerror(-error));
}

static int list_of(const struct instance *instance, int argc, char **argv,
		   struct trigger_list *triggers)
{
	struct words words = { 0 };
	struct event_list events;

	if (!argc)
		return trigger_list_all(instance, triggers);
	for (int i = 0; i < argc; i++)
		words_add(&words, event_word(argv[i]));
	if (instance_find_events(instance, &words, &events))
		return -1;
	for (size_t i = 0; i < events.count; i++)
		add_listed(instance, &events.events[i], triggers);
	event_list_free(&events);
	return 0;
}

static int list(const struct instance *instance, int argc, char **argv)
{
	AUTO(trigger_list_free) struct trigger_list triggers = { 0 };
	int result = list_of(instance, argc, argv, &triggers);

	if (!result && is_json)
		trigger_list_print_json(&triggers);
	else if (!result)
		trigger_list_print(&triggers);
	return result;
}

static int check(int argc)
{
	/* as enable and filter do */
	if (!argc && !removes && !wants_user_stack)
		lists = 1;
	if (lists && removes)
		return options_complain(&usage, "--list and --remove exclude each other");
	if (is_json && !lists)
		return options_complain(&usage, "--json is for --list");
	if (wants_user_stack && (lists || removes || !name))
		return options_complain(&usage, "--user-stack is for adding stacktrace "
					"to an event of an --instance");
	if (!lists && !argc) /* --remove */
		return options_complain(&usage, "no event is given");
	if (!lists && !removes && argc < 2)
		return options_complain(&usage, "no trigger is given");
	return OPTIONS_GO_ON;
}

static int command_trigger(int argc, char **argv)
{
	int status;
	struct instance instance;
	int result;

	status = check(argc);
	if (status != OPTIONS_GO_ON)
		return status;
	if (instance_open(&instance, directory, name))
		return EXIT_FAILED;
	if (lists)
		result = list(&instance, argc, argv);
	else
		result = control_lock(instance.tracefs) || change(&instance, argc, argv);
	instance_close(&instance);
	return result ? EXIT_FAILED : EXIT_ALL_WORKED;
}

const struct command trigger_command = { &usage, command_trigger };
