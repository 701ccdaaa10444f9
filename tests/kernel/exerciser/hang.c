/* SPDX-License-Identifier: MIT */
/*
 * Notices an operation that does not end, and prints where all workers are.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exerciser.h"

/* Seconds that one operation may take, on a busy machine with an emulator. */
#define HANG 180

uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec;
}

/* The first bytes of a file, or none. */
static void read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

	text[got > 0 ? got : 0] = 0;
	close(fd);
}

/* The system call says more than the stack of one that runs, or sleeps in user space. */
static void print_thread(const char *process, const char *thread)
{
	static const char *const files[] = { "stat", "syscall", "stack" };
	char path[600], text[4096];

	printf("# process %s, thread %s:\n", process, thread);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/%s/task/%s/%s", process, thread,
			 files[i]);
		read_file(path, text, sizeof(text));
		fputs(text, stdout);
	}
}

static void for_each_entry(const char *path, const char *process,
			   void (*visit)(const char *process, const char *name))
{
	DIR *list = opendir(path);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			visit(process, entry->d_name);
	if (list)
		closedir(list);
}

static void print_process(const char *none, const char *process)
{
	char path[600], name[32];

	(void)none;
	snprintf(path, sizeof(path), "/proc/%s/comm", process);
	read_file(path, name, sizeof(name));
	if (strcmp(name, "exerciser\n") != 0)
		return;
	snprintf(path, sizeof(path), "/proc/%s/task", process);
	for_each_entry(path, process, print_thread);
}

static int is_hanging(unsigned slot)
{
	static uint64_t operations[SLOTS], since[SLOTS];
	uint64_t count = shared->heartbeats[slot].operations;

	if (!since[slot] || count != operations[slot] || !shared->heartbeats[slot].tid) {
		since[slot] = now();
		operations[slot] = count;
	}
	return now() - since[slot] > HANG;
}

/* A child of the worker may be what hangs, so all processes are printed. */
int is_any_hanging(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		const struct kind *kind = shared->heartbeats[i].kind;

		if (!is_hanging(i))
			continue;
		printf("# thread %d of process %d hangs in %s\n",
		       shared->heartbeats[i].tid, shared->heartbeats[i].pid,
		       kind ? kind->name : "a child");
		for_each_entry("/proc", NULL, print_process);
		put("/proc/sysrq-trigger", O_WRONLY, "w");
		return 1;
	}
	return 0;
}
