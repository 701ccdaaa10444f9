/* SPDX-License-Identifier: MIT */
/* Counts events by name, and by the values of a field. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* The index of the total among the sets of processes. */
#define TOTAL (UINT32_MAX - 1)

/* Room for numbers 0 to number in a list of indexes. */
static uint32_t *index_at(uint32_t **list, uint32_t *size, uint32_t number)
{
	const uint32_t old = *size;

	if (number >= old) {
		*size = number < 32 ? 64 : number * 2;
		*list = xrealloc(*list, *size * sizeof(**list));
		memset(*list + old, 0, (*size - old) * sizeof(**list));
	}
	return *list + number;
}

static struct tally_row *row_at(struct tally *tally, uint32_t *index,
				const struct event_kind *kind, uint32_t group)
{
	if (*index)
		return &tally->rows[*index - 1];
	tally->rows = xgrow(tally->rows, tally->row_count, sizeof(*tally->rows));
	tally->rows[tally->row_count] = (struct tally_row){ .kind = kind, .group = group };
	*index = ++tally->row_count;
	return &tally->rows[*index - 1];
}

/* Without a field, GROUP_OTHERS is the only group of each event. */
static struct tally_row *row_of(struct tally *tally, struct event *event)
{
	const struct event_kind *kind = event->kind;
	uint32_t group = GROUP_OTHERS;
	struct value value;

	if (tally->by) {
		asked_field_get(tally->by, event, &value);
		group = group_find(&tally->groups, kind->number, &value);
		tally->others += group == GROUP_OTHERS;
	}
	if (group == GROUP_OTHERS)
		return row_at(tally, index_at(&tally->of_kind, &tally->of_kinds, kind->number),
			      kind, group);
	return row_at(tally, index_at(&tally->of_group, &tally->of_groups, group), kind, group);
}

static void count_process(struct tally *tally, struct tally_row *row, uint32_t set,
			  uint32_t pid)
{
	int result;

	if (row->has_pid && row->last_pid == pid)
		return;
	row->has_pid = 1;
	row->last_pid = pid;
	result = pid_sets_add(&tally->processes, set, pid);
	row->processes += result > 0;
	tally->unknown_processes += result < 0;
}

static void widen(struct tally_row *row, int64_t time)
{
	if (!row->has_time || time < row->first)
		row->first = time;
	if (!row->has_time || time > row->last)
		row->last = time;
	row->has_time = 1;
}

static void count_time(struct tally *tally, struct tally_row *row,
		       const struct ue_sample *sample)
{
	const int is_wall_clock = sample->is_wall_clock != 0;

	if (!tally->total.has_time)
		tally->is_wall_clock = is_wall_clock;
	if (tally->is_wall_clock != is_wall_clock) {
		tally->other_clock++;
		return;
	}
	widen(row, sample->time);
	widen(&tally->total, sample->time);
}

static int take(struct sink *sink, struct event *event)
{
	struct tally *tally = (struct tally *)sink;
	const struct ue_sample *sample = &event->record->sample;
	struct tally_row *row = row_of(tally, event);

	row->count++;
	row->bytes += event->length;
	if (sample->present & UE_META_LOST)
		row->lost += sample->lost;
	if (sample->present & UE_META_PID) {
		count_process(tally, row, (uint32_t)(row - tally->rows), sample->pid);
		count_process(tally, &tally->total, TOTAL, sample->pid);
	}
	if (sample->present & UE_META_TIME)
		count_time(tally, row, sample);
	return 0;
}

void tally_begin(struct tally *tally, struct asked_field *by, uint32_t groups_most)
{
	*tally = (struct tally){
		.sink = { .take = take },
		.by = by,
		.groups = { .most = groups_most },
	};
}

void tally_free(struct tally *tally)
{
	groups_free(&tally->groups);
	pid_sets_free(&tally->processes);
	free(tally->rows);
	free(tally->of_group);
	free(tally->of_kind);
}
