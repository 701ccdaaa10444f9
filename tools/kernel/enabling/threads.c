/* SPDX-License-Identifier: MIT */
/* Finds the threads of a process in /proc. */
#include "pid_lists.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* The most that the kernel gives to a process: PID_MAX_LIMIT. */
#define PID_MAX (4 << 20)
/* PROC_PID_INIT_INO of the kernel. */
#define FIRST_NAMESPACE 0xeffffffcu

int pid_of_word(const char *word)
{
	size_t digits = strspn(word, "0123456789");
	long pid = digits && digits < 9 ? strtol(word, NULL, 10) : 0;

	return word[digits] || pid > PID_MAX ? 0 : (int)pid;
}

int pid_is_in(const struct pid_list *list, int pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->pids[i] == pid)
			return 1;
	return 0;
}

void pid_add(struct pid_list *list, int pid)
{
	if (pid_is_in(list, pid))
		return;
	list->pids = xgrow(list->pids, list->count, sizeof(*list->pids));
	list->pids[list->count++] = pid;
}

/* The process of a thread; 0: there is none. */
static int process_of(int pid)
{
	char *path = xprintf("/proc/%d/status", pid), *text = read_file(path, NULL);
	const char *line = text ? strstr(text, "\nTgid:") : NULL;
	int process = line ? atoi(line + strlen("\nTgid:")) : 0;

	free(path);
	free(text);
	return process;
}

static size_t add_all(struct pid_list *list, int pid)
{
	char *path = xprintf("/proc/%d/task", pid);
	DIR *directory = opendir(path);
	struct dirent *entry;
	size_t count = 0;

	free(path);
	while (directory && (entry = readdir(directory))) {
		int thread = pid_of_word(entry->d_name);

		if (!thread)
			continue;
		pid_add(list, thread);
		count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

size_t threads_add(struct pid_list *list, int pid)
{
	int process = process_of(pid);

	if (process == pid)
		return add_all(list, pid);
	if (process)
		pid_add(list, pid);
	return process != 0;
}

int pids_are_real(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) || stat_of.st_ino == FIRST_NAMESPACE;
}

char *thread_name(int pid)
{
	char *path = xprintf("/proc/%d/comm", pid), *text = read_file(path, NULL);

	free(path);
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		controls_blank(text, strlen(text));
	}
	return text;
}
