/* SPDX-License-Identifier: MIT */
/* Evaluates expressions for the samples of the recorder. */
#include "event_filter.h"

#include <linux/perf_event.h>

#include "read/perf/perf_input.h"

int event_filter_parse(struct event_filter *filter, const char *where,
		       const char *dump_when)
{
	if (where && !(filter->where = where_parse(where)))
		return -1;
	return dump_when && !(filter->dump_when = where_parse(dump_when)) ? -1 : 0;
}

static void add_names(const struct event_filter *filter, const struct perf_sample *from,
		      struct ue_sample *sample)
{
	sample->comm = thread_names_find(&filter->names.threads, from->tid, from->time);
	if (from->present & UE_META_CGROUP)
		sample->cgroup = known_groups_find(&filter->names.groups, from->cgroup);
	sample->present |= (sample->comm ? UE_META_COMM : 0) |
			   (sample->cgroup ? UE_META_CGROUP : 0);
}

/* 1, 0, or -1 after a message. */
static int passes(struct event_filter *filter, const struct record *record)
{
	int result;

	event_read(&filter->event, record, &filter->kinds);
	result = filter->where && !filter->is_for_kernel ?
			 where_passes(filter->where, &filter->event) : 1;
	if (result <= 0 || !filter->dump_when)
		return result;
	result = where_passes(filter->dump_when, &filter->event);
	filter->asks |= result > 0;
	return result < 0 ? -1 : 1;
}

int event_filter_passes(struct event_filter *filter, const struct sample_records *samples,
			const uint8_t *bytes, size_t time_at)
{
	struct perf_sample sample;
	struct record record;
	int result = 1;

	if (load_u32(bytes, HOST_IS_BIG_ENDIAN) != PERF_RECORD_SAMPLE) {
		known_names_take(&filter->names, bytes, time_at);
		return 1;
	}
	if (!filter->has_failed && sample_record(samples, bytes, &record, &sample)) {
		add_names(filter, &sample, &record.sample);
		result = passes(filter, &record);
	}
	filter->has_failed |= result < 0;
	return result > 0 && !filter->has_failed;
}

void event_filter_end_round(struct event_filter *filter)
{
	filter->names.threads.round++;
}

char *event_filter_for_kernel(const struct event_filter *filter,
			      const struct tracepoint *tracepoint)
{
	return filter->where ? where_for_kernel(filter->where, tracepoint) : NULL;
}

void event_filter_report(const struct event_filter *filter)
{
	if (filter->where)
		where_report(filter->where);
	if (filter->dump_when)
		where_report(filter->dump_when);
}

void event_filter_free(struct event_filter *filter)
{
	where_free(filter->where);
	where_free(filter->dump_when);
	known_names_free(&filter->names);
	event_kinds_free(&filter->kinds);
}
