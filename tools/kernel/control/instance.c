/* SPDX-License-Identifier: MIT */
/* Finds tracing instances, and events in them. */
#include "instance.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/tracing_files.h"

/* Commands that look and then write, one after the other. */

#define LOCK_TRIES 6000 /* 10 ms each */
#define LOCK_TRIES_SILENT 200

/* The process that holds it, of /proc/locks; 0: it is not to be found. */
static int lock_holder(int fd)
{
	char *text = read_file("/proc/locks", NULL), *rest = text, *line;
	struct stat status;
	int pid = 0;

	while (!fstat(fd, &status) && rest && (line = strsep(&rest, "\n"))) {
		const char *inode = strrchr(line, ':');
		int found;

		if (strstr(line, " FLOCK ") && !strstr(line, "->") && inode &&
		    strtoull(inode + 1, NULL, 10) == status.st_ino &&
		    sscanf(line, "%*s %*s %*s %*s %d", &found) == 1)
			pid = found;
	}
	free(text);
	return pid;
}

static int try_lock(int fd)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return -1;
		if (i == LOCK_TRIES_SILENT)
			message("waiting for another command of userevents that changes the "
				"kernel's tracing, of process %d", lock_holder(fd));
		nanosleep(&pause, NULL);
	}
	errno = EWOULDBLOCK;
	return -1;
}

int control_lock(const char *tracefs)
{
	const int fd = open(tracefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || !try_lock(fd))
		return 0;
	if (errno == EWOULDBLOCK)
		message("cannot change the kernel's tracing: process %d holds the lock of %s; end it, "
			"or try again", lock_holder(fd), tracefs);
	else
		message("cannot lock %s: %s", tracefs, strerror(errno));
	close(fd);
	return -1;
}

/* Makes names that hold their owner, and finds out whether that runs. */

#define PREFIX "userevents_"

/* After "unshare --pid" without --mount-proc, /proc has the numbers of other processes. */
static int is_proc_ours(void)
{
	char text[24] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

/*
 * The time at which a process started, in clock ticks since boot; 0: there is none, or it
 * has ended; -1: there is one, but /proc does not show it.
 */
static int64_t start_of(int pid)
{
	AUTO_FREE char *path = xprintf("/proc/%d/stat", pid),
		       *text = read_file(path, NULL);
	/* fields 3 and 22; the name before them may have any characters */
	const char *rest = text && is_proc_ours() ? strrchr(text, ')') : NULL;
	int64_t start = 0;
	char state = 0;

	if (!rest || sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
			    "%*d %*d %*d %*d %*d %" SCNd64, &state, &start) != 2)
		start = kill(pid, 0) && errno == ESRCH ? 0 : -1;
	else if (state == 'Z' || state == 'X')
		start = 0;
	return start;
}

/* 0 if the kernel has no namespaces. */
static uint64_t namespace_of_pids(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) ? 0 : (uint64_t)stat_of.st_ino;
}

char *own_name(const char *purpose)
{
	const int64_t start = start_of(getpid());

	/* without /proc nobody can tell whether it runs, which a 0 says */
	return xprintf(PREFIX "%d_%" PRId64 "_%" PRIu64 "_%s", (int)getpid(),
		       start < 0 ? 0 : start, namespace_of_pids(), purpose);
}

/* Take "NUMBER_", as printf() writes it: 1, or 0 if the text begins otherwise. */
static int take_number(const char **text, uint64_t *number)
{
	const char *at = *text;

	if (!isdigit((unsigned char)*at) || (*at == '0' && at[1] != '_'))
		return 0;
	for (*number = 0; isdigit((unsigned char)*at); at++) {
		if (*number > INT64_MAX / 10)
			return 0;
		*number = *number * 10 + (uint64_t)(*at - '0');
	}
	*text = at + 1;
	return *at == '_';
}

