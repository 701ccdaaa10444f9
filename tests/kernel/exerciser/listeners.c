/* SPDX-License-Identifier: MIT */
/*
 * Operations of listeners through tracefs: enable, filters, triggers, instances, readers,
 * and dynamic_events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exerciser.h"

#define EVENTS TRACING "events/user_events/"

long put(const char *path, int flags, const char *text)
{
	int fd = open(path, flags | O_CLOEXEC), error;
	long result;

	if (fd < 0)
		return -1;
	result = write(fd, text, strlen(text));
	error = errno;
	close(fd);
	errno = error;
	return result;
}

/* The path of an event's file, sometimes in an instance, which may not exist. */
static void draw_path(struct worker *worker, char *path, size_t size, const char *file)
{
	static const char *const roots[] = { "instances/ex_0/",
					     "instances/ex_1/",
					     "",
					     "",
					     "",
					     "",
					     "",
					     "",
					     "",
					     "",
					     "",
					     "" };
	const char *root = roots[below(worker, 12)];
	int is_multi = one_in(worker, 6);
	char name[800], suffix[20] = "";
	unsigned number = below(worker, 16);

	draw_name(worker, name, sizeof(name));
	/* It leads to the files of all events of the kernel, which slow down everything. */
	if (!strcmp(name, ".."))
		name[0] = '_';
	if (is_multi)
		snprintf(suffix, sizeof(suffix), ".%x", number);
	snprintf(path, size, TRACING "%sevents/user_events%s/%s%s/%s", root,
		 is_multi ? "_multi" : "", name, suffix, file);
}

static long enable(struct worker *worker)
{
	char path[1000];
	int on = !one_in(worker, 3);

	draw_path(worker, path, sizeof(path), "enable");
	return put(path, O_WRONLY, on ? "1" : "0");
}

static long enable_all(struct worker *worker)
{
	static const char *const paths[] = {
		EVENTS "enable",
		EVENTS "enable",
		TRACING "events/user_events_multi/enable",
		TRACING "instances/ex_0/events/user_events/enable",
	};
	unsigned which = below(worker, 4);

	return put(paths[which], O_WRONLY, one_in(worker, 2) ? "0" : "1");
}

static long filter(struct worker *worker)
{
	static const char *const filters[] = {
		"0",
		"0",
		"f0 == 1",
		"f0 > 1 && f1 < 7",
		"f0 ~ \"a*\"",
		"f0 == \"AAAA\"",
		"f1 & 1 || f2 != \"x\"",
		"f2 ~ \"*A*\"",
		"common_pid > 0",
		"f9 == 1",
		"f0 ==",
		"((",
	};
	const char *text = filters[below(worker, sizeof(filters) / sizeof(filters[0]))];
	char path[1000];

	draw_path(worker, path, sizeof(path), "filter");
	return put(path, O_WRONLY, text);
}

static long trigger(struct worker *worker)
{
	static const char *const triggers[] = {
		"hist:keys=f0",
		"hist:keys=f1:vals=f0",
		"hist:keys=f2,f0",
		"hist:keys=f0.hex:size=128",
		"hist:keys=common_pid:x=f1",
		"stacktrace:3",
		"stacktrace if f1 > 2",
		"enable_event:user_events:ex_01:2",
		"disable_event:user_events:ex_02",
		"snapshot:1",
		"hist:keys=stacktrace",
		"hist:keys=",
		"nothing",
	};
	const char *text =
		triggers[below(worker, sizeof(triggers) / sizeof(triggers[0]))];
	char path[1000], undo[100];
	int is_undo = one_in(worker, 2);

	/*
	 * Where allocations fail, histograms crash the kernel (6.1 and 6.12): create_key_field()
	 * does not notice it for a stack trace, and event_hist_trigger_parse() resets the filter
	 * of a trigger that it has no memory for.
	 */
	if (!strncmp(text, "hist:", strlen("hist:")))
		disarm();
	draw_path(worker, path, sizeof(path), "trigger");
	snprintf(undo, sizeof(undo), "!%s", text);
	return put(path, O_WRONLY | O_APPEND, is_undo ? undo : text);
}

static long forget_triggers(struct worker *worker)
{
	char path[1000];

	draw_path(worker, path, sizeof(path), "trigger");
	return put(path, O_WRONLY | O_TRUNC, "");
}

static long instance(struct worker *worker)
{
	const char *path =
		one_in(worker, 2) ? TRACING "instances/ex_0" : TRACING "instances/ex_1";

	return one_in(worker, 2) ? mkdir(path, 0700) : rmdir(path);
}

/* The cost of reading under an emulator bounds the length. */
static long read_some(int fd)
{
	char text[8192];
	long all = 0, got = 0;

	for (int i = 0; i < 8 && (got = read(fd, text, sizeof(text))) > 0; i++)
		all += got;
	return all ? all : got;
}

static long read_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error;
	long result;

	if (fd < 0)
		return -1;
	result = read_some(fd);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

