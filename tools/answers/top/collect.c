/* SPDX-License-Identifier: MIT */
/* Counts events by event, process and thread. */
#include "collect.h"

#include <userevents/capture.h>

static void add(struct row *row, const struct event *event)
{
	row->events++;
	row->bytes += event->length;
	row->lost += event->record->sample.lost;
}

static void count_process(struct collected *collected, struct row *row,
			  const struct event *event)
{
	const int result = pid_sets_add(&collected->writers, event->kind->number,
					event->record->sample.pid);

	row->processes += result > 0;
	collected->lacks_writers |= result < 0;
}

static void collect_by_event(struct collected *collected, const struct event *event)
{
	struct row *row = table_find(&collected->events, event->kind->number);
	uint64_t process = (uint64_t)event->record->sample.pid + 1;

	add(row, event);
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

	add(row, event);
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

	add(row, event);
	row->pid = sample->pid;
	row->tid = sample->tid;
	if (sample->present & UE_META_COMM)
		row_set_name(row, sample->comm);
}

void collect_event(struct collected *collected, const struct event *event)
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
	pid_sets_free(&collected->writers);
	activity_table_free(&collected->activities);
}

void collect_free(struct collected *collected)
{
	collect_forget(collected);
	table_free(&collected->events);
}
