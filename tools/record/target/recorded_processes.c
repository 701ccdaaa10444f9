/* SPDX-License-Identifier: MIT */
/* Finds threads of processes, and starts the command. */
#include "recorded_processes.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/memory.h"
#include "cli/message.h"

static void add(pid_t **list, size_t *count, pid_t pid)
{
	*list = xgrow(*list, *count, sizeof(pid));
	(*list)[(*count)++] = pid;
}

/* Add all threads of a process; perf adds threads and processes that they start. */
static int add_threads(struct target *target, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory) {
		message("cannot record process %d: there is no such process", (int)pid);
		return -1;
	}
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			add(&target->threads, &target->thread_count,
			    (pid_t)atoi(entry->d_name));
	closedir(directory);
	return 0;
}

int target_add_processes(struct target *target, const struct words *pids)
{
	for (size_t i = 0; i < pids->count; i++) {
		uint64_t pid;

		if (parse_number(pids->items[i], &pid) || !pid || pid > INT32_MAX) {
			message("cannot record process \"%s\": that is not the number of a process",
				pids->items[i]);
			return EXIT_WRONG_USAGE;
		}
		if (add_threads(target, (pid_t)pid))
			return EXIT_FAILED;
		add(&target->processes, &target->process_count, (pid_t)pid);
	}
	return 0;
}

int target_start(struct target *target, char **command)
{
	if (program_start(&target->command, command, NULL, NULL))
		return -1;
	target->name = command[0];
	add(&target->threads, &target->thread_count, target->command.pid);
	return 0;
}

int target_go(struct target *target)
{
	int error = target->command.pid ? program_go(&target->command) : 0;

	if (!error)
		return 0;
	target->command.pid = 0;
	program_complain(target->name, error);
	return -1;
}

int target_is_over(struct target *target)
{
	if (target->command.pid) {
		if (!target->has_ended)
			target->has_ended = waitpid(target->command.pid, &target->status,
						    WNOHANG) == target->command.pid;
		return target->has_ended;
	}
	for (size_t i = 0; i < target->process_count; i++)
		if (!kill(target->processes[i], 0) || errno != ESRCH)
			return 0;
	return target->process_count > 0;
}

void target_close(struct target *target)
{
	program_drop(&target->command);
	free(target->threads);
	free(target->processes);
}
