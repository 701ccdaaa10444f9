/* SPDX-License-Identifier: MIT */
/* Changes the lists of threads for which events are recorded. */
#include "switches.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"

#define ONLY "set_event_pid"
#define EXCEPT "set_event_notrace_pid"
#define FOLLOW "options/event-fork"

/* Finds the threads of a process in /proc. */

/* The most that the kernel gives to a process: PID_MAX_LIMIT. */
#define PID_MAX (4 << 20)
/* PROC_PID_INIT_INO of the kernel. */
#define FIRST_NAMESPACE 0xeffffffcu

/* A decimal number of a process or thread; 0: it is none. */
static int pid_of_word(const char *word)
{
	size_t digits = strspn(word, "0123456789");
	long pid = digits && digits < 9 ? strtol(word, NULL, 10) : 0;

	return word[digits] || pid > PID_MAX ? 0 : (int)pid;
}

static int pid_is_in(const struct pid_list *list, int pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->pids[i] == pid)
			return 1;
	return 0;
}

static void pid_add(struct pid_list *list, int pid)
{
	if (pid_is_in(list, pid))
		return;
	list->pids = xgrow(list->pids, list->count, sizeof(*list->pids));
	list->pids[list->count++] = pid;
}

/* The process of a thread; 0: there is none. */
static int process_of(int pid)
{
	AUTO_FREE char *path = xprintf("/proc/%d/status", pid),
		       *text = read_file(path, NULL);
	const char *line = text ? strstr(text, "\nTgid:") : NULL;

	return line ? atoi(line + strlen("\nTgid:")) : 0;
}

static size_t add_all(struct pid_list *list, int pid)
{
	AUTO_FREE char *path = xprintf("/proc/%d/task", pid);
	AUTO(close_directory) DIR *directory = opendir(path);
	struct dirent *entry;
	size_t count = 0;

	while (directory && (entry = readdir(directory))) {
		int thread = pid_of_word(entry->d_name);

		if (!thread)
			continue;
		pid_add(list, thread);
		count++;
	}
	return count;
}

/*
 * Add all threads of a process, or one thread if the number is not that of its process.
 * Threads that the list has are not added again. Returns how many the process has now; 0:
 * it does not exist.
 */
static size_t threads_add(struct pid_list *list, int pid)
{
	int process = process_of(pid);

	if (process == pid)
		return add_all(list, pid);
	if (process)
		pid_add(list, pid);
	return process != 0;
}

/*
 * Whether processes have the numbers here that the kernel calls them by. In a container
 * they often have others.
 */
static int pids_are_real(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) || stat_of.st_ino == FIRST_NAMESPACE;
}

static int complain(const char *verb, const struct instance *instance, const char *file,
		    int error)
{
	message("cannot %s %s/%s: %s%s", verb, instance->directory, file, strerror(-error),
		error == -EACCES || error == -EPERM ? "; run as root" : "");
	return -1;
}

/* Reading */

static int read_list(struct pid_list *list, const struct instance *instance, const char *file)
{
	AUTO_FREE char *path = instance_path(instance, "%s", file),
		       *text = read_file(path, NULL);
	int error = errno;

	*list = (struct pid_list){ 0 };
	if (!text)
		return complain("read", instance, file, -error);
	for (char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		pid_add(list, atoi(at));
	return 0;
}

int pid_lists_read(struct pid_lists *lists, const struct instance *instance)
{
	AUTO_FREE char *path = instance_path(instance, FOLLOW),
		       *text = read_file(path, NULL);

	*lists = (struct pid_lists){ .follows = text && *text == '1' };
	if (read_list(&lists->only, instance, ONLY))
		return -1;
	return read_list(&lists->except, instance, EXCEPT);
}

void pid_lists_free(struct pid_lists *lists)
{
	free(lists->only.pids);
	free(lists->except.pids);
	*lists = (struct pid_lists){ 0 };
}

/* Writing */

/* Write the pids that known lacks; NULL: all. */
static int append(const struct instance *instance, const char *file,
		  const struct pid_list *list, const struct pid_list *known)
{
	AUTO_FREE char *path = instance_path(instance, "%s", file);
	AUTO(bytes_free) struct bytes text = { 0 };
	int result = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!known || !pid_is_in(known, list->pids[i]))
			bytes_addf(&text, "%d ", list->pids[i]);
	bytes_add_text(&text, "");
	if (text.length > 1)
		result = control_write(path, (char *)text.at);
	return result;
}

