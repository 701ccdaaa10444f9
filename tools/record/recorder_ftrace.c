/* SPDX-License-Identifier: MIT */
/*
 * Recording through ftrace, in an instance of our own, whose buffers nobody else uses.
 * The instance goes when we do; one that was left behind by a recorder that was killed
 * goes when the next one begins.
 */
#include "cli/message.h"
#include "recorder.h"

#ifdef HAVE_LIBTRACECMD

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "trace_dat_layout.h"

#define NAME "userevents-record-"

struct ftrace_recorder {
	struct tracefs_instance *instance;
	struct trace_dat_layout layout;
	struct listed_event *events; /* copies */
	size_t count;
	int is_described; /* all of them are in the header */
	int *fds;	  /* trace_pipe_raw of each processor, -1: there is none */
	size_t page;
	uint8_t *pages;
};

/* Pages that are read before they are written. */
#define PAGES 64u

/* Instances of recorders that are gone */

static void remove_left(const char *name)
{
	pid_t pid = (pid_t)atoi(name + strlen(NAME));
	struct tracefs_instance *instance;

	if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
		return;
	instance = tracefs_instance_create(name);
	if (!instance)
		return;
	tracefs_event_disable(instance, NULL, NULL);
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
}

static void remove_all_left(void)
{
	char **names = tracefs_instances("^" NAME);

	for (size_t i = 0; names && names[i]; i++)
		remove_left(names[i]);
	tracefs_list_free(names);
}

/* Beginning */

static int complain(const char *what)
{
	message("%s: %s. Recording into trace.dat needs root; perf.data may not.", what,
		strerror(errno));
	return -1;
}

static int set(struct ftrace_recorder *ftrace, const char *file, const char *text)
{
	return tracefs_instance_file_write(ftrace->instance, file, text) < 0 ? -1 : 0;
}

static int set_pids(struct ftrace_recorder *ftrace, const struct target *target)
{
	char pid[16];

	if (target->thread_count && set(ftrace, "options/event-fork", "1"))
		return complain("The children of processes cannot be recorded");
	for (size_t i = 0; i < target->thread_count; i++) {
		snprintf(pid, sizeof(pid), "%d", (int)target->threads[i]);
		if (tracefs_instance_file_append(ftrace->instance, "set_event_pid",
						 pid) < 0)
			return complain("The processes cannot be chosen");
	}
	return 0;
}

static int make_instance(struct recorder *recorder, struct ftrace_recorder *ftrace)
{
	char name[64], size[32];

	remove_all_left();
	snprintf(name, sizeof(name), NAME "%d", (int)getpid());
	ftrace->instance = tracefs_instance_create(name);
	if (!ftrace->instance)
		return complain("An instance of ftrace cannot be made");
	snprintf(size, sizeof(size), "%zu", (recorder->buffer + 1023) >> 10);
	if (set(ftrace, "buffer_size_kb", size))
		return complain("The buffers cannot be made as large as that");
	if (set(ftrace, "trace_clock", "mono"))
		return complain("The clock cannot be chosen");
	return set_pids(ftrace, recorder->target);
}

