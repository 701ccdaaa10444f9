/* SPDX-License-Identifier: MIT */
#include "recorded_processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/inherited_signals.h"
#include "cli/memory.h"
#include "cli/message.h"

static void add(pid_t **list, size_t *count, pid_t pid)
{
	*list = xgrow(*list, *count, sizeof(pid));
	(*list)[(*count)++] = pid;
}

/* All threads of a process that there are now; their children are inherited. */
static int add_threads(struct target *target, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory) {
		message("There is no process %d.", (int)pid);
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
			message("\"%s\" is no number of a process.", pids->items[i]);
			return EXIT_WRONG_USAGE;
		}
		if (add_threads(target, (pid_t)pid))
			return EXIT_FAILED;
		add(&target->processes, &target->process_count, (pid_t)pid);
	}
	return 0;
}

/* The child: waits for a byte, and does nothing if its parent ended without one. */
static void run(char **command, int go, int failure)
{
	ssize_t got;
	char byte;

	do
		got = read(go, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(126);
	signals_restore();
	execvp(command[0], command);
	byte = (char)errno;
	if (write(failure, &byte, 1) < 0)
		_exit(126);
	_exit(127);
}

int target_start(struct target *target, char **command)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC)) {
		message("A pipe cannot be made: %s.", strerror(errno));
		return -1;
	}
	target->command = fork();
	if (target->command < 0) {
		target->command = 0;
		message("No process can be started: %s.", strerror(errno));
		return -1;
	}
	if (!target->command) {
		close(go[1]);
		run(command, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	target->go = go[1];
	target->failure = failure[0];
	add(&target->threads, &target->thread_count, target->command);
	return 0;
}

int target_go(struct target *target)
{
	unsigned char error;
	ssize_t got;

	if (!target->command)
		return 0;
	got = write(target->go, "", 1); /* into an empty pipe; or the child is gone */
	close(target->go);
	target->go = 0;
	do
		got = read(target->failure, &error, 1);
	while (got < 0 && errno == EINTR);
	close(target->failure);
	target->failure = 0;
	if (got <= 0)
		return 0;
	message("The command cannot be run: %s.", strerror(error));
	return -1;
}

int target_is_over(struct target *target)
{
	if (target->command) {
		if (!target->has_ended)
			target->has_ended = waitpid(target->command, &target->status,
						    WNOHANG) == target->command;
		return target->has_ended;
	}
	for (size_t i = 0; i < target->process_count; i++)
		if (!kill(target->processes[i], 0) || errno != ESRCH)
			return 0;
	return target->process_count > 0;
}

void target_close(struct target *target)
{
	if (target->go) {
		kill(target->command, SIGKILL); /* it waits for us alone */
		waitpid(target->command, NULL, 0);
		close(target->go);
		close(target->failure);
	}
	free(target->threads);
	free(target->processes);
}