/* The kernel clears a list as it is opened with O_TRUNC. */
static int clear(const struct instance *instance, const char *file)
{
	AUTO_FREE char *path = instance_path(instance, "%s", file);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), error = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

static int replace(const struct instance *instance, const char *file,
		   const struct pid_list *list)
{
	int error = clear(instance, file);

	return error ? error : append(instance, file, list, NULL);
}

static int set_follow(const struct instance *instance, int follows)
{
	AUTO_FREE char *path = instance_path(instance, FOLLOW);

	return control_write(path, follows ? "1" : "0");
}

static int is_like(const struct pid_list *a, const struct pid_list *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!pid_is_in(b, a->pids[i]))
			return 0;
	return a->count == b->count;
}

void pid_lists_set_back(const struct pid_lists *before, const struct instance *instance)
{
	struct pid_lists now;
	int follow = 0, only = 0, except = 0;

	if (pid_lists_read(&now, instance))
		return;
	if (now.follows != before->follows)
		follow = set_follow(instance, before->follows);
	if (!is_like(&now.only, &before->only))
		only = replace(instance, ONLY, &before->only);
	if (!is_like(&now.except, &before->except))
		except = replace(instance, EXCEPT, &before->except);
	if (follow)
		complain("set back", instance, FOLLOW, follow);
	if (only)
		complain("set back", instance, ONLY, only);
	if (except)
		complain("set back", instance, EXCEPT, except);
	pid_lists_free(&now);
}

/* Adding */

static struct pid_list copy(const struct pid_list *list)
{
	struct pid_list made = { 0 };

	for (size_t i = 0; i < list->count; i++)
		pid_add(&made, list->pids[i]);
	return made;
}

/* Add the threads that processes have now: 0, or -1 after a message if one has ended. */
static int add_threads(struct pid_list *list, const struct words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		int pid = pid_of_word(words->items[i]);

		if (threads_add(list, pid))
			continue;
		message("cannot enable: process %d has just ended", pid);
		return -1;
	}
	return 0;
}

/*
 * A process may start threads between the look at it and the write, so look again until
 * there are no new ones. The kernel adds later ones itself, with event-fork.
 */
#define LOOKS 8

static int add(const struct instance *instance, const char *file, const struct pid_list *before,
	       const struct words *words)
{
	struct pid_list known = copy(before);
	int result = 0, error = 0, is_complete = 0;

	for (int look = 0; look < LOOKS && !is_complete && !result; look++) {
		struct pid_list now = copy(&known);

		result = add_threads(&now, words);
		is_complete = now.count == known.count;
		if (!result && !is_complete)
			error = append(instance, file, &now, &known);
		if (error)
			result = complain("write", instance, file, error);
		free(known.pids);
		known = now;
	}
	free(known.pids);
	return result;
}

int pid_lists_add(const struct pid_lists *before, const struct instance *instance,
		  const struct pid_wishes *wishes)
{
	int error = 0, result = 0;

	/* first, so that no child is missed */
	if (wishes->follows && !before->follows)
		error = set_follow(instance, 1);
	if (error)
		result = complain("write", instance, FOLLOW, error);
	if (!result && wishes->except.count)
		result = add(instance, EXCEPT, &before->except, &wishes->except);
	if (!result && wishes->only.count)
		result = add(instance, ONLY, &before->only, &wishes->only);
	if (result)
		pid_lists_set_back(before, instance);
	return result;
}

/* Taking out */

/* The rest of a list without the processes; -1 after a message if it lacks one. */
static int without(struct pid_list *rest, const struct pid_list *list, const char *file,
		   const struct words *words)
{
	struct pid_list out = { 0 };
	int result = 0;

	for (size_t i = 0; i < words->count; i++) {
		struct pid_list threads = { 0 };
		int pid = pid_of_word(words->items[i]), is_found = 0;

		threads_add(&threads, pid);
		pid_add(&threads, pid);
		for (size_t j = 0; j < threads.count; j++) {
			is_found |= pid_is_in(list, threads.pids[j]);
			pid_add(&out, threads.pids[j]);
		}
		free(threads.pids);
		if (is_found)
			continue;
		message("cannot take %d out of %s: it is not in it; \"userevents enable\" "
			"prints the pids", pid, file);
		result = -1;
	}
	for (size_t i = 0; i < list->count; i++)
		if (!pid_is_in(&out, list->pids[i]))
			pid_add(rest, list->pids[i]);
	free(out.pids);
	return result;
}

