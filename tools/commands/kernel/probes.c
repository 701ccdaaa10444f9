/* SPDX-License-Identifier: MIT */
/*
 * userevents probe: makes events of functions of the kernel and of programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "kernel/control/instance.h"
#include "kernel/probe/probe.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_commands.h"

static const char *directory;
static int is_json, all;

static const struct tool_option options[] = {
	{ .name = "all",
	  .letter = 'a',
	  .flag = &all,
	  .help = "With list: also probes of others. With delete: all probes of\n"
		  "this command, instead of names." },
	{ .name = "json",
	  .letter = 'j',
	  .flag = &is_json,
	  .help = "With list: JSON lines instead of a table." },
	TRACEFS_OPTION(directory),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "probe",
	.arguments = "add DEFINITION... | list | delete NAME...",
	.help = "Adds probes, whose events \"record\", \"watch\" and the others take beside user\n"
		"events: -e '" PROBE_GROUP
		":*' -e 'user_events:*'. The names of the events are\n"
		"printed; they stay until they are deleted. A DEFINITION is one argument:\n\n"
		"  p[:NAME] [MODULE:]FUNCTION[+OFFSET] [ARGUMENT...]   in the kernel\n"
		"  r[MAXACTIVE][:NAME] [MODULE:]FUNCTION [ARGUMENT...] at its return\n"
		"  p|r[:NAME] PATH:FUNCTION[+OFFSET] [ARGUMENT...]     in a program or library\n"
		"  p|r[:NAME] PATH:OFFSET[(COUNTER)] [ARGUMENT...]     by its place in the file\n"
		"  e[:NAME] SYSTEM/EVENT [ARGUMENT...] [if FILTER]     of another event\n\n"
		"%return behind a place also means its return, and an address such as\n"
		"0xffffffff81234560 may stand in place of a function of the kernel. The OFFSET\n"
		"must be that of an instruction: nothing checks that in a program, and a wrong\n"
		"one crashes it. MAXACTIVE is how many calls are followed at the same time.\n"
		"COUNTER is the place of a semaphore (SDT) that the program looks at.\n\n"
		"An ARGUMENT is [NAME=]WHAT[:TYPE]. WHAT is one of:\n\n"
		"  $argN           argument N of a function of the kernel, at its entry\n"
		"  $retval         what a function returns\n"
		"  %di             a register; at a function's entry on x86-64 its arguments are\n"
		"                  in %di %si %dx %cx %r8 %r9\n"
		"  $stackN $stack  an entry of the stack; its address\n"
		"  $comm           the name of the thread\n"
		"  @ADDRESS @SYMBOL[+|-OFFSET]  memory of the kernel; @+OFFSET: of a file\n"
		"  +|-[u]OFFSET(WHAT)  memory at WHAT and an offset; in probes of the kernel,\n"
		"                  with u, memory of the program\n"
		"  \\NUMBER \\\"TEXT\"  a constant\n"
		"  $FIELD          with e: a field of the event\n\n"
		"A TYPE is u8 to u64, s8 to s64, x8 to x64 (shown in hex), char, string, ustring\n"
		"(of a program), symbol, symstr (an address and its name), b<BITS>@<FROM>/<SIZE>\n"
		"for bits; [N] behind it makes an array, of up to 64 in Linux 6.12. The default\n"
		"is x64. The kernel parses this, and a newer one may take more.\n"
		"Examples:\n\n"
		"  userevents probe add 'p:opened do_sys_openat2 path=+0($arg2):ustring'\n"
		"  userevents probe add 'r:read_done ksys_read bytes=$retval:s64'\n"
		"  userevents probe add 'p:line /bin/bash:readline text=+0(%di):string'\n\n"
		"list prints probes, whether tracefs has them enabled, and how often they were\n"
		"hit and missed. That perf records one does not show there. Events of \"e\"\n"
		"reach tracefs alone, not perf, and so not \"record\" and \"watch\".\n\n"
		"The exit status is 1 if a probe is refused; then none of the given is added.\n",
	.options = options,
};

static int add(const struct words *definitions)
{
	struct words names = { 0 };

	for (size_t i = 0; i < definitions->count; i++) {
		const char *definition = definitions->items[i];

		if (!definition[strcspn(definition, " \t")])
			return options_complain(
				&usage,
				"\"%s\" has no place: a definition is one "
				"argument, so quote it: 'p:NAME FUNCTION ...'",
				definition);
	}
	if (probes_add(directory, PROBE_GROUP, definitions, &names))
		return EXIT_FAILED;
	for (size_t i = 0; i < names.count; i++)
		printf(PROBE_GROUP ":%s\n", names.items[i]);
	return EXIT_ALL_WORKED;
}

/* Listing */

static int is_listed(const struct existing_probe *probe)
{
	return all || !strcmp(probe->group, PROBE_GROUP);
}

static const char *name_of(const char *instance)
{
	return *instance ? instance : "top";
}

static void print_instances_json(const struct existing_probe *probe)
{
	fputs(",\"enabled_in\":[", stdout);
	for (size_t i = 0; i < probe->instances.count; i++) {
		const char *name = probe->instances.items[i];

		fputs(i ? ",{" : "{", stdout);
		if (*name)
			json_member("instance", name, strlen(name), 1);
		else
			fputs("\"instance\":null", stdout);
		putchar('}');
	}
	putchar(']');
}

static void print_count_json(const char *key, int is_known, uint64_t count)
{
	if (is_known)
		printf(",\"%s\":%llu", key, (unsigned long long)count);
	else
		printf(",\"%s\":null", key);
}

