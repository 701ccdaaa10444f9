/* SPDX-License-Identifier: MIT */
/*
 * Find processes in /proc.
 */
#include "process_losses.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/bytes.h"

#define COMM_LENGTH 15 /* the kernel cuts longer names */

/* 0 if the process has ended. */
static int read_name(struct process *process)
{
	char path[64], *name;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process->pid);
	name = read_file(path, NULL);
	if (!name)
		return 0;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)strcspn(name, "\n"),
		 name);
	free(name);
	return 1;
}

/* A name may be a glob, only look like one, or be longer than the kernel keeps. */
static int is_called(const struct process *process, const char *word)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)process->pid);
	return !strcmp(word, number) || !strcmp(word, process->name) ||
	       !fnmatch(word, process->name, 0) ||
	       (strlen(process->name) == COMM_LENGTH &&
		!strncmp(process->name, word, COMM_LENGTH));
}

/* Marks the words that name the process. */
static int is_asked_for(const struct process *process, const struct words *words,
			char *is_found)
{
	int is_any = !words->count;

	for (size_t i = 0; i < words->count; i++)
		if (is_called(process, words->items[i]))
			is_found[i] = is_any = 1;
	return is_any;
}

static int complain_of_missing(const struct words *words, const char *is_found)
{
	int result = 0;

	for (size_t i = 0; i < words->count; i++)
		if (!is_found[i]) {
			message("cannot find a process \"%s\"%s", words->items[i],
				geteuid() ? "; /proc may hide it (mount option hidepid): "
					    "try as root" : "");
			result = -1;
		}
	return result;
}

static int is_number(const struct dirent *entry)
{
	return entry->d_name[strspn(entry->d_name, "0123456789")] == '\0';
}

int processes_find(const struct words *words,
		   int (*see)(const struct process *process, void *context),
		   void *context)
{
	struct dirent **entries;
	int count = scandir("/proc", &entries, is_number, versionsort);
	int result, is_enough = 0;
	char *is_found;

	if (count < 0) {
		message("cannot read /proc: %s; fix it with: mount -t proc proc /proc",
			strerror(errno));
		return -1;
	}
	is_found = xcalloc(words->count + 1, 1);
	for (int i = 0; i < count; i++) {
		struct process process = { .pid = (pid_t)atoi(entries[i]->d_name) };

		if (process.pid != getpid() && read_name(&process) &&
		    is_asked_for(&process, words, is_found) && !is_enough)
			is_enough = see(&process, context);
		free(entries[i]);
	}
	free(entries);
	result = complain_of_missing(words, is_found);
	free(is_found);
	return result;
}
