/* SPDX-License-Identifier: MIT */
/* Finds threads of processes, and starts the command. */
#include "recorded_processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

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
			message("cannot record process \"%s\": that is not the number of "
				"a process",
				pids->items[i]);
			return EXIT_WRONG_USAGE;
		}
		if (add_threads(target, (pid_t)pid))
			return EXIT_FAILED;
		add(&target->processes, &target->process_count, (pid_t)pid);
	}
	return 0;
}

/* Losses in the command */

/* Shell scripts use the low numbers for files of their own. */
#define LOWEST_FD 100

/*
 * Without it, they are not known. The command has the descriptor, and must not make the
 * file shorter than what is mapped here.
 */
static void make_loss_page(struct target *target)
{
	struct ue_loss_page *page = MAP_FAILED;
	int fd = memfd_create("userevents-losses", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return;
	if (!ftruncate(fd, UE_LOSS_PAGE_SIZE) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		page = mmap(NULL, UE_LOSS_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	if (page == MAP_FAILED) {
		close(fd);
		return;
	}
	page->mark = UE_LOSS_PAGE_MARK;
	page->reasons = UE_LOSS_REASONS;
	target->losses = page;
	target->losses_fd = fd;
}

/* In the child. */
static void give_loss_page(void *context)
{
	const struct target *target = context;
	char number[16];
	int fd;

	if (!target->losses)
		return;
	fd = fcntl(target->losses_fd, F_DUPFD, LOWEST_FD);
	if (fd < 0) /* RLIMIT_NOFILE may be less */
		fd = fcntl(target->losses_fd, F_DUPFD, STDERR_FILENO + 1);
	snprintf(number, sizeof(number), "%d", fd);
	if (fd >= 0)
		setenv(UE_ENVIRONMENT_LOSSES, number, 1);
}

int target_start(struct target *target, char **command)
{
	make_loss_page(target);
	if (program_start(&target->command, command, give_loss_page, target))
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
	if (target->losses)
		munmap(target->losses, UE_LOSS_PAGE_SIZE);
	if (target->losses)
		close(target->losses_fd);
	target->losses = NULL;
	free(target->threads);
	free(target->processes);
}
