/* SPDX-License-Identifier: MIT */
/*
 * userevents filter: sets, prints and removes filters that the kernel evaluates.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "kernel/filter/kfilter.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *directory, *instance_name;
static int is_json, clears;

static const struct tool_option options[] = {
	INSTANCE_OPTION(instance_name),
	{ .name = "clear", .letter = 'c', .flag = &clears,
	  .help = "Remove the filters of the events." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "Print JSON lines instead of a table." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "filter",
	.arguments = "[EVENT|SYSTEM [EXPR]]",
	.help =
		"Sets a filter: the kernel drops events that do not match EXPR before they reach\n"
		"a buffer of the tracing instance. Readers of other buffers, such as \"record\",\n"
		"still get them. Without EXPR it prints the filters of the events, without EVENT\n"
		"all that are set. EVENT is NAME or SYSTEM:NAME, also with * and ?.\n\n"
		"  userevents filter req_done 'status >= 500 && path ~ \"/api/*\"'\n\n"
		"EXPR joins comparisons with && || ! and ( ). A comparison is one of\n"
		"  FIELD == != < <= > >= & NUMBER  12, -1, 0x1f; & if they share a bit\n"
		"  FIELD == != ~ \"TEXT\"            in \" or '; ~ is a glob with * ? [a-z]\n"
		"  FIELD == != & CPUS{0-3,8}       a processor; & if it is one of them\n"
		"  FIELD.function == != NAME       an address in this function of the kernel;\n"
		"                                  a blank ends NAME\n"
		"  FIELD.ustring == != ~ \"TEXT\"    text of the program that FIELD points to\n"
		"FIELD is one of the event, or common_pid (of the thread), comm, CPU. CPUS{} and\n"
		".function need Linux 6.6, text of user events Linux 6.4.\n\n"
		"EXPR is checked against the fields before anything is written. If the kernel\n"
		"would refuse it, the filter that is set stays in force. A condition that always\n"
		"or never holds is set, after a warning. Of several events, those that can have\n"
		"the filter get it; others are left alone, and named. After a failure, or a\n"
		"signal, all have the filters that they had. EXPR 0 is --clear, as it is for the\n"
		"kernel.\n\n"
		"The exit status is 1 if no event is found, or if the filter was not set.\n",
	.options = options,
};

/* Printing */

static int name_width;

static void print_text(const struct listed_event *event, const char *filter)
{
	AUTO_FREE char *name = xprintf("%s:%s", event->system, event->name);

	controls_blank(name, strlen(name));
	printf("%-*s  ", name_width, name);
	controls_print(filter ? filter : "none", strlen(filter ? filter : "none"));
	putchar('\n');
}

static void print_json(const struct listed_event *event, const char *filter)
{
	putchar('{');
	json_member("event", event->name, strlen(event->name), 1);
	json_member("system", event->system, strlen(event->system), 0);
	if (filter)
		json_member("filter", filter, strlen(filter), 0);
	else
		printf(",\"filter\":null");
	printf("}\n");
}

/* The filters in force: 0, or -1 after a message. */
static int read_filters(const struct instance *instance, const struct event_list *list,
			char **filters)
{
	for (size_t i = 0; i < list->count; i++) {
		filters[i] = kfilter_get(instance, &list->events[i]);
		if (filters[i] || !errno)
			continue;
		message("cannot read the filter of %s: %s", list->events[i].name, strerror(errno));
		return -1;
	}
	return 0;
}

/* Events that have no filter are printed only if they are asked for. */
static void print_all(const struct event_list *list, char **filters, int with_none)
{
	name_width = (int)strlen("EVENT");
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_event *event = &list->events[i];
		const int width = (int)(strlen(event->system) + 1 + strlen(event->name));

		if ((filters[i] || with_none) && width > name_width)
			name_width = width;
	}
	if (!is_json)
		printf("%-*s  FILTER\n", name_width, "EVENT");
	for (size_t i = 0; i < list->count; i++)
		if (filters[i] || with_none)
			(is_json ? print_json : print_text)(&list->events[i], filters[i]);
}

static int print_filters(const struct instance *instance, const struct event_list *list,
			 int with_none)
{
	AUTO_FREE char **filters =
		xcalloc(list->count ? list->count : 1, sizeof(*filters));
	int result = read_filters(instance, list, filters);

	if (!result)
		print_all(list, filters, with_none);
	for (size_t i = 0; i < list->count; i++)
		free(filters[i]);
	return result;
}

/* All of it */

static int is_zero(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '0' && !text[1 + strspn(text + 1, " \t\r\n")];
}

static int obey(const struct instance *instance, char **argv, int argc)
{
	const char *word = argc ? argv[0] : "*:*";
	const struct words words = { &word, 1 };
	struct event_list list = { 0 };
	int result = instance_find_events(instance, &words, &list);

	if (result)
		return result;
	if (argc == 2 && !is_zero(argv[1]))
		result = kfilter_set(instance, &list, argv[1], argv[0]);
	else if (clears || argc == 2)
		result = kfilter_clear(instance, &list);
	else
		result = print_filters(instance, &list, argc);
	event_list_free(&list);
	return result;
}

static int check(int argc)
{
	if (argc > 2)
		return options_complain(&usage, "more than an event and an expression is given; "
						"put the expression into quotes");
	if (clears && argc != 1)
		return options_complain(&usage, argc ? "--clear and an expression exclude each "
						       "other" : "no event is given");
	if (is_json && (clears || argc == 2))
		return options_complain(&usage, "--json prints filters, and sets none");
	return 0;
}

static int command_filter(int argc, char **argv)
{
	struct instance instance;
	int status = check(argc);

	if (status)
		return status;
	if (instance_open(&instance, directory, instance_name))
		return EXIT_FAILED;
	if ((clears || argc == 2) && control_lock(instance.tracefs))
		status = EXIT_FAILED;
	else
		status = obey(&instance, argv, argc) ? EXIT_FAILED : EXIT_ALL_WORKED;
	instance_close(&instance);
	return status;
}

const struct command filter_command = { &usage, command_filter };