static void print_json(const struct existing_probe *probe)
{
	putchar('{');
	json_member("event", probe->name, strlen(probe->name), 1);
	json_member("system", probe->group, strlen(probe->group), 0);
	print_instances_json(probe);
	print_count_json("hits", probe->has_hits, probe->hits);
	print_count_json("misses", probe->has_misses, probe->misses);
	json_member("definition", probe->definition, strlen(probe->definition), 0);
	fputs("}\n", stdout);
}

static char *count_text(int is_known, uint64_t count)
{
	return is_known ? xprintf("%llu", (unsigned long long)count) : xstrdup("-");
}

static char *instances_text(const struct existing_probe *probe)
{
	char *text = xstrdup(probe->instances.count ? "" : "-");

	for (size_t i = 0; i < probe->instances.count; i++)
		xappend(&text, "%s%s", i ? "," : "", name_of(probe->instances.items[i]));
	return text;
}

static void print_row(const struct existing_probe *probe)
{
	AUTO_FREE char *hits = count_text(probe->has_hits, probe->hits);
	AUTO_FREE char *misses = count_text(probe->has_misses, probe->misses);
	AUTO_FREE char *instances = instances_text(probe);
	char *row =
		xprintf("%-10s %10s %8s  %s", instances, hits, misses, probe->definition);

	controls_print(row, strlen(row));
	putchar('\n');
	free(row);
}

static int list(void)
{
	struct existing_probes probes;
	size_t printed = 0;

	if (existing_probes_read(&probes, directory))
		return EXIT_FAILED;
	for (size_t i = 0; i < probes.count; i++) {
		if (!is_listed(&probes.probes[i]))
			continue;
		existing_probe_look(&probes.probes[i], directory);
		if (!is_json && !printed)
			printf("%-10s %10s %8s  %s\n", "ENABLED IN", "HITS", "MISSES",
			       "DEFINITION");
		if (is_json)
			print_json(&probes.probes[i]);
		else
			print_row(&probes.probes[i]);
		printed++;
	}
	existing_probes_free(&probes);
	return EXIT_ALL_WORKED;
}

/* Deleting */

static int delete_one(const char *name)
{
	if (probe_remove(directory, PROBE_GROUP, name))
		return EXIT_FAILED;
	printf(PROBE_GROUP ":%s\n", name);
	return EXIT_ALL_WORKED;
}

static int complain_of_name(const struct existing_probes *probes, const char *name)
{
	struct words names = { 0 };
	const char *near;

	for (size_t i = 0; i < probes->count; i++)
		if (!strcmp(probes->probes[i].group, PROBE_GROUP))
			words_add(&names, probes->probes[i].name);
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	free(names.items);
	if (near)
		message("cannot delete \"%s\": this command made no such probe; did you mean "
			"\"%s\"?",
			name, near);
	else
		message("cannot delete \"%s\": this command made no such probe; "
			"\"userevents probe list\" prints them",
			name);
	return EXIT_FAILED;
}

/* SYSTEM:NAME is accepted as it is printed. */
static const char *without_group(const char *name)
{
	const size_t length = strlen(PROBE_GROUP);

	return !strncmp(name, PROBE_GROUP, length) &&
			       (name[length] == ':' || name[length] == '/') ?
		       name + length + 1 :
		       name;
}

static int delete (const struct words *names)
{
	struct existing_probes probes;
	int status = 0;

	if (existing_probes_read(&probes, directory))
		return EXIT_FAILED;
	for (size_t i = 0; i < names->count; i++) {
		const char *name = without_group(names->items[i]);

		status |= existing_probe_find(&probes, PROBE_GROUP, name) ?
				  delete_one(name) :
				  complain_of_name(&probes, names->items[i]);
	}
	for (size_t i = 0; all && i < probes.count; i++)
		if (!strcmp(probes.probes[i].group, PROBE_GROUP))
			status |= delete_one(probes.probes[i].name);
	existing_probes_free(&probes);
	return status;
}

static int check(const char *verb, const struct words *rest)
{
	const int is_add = !strcmp(verb, "add"), is_list = !strcmp(verb, "list");

	if (!is_add && !is_list && strcmp(verb, "delete") != 0)
		return options_complain(&usage, "\"%s\" is not add, list or delete",
					verb);
	if (is_add && !rest->count)
		return options_complain(&usage, "no definition is given");
	if (is_list && rest->count)
		return options_complain(&usage, "list takes no names");
	if (is_add && all)
		return options_complain(&usage, "--all is for list and delete");
	if (is_json && !is_list)
		return options_complain(&usage, "--json is for list");
	if (!is_add && !is_list && all == (rest->count > 0))
		return options_complain(&usage,
					all ? "--all and names exclude each other" :
					      "no probe is given");
	return 0;
}

static int command_probe(int argc, char **argv)
{
	int status;
	struct words rest;

	if (!argc)
		return options_complain(&usage, "add, list or delete is missing");
	rest = (struct words){ (const char **)argv + 1, (size_t)argc - 1 };
	status = check(argv[0], &rest);
	if (status)
		return status;
	directory = tracing_find(directory);
	if (!directory || (strcmp(argv[0], "list") && control_lock(directory)))
		return EXIT_FAILED;
	if (!strcmp(argv[0], "add"))
		return add(&rest);
	return strcmp(argv[0], "list") ? delete (&rest) : list();
}

const struct command probe_command = { &usage, command_probe };
