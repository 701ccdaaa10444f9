/* SPDX-License-Identifier: MIT */
/* Opens counting perf events, and reads them. */
#include "top.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include <userevents/capture.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/tracing_files.h"
#include "record/target/perf_rings.h"

/* Opening */

/*
 * 0; an errno if the event has just gone, or, once counting has begun, if another call may
 * succeed; or -1 after a message.
 */
static int open_one(const struct counting *counting, struct counter *counter,
		    struct perf_event_attr *attr, pid_t thread, int cpu, const char *name)
{
	int fd = perf_open(attr, thread, cpu);

	if (fd < 0 && (errno == ESRCH || errno == ENODEV)) /* no such thread, or processor */
		return 0;
	if (fd < 0 && !counter->count && (errno == EINVAL || errno == ENOENT))
		return errno;
	if (fd < 0 && counting->list.is_later && perf_is_short_of(errno))
		return errno;
	if (fd < 0)
		return perf_complain("count", name, errno);
	counter->fds = xgrow(counter->fds, counter->count, sizeof(*counter->fds));
	counter->fds[counter->count++] = (struct counter_fd){ fd, cpu };
	return 0;
}

static struct perf_event_attr attr_of(uint32_t id, int is_inherited)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(struct perf_event_attr),
		.config = id,
		.inherit = is_inherited != 0,
	};
}

/*
 * A counter is of all processes on a processor, or of a thread on any of them. The latter
 * also counts for the threads and processes that the thread starts.
 */
static int open_all(const struct counting *counting, struct counter *counter, uint32_t id,
		    const char *name)
{
	const struct target *target = &counting->target;
	struct perf_event_attr attr = attr_of(id, target->thread_count > 0);
	const size_t cpus = target->thread_count ? 0 : counting->processors.count;
	int result = 0;

	for (size_t cpu = 0; cpu < cpus && !result; cpu++)
		result = open_one(counting, counter, &attr, -1, (int)cpu, name);
	for (size_t i = 0; i < target->thread_count && !result; i++)
		result = open_one(counting, counter, &attr, target->threads[i], -1,
				  name);
	return result;
}

static void close_counter(struct counter *counter)
{
	for (size_t i = 0; i < counter->count; i++)
		close(counter->fds[i].fd);
	free(counter->fds);
}

static void add(struct counting *counting, struct counter *counter, uint32_t id,
		const char *name)
{
	counter->id = id;
	counter->row = table_find(counting->events, id);
	row_set_name(counter->row, name);
	counting->counters = xgrow(counting->counters, counting->count, sizeof(*counter));
	counting->counters[counting->count++] = *counter;
}

static int take(void *context, const struct listed_event *event)
{
	struct counting *counting = context;
	struct counter counter = { .count = 0 };
	AUTO_FREE char *name = xprintf("%s:%s", event->system, event->name);
	int result = open_all(counting, &counter, event->id, name);

	if (result)
		close_counter(&counter);
	else
		add(counting, &counter, event->id, name);
	return result;
}

/* Processors that go and come */