static int open_pipes(struct ftrace_recorder *ftrace)
{
	char file[64];

	for (uint32_t cpu = 0; cpu < ftrace->layout.cpus; cpu++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		ftrace->fds[cpu] = tracefs_instance_file_open(
			ftrace->instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (ftrace->fds[cpu] < 0 && errno != ENOENT && errno != ENODEV)
			return complain("A buffer cannot be read");
	}
	return 0;
}

static int allocate(struct ftrace_recorder *ftrace)
{
	ftrace->page = (size_t)sysconf(_SC_PAGESIZE);
	ftrace->pages = malloc(ftrace->page * PAGES);
	ftrace->fds = calloc(ftrace->layout.cpus, sizeof(int));
	if (ftrace->pages && ftrace->fds)
		return 0;
	message("There is no memory left.");
	return -1;
}

static int begin(struct recorder *recorder)
{
	struct ftrace_recorder *ftrace = calloc(1, sizeof(*ftrace));

	recorder->state = ftrace;
	if (!ftrace) {
		message("There is no memory left.");
		return -1;
	}
	tracefs_set_tracing_dir((char *)(uintptr_t)recorder->tracefs);
	ftrace->layout.file = recorder->file;
	ftrace->layout.tracefs = recorder->tracefs;
	ftrace->layout.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	if (allocate(ftrace) || make_instance(recorder, ftrace) || open_pipes(ftrace))
		return -1;
	return trace_dat_begin(&ftrace->layout);
}

/* Events */

static int keep(struct ftrace_recorder *ftrace, const struct listed_event *event)
{
	struct listed_event *more =
		realloc(ftrace->events, (ftrace->count + 1) * sizeof(*more));
	struct listed_event copy = *event;

	copy.system = strdup(event->system);
	copy.name = strdup(event->name);
	copy.format = malloc(event->format_length + 1);
	if (more)
		ftrace->events = more;
	if (!more || !copy.system || !copy.name || !copy.format) {
		message("There is no memory left.");
		return -1;
	}
	memcpy(copy.format, event->format, event->format_length);
	more[ftrace->count++] = copy;
	ftrace->is_described = 0;
	return 0;
}

static int add(struct recorder *recorder, const struct listed_event *event)
{
	struct ftrace_recorder *ftrace = recorder->state;

	errno = 0;
	if (tracefs_event_enable(ftrace->instance, event->system, event->name))
		return errno ? errno : ENOENT;
	if (keep(ftrace, event))
		return -1;
	recorder->tracepoints++;
	return 0;
}

static void wait_for_events(struct recorder *recorder, int milliseconds)
{
	struct timespec time = { milliseconds / 1000,
				 (long)(milliseconds % 1000) * 1000000 };

	(void)recorder;
	nanosleep(&time, NULL);
}

/* Reading: pages, of which the last one is often not full */

/* As many as there are and fit; how long they are. */
static size_t read_some(const struct ftrace_recorder *ftrace, uint32_t cpu)
{
	size_t length = 0;

	while (length < ftrace->page * PAGES) {
		uint8_t *page = ftrace->pages + length;
		ssize_t got = read(ftrace->fds[cpu], page, ftrace->page);

		if (got <= 0)
			break;
		memset(page + got, 0, ftrace->page - (size_t)got);
		length += ftrace->page;
	}
	return length;
}

static int read_pages(struct recorder *recorder, uint32_t cpu)
{
	struct ftrace_recorder *ftrace = recorder->state;
	size_t length;

	while ((length = read_some(ftrace, cpu)))
		if (trace_dat_add(&ftrace->layout, cpu, ftrace->pages, length))
			return -1;
	return 0;
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* What the kernel counted for each processor. */
static void count(struct recorder *recorder)
{
	struct ftrace_recorder *ftrace = recorder->state;
	char file[64], *text;

	recorder->events = recorder->lost = 0;
	for (uint32_t cpu = 0; cpu < ftrace->layout.cpus; cpu++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
		text = tracefs_instance_file_read(ftrace->instance, file, NULL);
		if (!text)
			continue;
		recorder->events += number_behind(text, "read events: ");
		recorder->lost += number_behind(text, "\noverrun: ") +
				  number_behind(text, "dropped events: ");
		free(text);
	}
}

static int pass(struct recorder *recorder)
{
	struct ftrace_recorder *ftrace = recorder->state;

	if (!ftrace->is_described &&
	    trace_dat_describe(&ftrace->layout, ftrace->events, ftrace->count))
		return -1;
	ftrace->is_described = 1;
	for (uint32_t cpu = 0; cpu < ftrace->layout.cpus; cpu++)
		if (ftrace->fds[cpu] >= 0 && read_pages(recorder, cpu))
			return -1;
	count(recorder);
	return 0;
}

static int finish(struct recorder *recorder)
{
	struct ftrace_recorder *ftrace = recorder->state;

	tracefs_trace_off(ftrace->instance);
	if (recorder->file->has_failed || pass(recorder))
		return -1;
	return trace_dat_finish(&ftrace->layout, ftrace->events, ftrace->count);
}

static void close_instance(struct ftrace_recorder *ftrace)
{
	for (size_t i = 0; i < ftrace->count; i++)
		tracefs_event_disable(ftrace->instance, ftrace->events[i].system,
				      ftrace->events[i].name);
	for (uint32_t cpu = 0; ftrace->fds && cpu < ftrace->layout.cpus; cpu++)
		if (ftrace->fds[cpu] > 0)
			close(ftrace->fds[cpu]);
	if (tracefs_instance_destroy(ftrace->instance))
		message("The instance %s of ftrace could not be removed: %s.",
			tracefs_instance_get_name(ftrace->instance), strerror(errno));
	tracefs_instance_free(ftrace->instance);
}

static void close_ftrace(struct recorder *recorder)
{
	struct ftrace_recorder *ftrace = recorder->state;

	if (!ftrace)
		return;
	if (ftrace->instance)
		close_instance(ftrace);
	for (size_t i = 0; i < ftrace->count; i++) {
		free(ftrace->events[i].system);
		free(ftrace->events[i].name);
		free(ftrace->events[i].format);
	}
	trace_dat_free(&ftrace->layout);
	free(ftrace->events);
	free(ftrace->pages);
	free(ftrace->fds);
	free(ftrace);
}

const struct recorder_kind recorder_ftrace = {
	begin, add, wait_for_events, pass, finish, close_ftrace,
};

#else

static int begin(struct recorder *recorder)
{
	(void)recorder;
	message("This userevents was built without libtracecmd: it records into "
		"perf.data alone, not into .dat files.");
	return -1;
}

static int nothing(struct recorder *recorder)
{
	(void)recorder;
	return 0;
}

static void nothing_left(struct recorder *recorder)
{
	(void)recorder;
}

const struct recorder_kind recorder_ftrace = {
	begin, NULL, NULL, nothing, nothing, nothing_left,
};

#endif
