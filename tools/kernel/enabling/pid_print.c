/* SPDX-License-Identifier: MIT */
/* Prints for which threads events are recorded. */
#include "pid_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/safe_text.h"
#include "threads.h"

static void print_list(const char *title, const struct pid_list *list)
{
	if (!list->count)
		return;
	fputs(title, stdout);
	for (size_t i = 0; i < list->count; i++) {
		char *name = thread_name(list->pids[i]);

		if (name)
			printf("%s %d (%s)", i ? "," : "", list->pids[i], name);
		else
			printf("%s %d (has ended)", i ? "," : "", list->pids[i]);
		free(name);
	}
	putchar('\n');
}

static void print_json_list(const char *key, const struct pid_list *list)
{
	printf("\"%s\":[", key);
	for (size_t i = 0; i < list->count; i++)
		printf("%s%d", i ? "," : "", list->pids[i]);
	putchar(']');
}

static int is_tracing(const struct instance *instance)
{
	char *path = instance_path(instance, "tracing_on"), *text = read_file(path, NULL);
	int result = !text || *text != '0';

	free(path);
	free(text);
	return result;
}

static void print_json(const struct instance *instance, const struct pid_lists *lists)
{
	putchar('{');
	if (instance->name) {
		json_member("instance", instance->name, strlen(instance->name), 1);
		putchar(',');
	}
	print_json_list("pids", &lists->only);
	putchar(',');
	print_json_list("notPids", &lists->except);
	printf(",\"follow\":%s,\"tracing\":%s}\n", lists->follows ? "true" : "false",
	       is_tracing(instance) ? "true" : "false");
}

static void print_text(const struct instance *instance, const struct pid_lists *lists)
{
	print_list("Recorded only for these threads:", &lists->only);
	print_list("Not recorded for these threads:", &lists->except);
	if (!lists->only.count && !lists->except.count)
		puts("Recorded for all processes.");
	if (lists->follows)
		puts("Threads and children that these start are added (--follow).");
	/* the kernel shows both alike, but records nothing for a list that ran empty */
	if (lists->follows && !lists->only.count)
		puts("If set_event_pid had threads and all have ended, events of none are\n"
		     "recorded, until \"userevents disable --clear-pids\".");
	if (!is_tracing(instance))
		puts("Nothing is recorded, as tracing_on is 0.");
}

void pid_lists_print(const struct instance *instance, const struct pid_lists *lists,
		     int is_json)
{
	if (is_json)
		print_json(instance, lists);
	else
		print_text(instance, lists);
}
