/* SPDX-License-Identifier: MIT */
/* Prints for which threads events are recorded. */
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"

/*
 * The name of a thread, to be freed, without control characters; NULL: it does not exist.
 */
static char *thread_name(int pid)
{
	char *path = xprintf("/proc/%d/comm", pid), *text = read_file(path, NULL);

	free(path);
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		controls_blank(text, strlen(text));
	}
	return text;
}

static void print_list(const char *title, const struct pid_list *list)
{
	if (!list->count)
		return;
	fputs(title, stdout);
	for (size_t i = 0; i < list->count; i++) {
		AUTO_FREE char *name = thread_name(list->pids[i]);

		if (name)
			printf("%s %d (%s)", i ? "," : "", list->pids[i], name);
		else
			printf("%s %d (has ended)", i ? "," : "", list->pids[i]);
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
	AUTO_FREE char *path = instance_path(instance, "tracing_on"),
		       *text = read_file(path, NULL);

	return !text || *text != '0';
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
		puts("If set_event_pid had threads and all have ended, events of none "
		     "are\nrecorded, until \"userevents disable --clear-pids\".");
	if (!is_tracing(instance))
		puts("Nothing is recorded, as tracing_on is 0.");
}

int pid_lists_show(const struct instance *instance, int is_json)
{
	AUTO(pid_lists_free) struct pid_lists lists = { 0 };

	if (pid_lists_read(&lists, instance))
		return -1;
	if (is_json)
		print_json(instance, &lists);
	else
		print_text(instance, &lists);
	return 0;
}