int pid_lists_without(struct pid_lists *after, const struct pid_lists *before,
		      const struct pid_wishes *wishes, int has_all)
{
	int result;

	*after = (struct pid_lists){ .follows = before->follows && !wishes->follows };
	if (has_all)
		return 0;
	result = without(&after->only, &before->only, ONLY, &wishes->only);
	if (without(&after->except, &before->except, EXCEPT, &wishes->except))
		result = -1;
	return result;
}

int pid_lists_take_out(const struct pid_lists *after, const struct pid_lists *before,
		       const struct instance *instance, int has_all)
{
	const char *file = FOLLOW;
	int error = 0;

	if (before->follows != after->follows)
		error = set_follow(instance, after->follows);
	if (!error && (has_all || !is_like(&before->only, &after->only)))
		error = replace(instance, file = ONLY, &after->only);
	if (!error && (has_all || !is_like(&before->except, &after->except)))
		error = replace(instance, file = EXCEPT, &after->except);
	if (!error)
		return 0;
	complain("write", instance, file, error);
	pid_lists_set_back(before, instance);
	return -1;
}

/* Checks the processes that a person gives, before anything is touched. */

static int check(const struct words *words, const char *option, const char *verb, int adds)
{
	for (size_t i = 0; i < words->count; i++) {
		struct pid_list threads = { 0 };
		int pid = pid_of_word(words->items[i]);

		if (!pid) {
			message("cannot %s: \"%s\" of %s is not the number of a process", verb,
				words->items[i], option);
			return EXIT_WRONG_USAGE;
		}
		if (adds && !threads_add(&threads, pid)) {
			message("cannot %s: there is no process %d, which %s gives", verb, pid,
				option);
			return EXIT_FAILED;
		}
		free(threads.pids);
	}
	return 0;
}

/* Whether words and a list have a thread in common: its number. */
static int common(const struct words *words, const struct pid_list *list)
{
	struct pid_list threads = { 0 };
	int pid = 0;

	for (size_t i = 0; i < words->count; i++)
		threads_add(&threads, pid_of_word(words->items[i]));
	for (size_t i = 0; i < threads.count && !pid; i++)
		if (pid_is_in(list, threads.pids[i]))
			pid = threads.pids[i];
	free(threads.pids);
	return pid;
}

static int check_both(const struct pid_wishes *wishes, const char *verb)
{
	struct pid_list except = { 0 };
	int pid;

	for (size_t i = 0; i < wishes->except.count; i++)
		threads_add(&except, pid_of_word(wishes->except.items[i]));
	pid = common(&wishes->only, &except);
	free(except.pids);
	if (!pid)
		return 0;
	message("cannot %s: --pid and --not-pid both name %d", verb, pid);
	return EXIT_WRONG_USAGE;
}

int pid_wishes_check(const struct pid_wishes *wishes, const char *verb, int adds)
{
	int status = check(&wishes->only, "--pid", verb, adds);

	if (!status)
		status = check(&wishes->except, "--not-pid", verb, adds);
	if (!status && adds)
		status = check_both(wishes, verb);
	if (status || (!wishes->only.count && !wishes->except.count) || pids_are_real())
		return status;
	message("cannot %s: processes have other numbers in this container than in the kernel; "
		"give those of the host, there", verb);
	return EXIT_FAILED;
}

int pid_lists_check(const struct pid_lists *lists, const struct pid_wishes *wishes)
{
	int pid = common(&wishes->only, &lists->except);

	if (pid) {
		message("cannot enable: %d is in set_event_notrace_pid, which prevails over "
			"--pid; take it out with: userevents disable --not-pid %d", pid, pid);
		return EXIT_FAILED;
	}
	if (!wishes->follows || wishes->only.count || wishes->except.count ||
	    lists->only.count || lists->except.count)
		return 0;
	message("cannot enable: --follow is for children of the processes that --pid or "
		"--not-pid gives, and there are none");
	return EXIT_WRONG_USAGE;
}