static long read_event_file(struct worker *worker)
{
	static const char *const files[] = { "format", "id",   "enable",
					     "filter", "hist", "trigger" };
	const char *file = files[below(worker, 6)];
	char path[1000];

	draw_path(worker, path, sizeof(path), file);
	return read_path(path);
}

static long read_trace(struct worker *worker)
{
	static const char *const files[] = { "trace", "trace_pipe", "set_event",
					     "available_events", "instances/ex_0/trace" };
	char path[100];

	snprintf(path, sizeof(path), TRACING "%s", files[below(worker, 5)]);
	return read_path(path);
}

static long clear_trace(struct worker *worker)
{
	(void)worker;
	return put(TRACING "trace", O_WRONLY | O_TRUNC, "");
}

/* A stock kernel may use an event that another process just deleted. */
static long read_status(struct worker *worker)
{
	(void)worker;
	return is_tame ? (errno = EOPNOTSUPP, -1)
		       : read_path(TRACING "user_events_status");
}

static long read_dynamic(struct worker *worker)
{
	(void)worker;
	return read_path(TRACING "dynamic_events");
}

/* A file of an event stays open while the event goes, and is read or written afterwards.
 */
static long keep_open(struct worker *worker)
{
	static const char *const files[] = { "format", "enable",  "filter",
					     "id",     "trigger", "hist" };
	const char *file = files[below(worker, 6)];
	int *slot = &worker->process->open[below(worker, OPEN_FILES)], fd;
	char path[1000];

	draw_path(worker, path, sizeof(path), file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	return keep(slot, fd);
}

static long use_open(struct worker *worker)
{
	int fd = worker->process->open[below(worker, OPEN_FILES)];

	if (one_in(worker, 3))
		return pwrite(fd, "0", 1, 0);
	return read_some(fd);
}

static long create(struct worker *worker)
{
	char text[900] = "u:";

	draw_definition(worker, text + 2, 800);
	return put(TRACING "dynamic_events", O_WRONLY | O_APPEND, text);
}

/* 6.12 only deletes an event with the same fields. */
static long delete (struct worker *worker)
{
	static const char *const systems[] = { "", "user_events/", "user_events_multi/" };
	char text[900], definition[800];
	const char *system = systems[below(worker, 3)];

	draw_definition(worker, definition, sizeof(definition));
	snprintf(text, sizeof(text), "-:%s%s", system, definition);
	return put(TRACING "dynamic_events", O_WRONLY | O_APPEND, text);
}

static long delete_all(struct worker *worker)
{
	(void)worker;
	return put(TRACING "dynamic_events", O_WRONLY | O_TRUNC, "");
}

/*
 * An event of events: it reads the fields of a user_event. A stock kernel frees the event
 * that it is attached to.
 */
static long eprobe(struct worker *worker)
{
	static const char *const arguments[] = {
		"a=$f0", "a=$f0:string", "a=$f1:u8 b=$f0:x32", "a=$f2:string", "a=$f9", ""
	};
	unsigned number = below(worker, EPROBES);
	const char *argument = arguments[below(worker, 6)];
	char text[200], path[100];

	if (is_tame)
		return errno = EOPNOTSUPP, -1;
	if (one_in(worker, 3)) {
		snprintf(text, sizeof(text), "-:eprobes/ep_%u", number);
	} else if (one_in(worker, 2)) {
		snprintf(path, sizeof(path), TRACING "events/eprobes/ep_%u/enable",
			 number);
		return put(path, O_WRONLY, one_in(worker, 3) ? "0" : "1");
	} else {
		snprintf(text, sizeof(text), "e:eprobes/ep_%u user_events.ex_%02u %s",
			 number, below(worker, NAMES), argument);
	}
	return put(TRACING "dynamic_events", O_WRONLY | O_APPEND, text);
}

/* How many events may exist. */
static long limit(struct worker *worker)
{
	static const char *const limits[] = { "32768", "32768", "32768", "30", "5" };
	const char *text = limits[one_in(worker, 3) ? below(worker, 5) : 0];

	return put("/proc/sys/kernel/user_events_max", O_WRONLY, text);
}

const struct kind listener_kinds[] = {
	{ "enable", 60, enable },
	{ "enable all", 8, enable_all },
	{ "filter", 15, filter },
	{ "trigger", 15, trigger },
	{ "forget triggers", 5, forget_triggers },
	{ "instance", 4, instance },
	{ "read event file", 25, read_event_file },
	{ "read trace", 6, read_trace },
	{ "clear trace", 4, clear_trace },
	{ "read status", 15, read_status },
	{ "read dynamic_events", 6, read_dynamic },
	{ "keep open", 10, keep_open },
	{ "use open", 15, use_open },
	{ "create", 10, create },
	{ "delete", 12, delete },
	{ "delete all", 2, delete_all },
	{ "eprobe", 8, eprobe },
	{ "limit", 2, limit },
	{ 0 },
};
