/* SPDX-License-Identifier: MIT */
/* Opens counting perf events, and reads them. */
#include "counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "record/perf_rings.h"
#include "tracefs/tracing_files.h"

/* Opening */

/* 0; an errno if the event has just gone; or -1 after a message. */
static int open_one(struct counter *counter, struct perf_event_attr *attr, pid_t thread,
		    int cpu, const char *name)
{
	int fd = perf_open(attr, thread, cpu);

	if (fd < 0 && (errno == ESRCH || errno == ENODEV)) /* no such thread, or processor */
		return 0;
	if (fd < 0 && !counter->count && (errno == EINVAL || errno == ENOENT))
		return errno;
	if (fd < 0)
		return perf_complain("count", name, errno);
	counter->fds = xgrow(counter->fds, counter->count, sizeof(fd));
	counter->fds[counter->count++] = fd;
	return 0;
}

/*
 * A counter is of all processes on a processor, or of a thread on any of them. The latter
 * also counts for the threads and processes that the thread starts.
 */
static int open_all(struct counter *counter, const struct target *target, uint32_t id,
		    const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.inherit = target->thread_count > 0,
	};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int result = 0;

	for (int cpu = 0; !target->thread_count && cpu < cpus && !result; cpu++)
		result = open_one(counter, &attr, -1, cpu, name);
	for (size_t i = 0; i < target->thread_count && !result; i++)
		result = open_one(counter, &attr, target->threads[i], -1, name);
	return result;
}

static void close_counter(struct counter *counter)
{
	for (size_t i = 0; i < counter->count; i++)
		close(counter->fds[i]);
	free(counter->fds);
}

static void add(struct counting *counting, struct counter *counter, uint32_t id,
		const char *name)
{
	counter->row = table_find(counting->events, id);
	row_set_name(counter->row, name);
	counting->counters = xgrow(counting->counters, counting->count, sizeof(*counter));
	counting->counters[counting->count++] = *counter;
}

static int take(void *context, const struct listed_event *event)
{
	struct counting *counting = context;
	struct counter counter = { .count = 0 };
	char *name = xprintf("%s:%s", event->system, event->name);
	int result = open_all(&counter, &counting->target, event->id, name);

	if (result)
		close_counter(&counter);
	else
		add(counting, &counter, event->id, name);
	free(name);
	return result;
}

int counting_look(struct counting *counting)
{
	return event_list_look(&counting->list, take, counting);
}

int counting_begin(struct counting *counting, const struct words *globs,
		   const struct words *pids, const char *tracefs, struct table *events)
{
	int status;

	*counting = (struct counting){ .list.globs = globs, .events = events };
	for (size_t i = 0; i < globs->count; i++)
		words_add(&counting->list.unmatched, globs->items[i]);
	status = target_add_processes(&counting->target, pids);
	if (status)
		return status;
	counting->list.directory = tracing_find(tracefs);
	if (!counting->list.directory ||
	    (!globs->count && tracing_lacks_user_events(counting->list.directory)))
		return EXIT_FAILED;
	perf_raise_file_limit();
	return counting_look(counting) ? EXIT_FAILED : 0;
}

/* Reading */

uint64_t counting_read(struct counting *counting)
{
	uint64_t total = 0, value;

	/* two counters may share the row of the others */
	for (size_t i = 0; i < counting->count; i++)
		counting->counters[i].row->events = 0;
	for (size_t i = 0; i < counting->count; i++) {
		struct counter *counter = &counting->counters[i];

		for (size_t j = 0; j < counter->count; j++)
			if (read(counter->fds[j], &value, sizeof(value)) == sizeof(value)) {
				counter->row->events += value;
				total += value;
			}
	}
	return total;
}

int counting_is_over(struct counting *counting)
{
	return target_is_over(&counting->target);
}

void counting_end(struct counting *counting)
{
	for (size_t i = 0; i < counting->count; i++)
		close_counter(&counting->counters[i]);
	free(counting->counters);
	event_list_free(&counting->list);
	target_close(&counting->target);
}