static uint64_t read_one(const struct counter_fd *fd)
{
	uint64_t value;

	return read(fd->fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/* Keep the counts of a processor. */
static void detach_one(struct counter *counter, int cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < counter->count; i++) {
		if (counter->fds[i].cpu != cpu) {
			counter->fds[kept++] = counter->fds[i];
			continue;
		}
		counter->before += read_one(&counter->fds[i]);
		close(counter->fds[i].fd);
	}
	counter->count = kept;
}

static void detach(struct counting *counting, int cpu)
{
	for (size_t i = 0; i < counting->count; i++)
		detach_one(&counting->counters[i], cpu);
}

/* Events that have gone since are left out. */
static int attach(struct counting *counting, int cpu)
{
	int result = 0;

	for (size_t i = 0; i < counting->count && !result; i++) {
		struct counter *counter = &counting->counters[i];
		struct perf_event_attr attr = attr_of(counter->id, 0);

		result = open_one(counting, counter, &attr, -1, cpu, counter->row->name);
		if (result > 0 && !perf_is_short_of(result))
			result = 0;
	}
	return result;
}

static int change_processor(void *context, size_t number, int is_online)
{
	struct counting *counting = context;
	int result = 0;

	detach(counting, (int)number);
	if (is_online)
		result = attach(counting, (int)number);
	if (result)
		detach(counting, (int)number);
	return result;
}

int counting_fd(const struct counting *counting)
{
	return counting->target.thread_count ? -1 : processors_fd(&counting->processors);
}

int counting_look(struct counting *counting)
{
	if (!counting->target.thread_count &&
	    processors_look(&counting->processors, change_processor, counting))
		return -1;
	return event_list_look(&counting->list, take, counting);
}

void counting_report(struct counting *counting)
{
	processors_report(&counting->processors);
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
	processors_begin(&counting->processors);
	return counting_look(counting) ? EXIT_FAILED : 0;
}

/* Reading */

uint64_t counting_read(struct counting *counting)
{
	uint64_t total = 0;

	/* two counters may share the row of the others */
	for (size_t i = 0; i < counting->count; i++)
		counting->counters[i].row->events = 0;
	for (size_t i = 0; i < counting->count; i++) {
		struct counter *counter = &counting->counters[i];
		uint64_t sum = counter->before;

		for (size_t j = 0; j < counter->count; j++)
			sum += read_one(&counter->fds[j]);
		counter->row->events += sum;
		total += sum;
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
	processors_end(&counting->processors);
	target_close(&counting->target);
}

/* Counts events by event, process and thread. */

static void add_collected(struct row *row, const struct event *event)
{
	row->events++;
	row->bytes += event->length;
	row->lost += event->record->sample.lost;
}

static void count_process(struct collected *collected, struct row *row,
			  const struct event *event)
{
	const int result = seen_processes_add(&collected->writers, event->kind->event,
					      event->record->sample.pid);

	row->processes += result > 0;
	collected->lacks_writers |= result < 0;
}

static void collect_by_event(struct collected *collected, const struct event *event)
{
	struct row *row = table_find(&collected->events, event->kind->event);
	uint64_t process = (uint64_t)event->record->sample.pid + 1;

	add_collected(row, event);
	if (row->events == 1)
		row_set_name(row, event->kind->shown);
	/* most events are of the process that wrote the one before */
	if (row->last_process != process)
		count_process(collected, row, event);
	row->last_process = process;
	collected->total++;
	collected->bytes += event->length;
}

/*
 * A process has the name of its first thread; until that is known, the name of the library's
 * capture, or of any thread.
 */
static void collect_by_process(struct collected *collected, const struct event *event)
{
	const struct ue_sample *sample = &event->record->sample;
	struct row *row = table_find(&collected->processes, sample->pid);

	add_collected(row, event);
	row->pid = sample->pid;
	collected->knows_lost |= !!(sample->present & UE_META_LOST);
	if (event->captured && event->captured->process && *event->captured->process)
		row_set_name(row, event->captured->process);
	else if (sample->present & UE_META_COMM && (!*row->name || sample->pid == sample->tid))
		row_set_name(row, sample->comm);
}

/* The pair, as processes in other pid namespaces report their own numbers. */
static void collect_by_thread(struct collected *collected, const struct event *event)
{
	const struct ue_sample *sample = &event->record->sample;
	struct row *row = table_find(&collected->threads,
				     (uint64_t)sample->pid << 32 | sample->tid);

	add_collected(row, event);
	row->pid = sample->pid;
	row->tid = sample->tid;
	if (sample->present & UE_META_COMM)
		row_set_name(row, sample->comm);
}

void collect_event(struct collected *collected, struct event *event)
{
	if (!collected->is_counted)
		collect_by_event(collected, event);
	collect_by_process(collected, event);
	collect_by_thread(collected, event);
	activity_table_take(&collected->activities, event);
}

void collect_refresh(struct collected *collected, double seconds)
{
	table_refresh(&collected->events, seconds);
	table_refresh(&collected->processes, seconds);
	table_refresh(&collected->threads, seconds);
	activity_table_refresh(&collected->activities, seconds);
	collected->rate =
		seconds > 0 ? (double)(collected->total - collected->before) / seconds : 0;
	collected->before = collected->total;
}

void collect_forget(struct collected *collected)
{
	table_free(&collected->processes);
	table_free(&collected->threads);
	seen_processes_free(&collected->writers);
	activity_table_free(&collected->activities);
}

void collect_free(struct collected *collected)
{
	collect_forget(collected);
	table_free(&collected->events);
}
