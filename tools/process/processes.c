/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "cli/whole_file.h"

/* The kernel keeps so much of a name. */
#define COMM_LENGTH 15

static void add(struct processes *processes, const struct process *process)
{
	processes->items = xgrow(processes->items, processes->count, sizeof(*process));
	processes->items[processes->count++] = *process;
}

static int number_of(const char *text, pid_t *pid)
{
	char *end;
	long number;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	number = strtol(text, &end, 10);
	if (*end || errno || number < 1 || number > INT32_MAX)
		return 0;
	*pid = (pid_t)number;
	return 1;
}

/* 0 when it has gone. */
static int read_name(struct process *process)
{
	char path[64], *name;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process->pid);
	name = read_file(path, &length);
	if (!name)
		return 0;
	if (length && name[length - 1] == '\n')
		name[length - 1] = '\0';
	snprintf(process->name, sizeof(process->name), "%s", name);
	free(name);
	return 1;
}

static int compare(const void *a, const void *b)
{
	const struct process *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static int list_all(struct processes *all)
{
	DIR *directory = opendir("/proc");
	struct process process = { 0 };
	struct dirent *entry;

	if (!directory) {
		message("cannot read /proc: %s; fix it with: mount -t proc proc /proc",
			strerror(errno));
		return -1;
	}
	while ((entry = readdir(directory)))
		if (number_of(entry->d_name, &process.pid) && process.pid != getpid() &&
		    read_name(&process))
			add(all, &process);
	closedir(directory);
	qsort(all->items, all->count, sizeof(*all->items), compare);
	return 0;
}

/* A name may be a glob or look like one, or be longer than what the kernel keeps of it. */
static int has_name(const struct process *process, const char *word)
{
	return !strcmp(word, process->name) || !fnmatch(word, process->name, 0) ||
	       (strlen(process->name) == COMM_LENGTH && strlen(word) > COMM_LENGTH &&
		!strncmp(process->name, word, COMM_LENGTH));
}

static const char *or_hidden(void)
{
	return geteuid() ? "; /proc may hide it (mount option hidepid): try as root" : "";
}

static int choose_number(struct processes *all, pid_t pid)
{
	struct process process = { .pid = pid };

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].pid == pid) {
			all->items[i].is_asked_for = 1;
			return 0;
		}
	if (pid == getpid() || !read_name(&process)) {
		message("cannot find a process %d%s", (int)pid, or_hidden());
		return -1;
	}
	process.is_asked_for = 1; /* new, or a thread: those are not listed */
	add(all, &process);
	return 0;
}

static int choose_name(struct processes *all, const char *word)
{
	size_t found = 0;

	for (size_t i = 0; i < all->count; i++)
		if (has_name(&all->items[i], word)) {
			all->items[i].is_asked_for = 1;
			found++;
		}
	if (!found)
		message("cannot find a process named \"%s\"%s", word, or_hidden());
	return found ? 0 : -1;
}

/* A kernel thread has no memory, which only a privileged reader could find out. */
static int is_of_kernel(const struct process *process)
{
	const unsigned kernel_thread = 0x00200000; /* PF_KTHREAD, include/linux/sched.h */
	unsigned flags = 0;
	char path[64], *text, *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process->pid);
	text = read_file(path, NULL);
	name_end = text ? strrchr(text, ')') : NULL;
	if (name_end)
		sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags);
	free(text);
	return flags & kernel_thread;
}

static int is_asked_for(const struct process *process)
{
	return process->is_asked_for;
}

static int is_program(const struct process *process)
{
	return !is_of_kernel(process);
}

static void keep(struct processes *all, int (*is_kept)(const struct process *))
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++)
		if (is_kept(&all->items[i]))
			all->items[kept++] = all->items[i];
	all->count = kept;
}

int processes_find(const struct words *words, struct processes *processes)
{
	int result;
	pid_t pid;

	*processes = (struct processes){ 0 };
	result = list_all(processes);
	for (size_t i = 0; !result && i < words->count; i++) {
		result = number_of(words->items[i], &pid) ?
				 choose_number(processes, pid) :
				 choose_name(processes, words->items[i]);
	}
	keep(processes, words->count ? is_asked_for : is_program);
	return result;
}

void processes_free(struct processes *processes)
{
	free(processes->items);
}

/* Why not */

static int is_of_other_user(pid_t pid)
{
	char path[64];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &file) && file.st_uid != geteuid();
}

/* kernel.yama.ptrace_scope, 0 where there is none. */
static int ptrace_scope(void)
{
	char *text = read_file("/proc/sys/kernel/yama/ptrace_scope", NULL);
	int scope = text ? atoi(text) : 0;

	free(text);
	return scope;
}

static const char *fix_for(pid_t pid)
{
	int scope = ptrace_scope();

	if (scope == 3)
		return "kernel.yama.ptrace_scope is 3, which forbids it until the next boot";
	if (!geteuid())
		return "root lacks CAP_SYS_PTRACE here (in a container: --cap-add SYS_PTRACE), "
		       "or a security module forbids it";
	if (is_of_other_user(pid))
		return "it belongs to another user or is set-user-id; try as root, or with "
		       "CAP_SYS_PTRACE";
	if (scope)
		return "kernel.yama.ptrace_scope forbids it; try as root, or: sysctl "
		       "kernel.yama.ptrace_scope=0";
	return "it has more privileges, or a security module forbids it; try as root, or with "
	       "CAP_SYS_PTRACE";
}

void process_complain(const struct process *process, int error)
{
	message("cannot read process %d (%s): %s", (int)process->pid, process->name,
		error == -EACCES || error == -EPERM ? fix_for(process->pid) :
		error == -ESRCH ? "it has ended, or is a kernel thread" :
				  strerror(-error));
}