static int is_identifier(const char *text)
{
	if (!*text || isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

enum owner own_name_owner(const char *name)
{
	const char *rest = name + strlen(PREFIX);
	uint64_t pid, start, space;
	int64_t now;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || !take_number(&rest, &pid) ||
	    !take_number(&rest, &start) || !take_number(&rest, &space) ||
	    !is_identifier(rest) || !pid || pid > INT_MAX)
		return OWNER_NONE;
	if (!start || space != namespace_of_pids())
		return OWNER_UNKNOWN;
	now = start_of((int)pid);
	if (now < 0)
		return OWNER_UNKNOWN;
	return (uint64_t)now == start ? OWNER_ALIVE : OWNER_DEAD;
}

/* The kernel refuses the same names, but with errors that do not say why. */
static int is_name(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

static int begin(struct instance *instance, const char *tracefs, const char *name)
{
	*instance = (struct instance){ .tracefs = tracing_find(tracefs) };
	if (!instance->tracefs)
		return -1;
	if (name && !is_name(name)) {
		message("cannot use the instance \"%s\": it is no name of a directory", name);
		return -1;
	}
	instance->name = name ? xstrdup(name) : NULL;
	instance->directory = name ? xprintf("%s/instances/%s", instance->tracefs, name) :
				     xstrdup(instance->tracefs);
	return 0;
}

/* The fix, in place of ENOENT. */
static int complain(struct instance *instance)
{
	if (errno == ENOENT && instance->name)
		message("cannot use the instance \"%s\": there is none; make it with: mkdir %s",
			instance->name, instance->directory);
	else if (errno == EACCES || errno == EPERM)
		message("cannot use %s: %s; run as root", instance->directory, strerror(errno));
	else
		message("cannot use %s: %s; \"userevents doctor\" reports what is wrong",
			instance->directory, strerror(errno));
	instance_close(instance);
	return -1;
}

int instance_open(struct instance *instance, const char *tracefs, const char *name)
{
	struct stat stat_of;
	AUTO_FREE char *events = NULL;
	int result;

	if (begin(instance, tracefs, name))
		return -1;
	events = instance_path(instance, "events");
	result = stat(events, &stat_of);
	return result ? complain(instance) : 0;
}

int instance_open_or_make(struct instance *instance, const char *tracefs, const char *name)
{
	if (begin(instance, tracefs, name))
		return -1;
	if (name && mkdir(instance->directory, 0750) && errno != EEXIST)
		return complain(instance);
	return 0;
}

void instance_close(struct instance *instance)
{
	free(instance->name);
	free(instance->directory);
	*instance = (struct instance){ 0 };
}

char *instance_path(const struct instance *instance, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *name;

	va_start(arguments, format);
	name = xvprintf(format, arguments);
	va_end(arguments);
	return xprintf("%s/%s", instance->directory, name);
}

char *instance_event_path(const struct instance *instance, const struct listed_event *event,
			  const char *file)
{
	return instance_path(instance, "events/%s/%s/%s", event->system, event->name, file);
}

/* Take the events that globs match; in unmatched, the globs without any. */
static int look(const struct instance *instance, const struct words *globs,
		struct event_list *list)
{
	*list = (struct event_list){ .directory = instance->directory, .globs = globs,
				     .has_tracepoints_only = 1 };
	for (size_t i = 0; i < globs->count; i++)
		words_add(&list->unmatched, globs->items[i]);
	return event_list_look(list, NULL, NULL);
}

static int has_events(const struct instance *instance, const char *glob)
{
	const struct words globs = { &glob, 1 };
	AUTO(event_list_free) struct event_list list;
	int result = look(instance, &globs, &list);
	size_t count = list.count;

	return result ? -1 : count > 0;
}

/*
 * The nearest of the words by which events can be named, from available_events: lines
 * SYSTEM:NAME. The caller frees none of it, as the tool ends soon.
 */
static const char *nearest_event(const struct instance *instance, const char *word)
{
	char *path = tracing_path(instance->tracefs, "available_events");
	char *text = read_file(path, NULL), *line, *rest = text;
	struct words names = { 0 };

	free(path);
	while (rest && (line = strsep(&rest, "\n"))) {
		if (!strchr(line, ':'))
			continue;
		words_add(&names, xstrdup(line));
		words_add(&names, strchr(line, ':') + 1);
		*strchr(line, ':') = '\0';
		words_add(&names, line);
	}
	return nearest(word, names.items, names.count, sizeof(*names.items));
}

static void complain_of_word(const struct instance *instance, const char *word)
{
	const char *near = nearest_event(instance, word);

	if (near)
		message("cannot find the event \"%s\": there is none; did you mean \"%s\"?",
			word, near);
	else
		message("cannot find the event \"%s\": there is none; \"userevents list\" prints "
			"the user events, and available_events in tracefs all", word);
}

/*
 * The glob for a word, which names user events, or events of any system, or a system. NULL
 * after a message.
 */
static const char *glob_of(const struct instance *instance, const char *word)
{
	const char *colon = strchr(word, ':');
	const char *globs[] = { colon && !colon[1] ? xprintf("%s*", word) : word,
				xprintf("*:%s", word), xprintf("%s:*", word) };
	/* "*" without a system means user events, of which there may be none */
	size_t count = colon || word[strspn(word, "*?")] == '\0' ? 1 : 3;

	for (size_t i = 0; i < count; i++) {
		int result = has_events(instance, globs[i]);

		if (result)
			return result > 0 ? globs[i] : NULL;
	}
	complain_of_word(instance, word);
	return NULL;
}

int instance_find_events(const struct instance *instance, const struct words *words,
			 struct event_list *list)
{
	struct words globs = { 0 };
	int result = 0;

	*list = (struct event_list){ 0 };
	for (size_t i = 0; i < words->count; i++) {
		const char *glob = glob_of(instance, words->items[i]);

		if (glob)
			words_add(&globs, glob);
		else
			result = -1;
	}
	return result ? result : look(instance, &globs, list);
}

int instance_find_event(const struct instance *instance, const char *word,
			struct event_list *list)
{
	const struct words words = { &word, 1 };

	if (instance_find_events(instance, &words, list))
		return -1;
	if (list->count == 1)
		return 0;
	message("cannot take \"%s\" for an event: it names %zu; give one as SYSTEM:NAME", word,
		list->count);
	event_list_free(list);
	return -1;
}

int instance_find_to_enable(const struct instance *instance, const char *word,
			    struct event_list *list)
{
	if (instance_find_event(instance, word, list))
		return -1;
	if (!event_check_trust(&list->events[0]))
		return 0;
	event_list_free(list);
	return -1;
}

/* Makes instances for one run of a command, and removes them. */

int own_instance_make(struct instance *instance, const char *tracefs, const char *purpose)
{
	AUTO_FREE char *name = own_name(purpose);

	return instance_open_or_make(instance, tracefs, name);
}

/* The kernel frees triggers a moment later. */
#define TRIES 50
#define PAUSE { .tv_nsec = 20000000 }

static void complain_of_own(const struct instance *instance, size_t histograms)
{
	if (errno != EBUSY)
		message("cannot remove the instance %s: %s", instance->name, strerror(errno));
	else if (histograms)
		message("cannot remove the instance %s: the kernel keeps %zu of its histograms, "
			"which use each other; see the trigger files in %s/events",
			instance->name, histograms, instance->directory);
	else
		message("cannot remove the instance %s: a program has one of its files open, such "
			"as trace_pipe; end that first", instance->name);
}

int instance_remove(struct instance *instance)
{
	const struct timespec pause = PAUSE;
	size_t histograms;
	int result = -1;

	if (!instance->name)
		return -1;
	histograms = histograms_remove(instance);
	for (int i = 0; i < TRIES && result; i++) {
		result = rmdir(instance->directory);
		if (result && errno != EBUSY)
			break;
		if (result)
			nanosleep(&pause, NULL);
	}
	if (!result || errno == ENOENT)
		return 0;
	complain_of_own(instance, histograms);
	return -1;
}
