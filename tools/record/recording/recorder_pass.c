/* SPDX-License-Identifier: MIT */
/*
 * A pass over the kernel's rings: their records are sifted and written, ring after ring,
 * with a mark behind them (struct sample_queue of read/perf/perf_input.h).
 *
 * The kernel's records of losses are left out: they also count records of processes,
 * which share the rings. Since Linux 6.0 each perf event has a count of its own losses,
 * and records made from these counts take their place.
 */
#include "recorder.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "perf_file.h"
#include "read/perf/perf_input.h"
#include "record/store/kept_records.h"

/* Turns samples of the recorder's own perf events into records. */

void sample_records_add(struct sample_records *samples, const struct perf_opened *opened,
			struct tracepoint *tracepoint)
{
	long event;

	samples->events.is_big_endian = HOST_IS_BIG_ENDIAN;
	event = perf_events_add(&samples->events, (const uint8_t *)&opened->attr,
				sizeof(opened->attr));
	samples->tracepoints = xgrow(samples->tracepoints, samples->count,
				     sizeof(struct tracepoint *));
	samples->tracepoints[samples->count++] = tracepoint;
	for (size_t i = 0; event >= 0 && i < opened->id_count; i++)
		key_table_set(&samples->events.ids, opened->ids[i], (uint32_t)event);
}

void sample_records_extend(struct sample_records *samples, size_t event, uint64_t id)
{
	key_table_set(&samples->events.ids, id, (uint32_t)event);
}

/* The event of a sample, or NULL; the bytes after the sample's header. */
static struct perf_event *find_event(const struct sample_records *samples,
				     const uint8_t *bytes, const uint8_t **body,
				     size_t *length)
{
	uint32_t event;

	*body = bytes + PERF_RECORD_HEADER_SIZE;
	*length = load_u16(bytes + 6, HOST_IS_BIG_ENDIAN) - PERF_RECORD_HEADER_SIZE;
	event = perf_sample_event(&samples->events, *body, *length);
	return event == NO_EVENT ? NULL : &samples->events.events[event];
}

uint64_t sample_time(const struct sample_records *samples, const uint8_t *bytes)
{
	const uint8_t *body;
	size_t length;
	const struct perf_event *event = find_event(samples, bytes, &body, &length);

	return event ? perf_sample_time(&samples->events, event, body, length) : 0;
}

static struct tracepoint *tracepoint_of(const struct sample_records *samples,
					const struct perf_event *event)
{
	return event ? samples->tracepoints[event - samples->events.events] : NULL;
}

/* Whether any PERF_RECORD_SAMPLE is of the scheduler. */
static int sample_is_sched(const struct sample_records *samples, const uint8_t *bytes)
{
	const uint8_t *body;
	size_t length;
	const struct tracepoint *tracepoint =
		tracepoint_of(samples, find_event(samples, bytes, &body, &length));

	return tracepoint && tracepoint->is_sched;
}

/*
 * A PERF_RECORD_SAMPLE, whose bytes the record refers to, without names: 1, or 0 if it is none
 * of ours.
 */
static int sample_record(const struct sample_records *samples, const uint8_t *bytes,
			 struct record *record, struct perf_sample *sample)
{
	const uint8_t *body;
	size_t length;
	const struct perf_event *event = find_event(samples, bytes, &body, &length);
	struct tracepoint *tracepoint = tracepoint_of(samples, event);

	if (!tracepoint || perf_sample_parse(&samples->events, event, body, length, sample) ||
	    !sample->raw)
		return 0;
	*record = (struct record){
		.tracepoint = tracepoint,
		.bytes = sample->raw,
		.length = sample->raw_length,
		.sample = {
			.size = sizeof(record->sample),
			.present = sample->present & ~UE_META_CGROUP,
			.is_wall_clock = 1,
			.time = (int64_t)(sample->time + samples->wall_offset),
			.cpu = sample->cpu,
			.pid = sample->pid,
			.tid = sample->tid,
		},
	};
	return 1;
}

void sample_records_free(struct sample_records *samples)
{
	for (size_t i = 0; i < samples->count; i++)
		tracepoint_free(samples->tracepoints[i]);
	free(samples->tracepoints);
	perf_events_free(&samples->events);
	*samples = (struct sample_records){ 0 };
}

/* Evaluates expressions for the samples of the recorder. */

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

	if (filter->spares_sched && record->tracepoint->is_sched)
		return 1;
	event_read(&filter->event, record, &filter->kinds);
	result = filter->where && !filter->is_for_kernel ?
			 where_passes(filter->where, &filter->event) : 1;
	if (result <= 0 || !filter->dump_when)
		return result;
	result = where_passes(filter->dump_when, &filter->event);
	filter->asks |= result > 0;
	return result < 0 ? -1 : 1;
}

/*
 * Take any record of perf: 1, or 0 if it is an event to leave out. After an expression that
 * does not fit an event, and a message, all further events are left out.
 */
static int event_filter_passes(struct event_filter *filter,
			       const struct sample_records *samples, const uint8_t *bytes,
			       size_t time_at)
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

/* All rings were passed once more: names of threads that ended are kept for two such rounds. */
static void event_filter_end_round(struct event_filter *filter)
{
	filter->names.threads.round++;
}

char *event_filter_for_kernel(const struct event_filter *filter,
			      const struct tracepoint *tracepoint)
{
	return filter->where && !(filter->spares_sched && tracepoint->is_sched) ?
		       where_for_kernel(filter->where, tracepoint) : NULL;
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

/*
 * Groups are read again when the new ones' records have this many bytes, and twice those of
 * all.
 */
#define GROUP_BYTES_LEAST ((size_t)1 << 20)

/* The least time between two questions for losses, unless the kernel reports one. */
#define ASK_NS 1000000000u

uint64_t recorder_dummy_id(const struct recorder *recorder)
{
	return recorder->layout.events[0].opened.ids[0];
}

void recorder_read_groups(struct recorder *recorder, struct bytes *records)
{
	const size_t before = records->length;

	existing_cgroups_add(records, recorder_dummy_id(recorder));
	recorder->group_bytes = 0;
	recorder->group_bytes_most = 2 * (records->length - before);
	if (recorder->group_bytes_most < GROUP_BYTES_LEAST)
		recorder->group_bytes_most = GROUP_BYTES_LEAST;
}

static int put(struct recorder *recorder, const void *bytes, size_t length)
{
	if (recorder->second)
		second_output_put(recorder->second, bytes, length);
	return recorder_output_put(recorder, bytes, length);
}

/*
 * Called before they are written, which may wait: a reader that gives up knows the
 * losses.
 */
static void show_counts(const struct recorder *recorder)
{
	if (!recorder->counts)
		return;
	atomic_store_explicit(&recorder->counts->taken, recorder->taken, memory_order_relaxed);
	atomic_store_explicit(&recorder->counts->lost, recorder->lost, memory_order_relaxed);
}

/* Whether the record is a loss that recorder_report_lost() reports more exactly. */
static int take_lost(struct recorder *recorder, const uint8_t *record)
{
	uint64_t lost;

	recorder->has_lost = 1;
	if (recorder->rings.read_format)
		return 1;
	memcpy(&lost, record + 16, sizeof(lost)); /* header and id stand before it */
	recorder->lost += lost;
	return 0;
}

static void count_sched(struct recorder *recorder, const uint8_t *sample)
{
	recorder->sched += (uint64_t)sample_is_sched(&recorder->samples, sample);
}

/* Take records of losses out, and events that do not pass. */
static void sift(struct recorder *recorder, struct bytes *bytes)
{
	struct perf_event_header header;
	size_t length = bytes->length;
	int looks = event_filter_looks(&recorder->filter);

	bytes->length = 0;
	for (size_t at = 0; at < length; at += header.size) {
		const uint8_t *record = bytes->at + at;

		memcpy(&header, record, sizeof(header));
		recorder->seen += header.type == PERF_RECORD_SAMPLE;
		if (header.type == PERF_RECORD_CGROUP)
			recorder->group_bytes += header.size;
		if (header.type == PERF_RECORD_LOST && take_lost(recorder, record))
			continue;
		if (looks && !event_filter_passes(&recorder->filter, &recorder->samples, record,
						  recorder->time_at))
			continue;
		if (bytes->length != at)
			memmove(bytes->at + bytes->length, record, header.size);
		bytes->length += header.size;
		recorder->taken += header.type == PERF_RECORD_SAMPLE;
		if (recorder->filter.spares_sched && header.type == PERF_RECORD_SAMPLE)
			count_sched(recorder, bytes->at + bytes->length - header.size);
	}
}

/* Set the time of made records, which is 0 in all. */
static void set_times(const struct recorder *recorder, struct bytes *records, uint64_t time)
{
	struct perf_event_header header;

	for (size_t at = 0; at < records->length; at += header.size) {
		memcpy(&header, records->at + at, sizeof(header));
		memcpy(records->at + at + header.size - recorder->time_at, &time,
		       sizeof(time));
	}
}

/*
 * The names and code of the threads that wrote the rest of a ring. Their own records may
 * be among those that were overwritten, with times before the events that remain.
 */
static int name_writers(struct recorder *recorder, const struct bytes *bytes, uint64_t time)
{
	AUTO(key_table_free) struct key_table threads = { .slots = NULL },
					      processes = { .slots = NULL };
	AUTO(bytes_free) struct bytes records = { 0 };
	struct perf_event_header header;
	uint32_t who[2]; /* process and thread, behind header and id */

	for (size_t at = 0; at < bytes->length; at += header.size) {
		memcpy(&header, bytes->at + at, sizeof(header));
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(who, bytes->at + at + 16, sizeof(who));
		if (key_table_find(&threads, who[1]) == KEY_UNKNOWN)
			existing_thread_add(&records, recorder_dummy_id(recorder), who[0], who[1]);
		if (key_table_find(&processes, who[0]) == KEY_UNKNOWN)
			existing_code_of(&records, recorder_dummy_id(recorder), who[0]);
		key_table_set(&threads, who[1], 0);
		key_table_set(&processes, who[0], 0);
	}
	set_times(recorder, &records, time);
	return put(recorder, records.at, records.length);
}

/* The time of the first event, or 0. */
static uint64_t first_time(const struct recorder *recorder, const struct bytes *bytes)
{
	struct perf_event_header header;

	for (size_t at = 0; at < bytes->length; at += header.size) {
		memcpy(&header, bytes->at + at, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE)
			return sample_time(&recorder->samples, bytes->at + at);
	}
	return 0;
}

/*
 * Records were overwritten before they were taken. So the rest has a gap up to the
 * first event of these records, and must begin there; without an event, up to the moment
 * to which they were taken, as the events of a burst may follow. The names that were
 * overwritten are those that threads have.
 */
static int note_gap(struct recorder *recorder, const struct perf_ring *ring,
		    const struct bytes *bytes)
{
	const uint64_t first = first_time(recorder, bytes);
	const uint64_t until = first ? first - 1 : ring->taken_at;
	AUTO(bytes_free) struct bytes names = { 0 };

	recorder->has_gaps = 1;
	if (until > recorder->replaced_until)
		recorder->replaced_until = until;
	/* once for all rings: it reads a file of each thread of the machine */
	if (!recorder->has_read_names)
		existing_threads_add(&names, recorder_dummy_id(recorder));
	recorder->has_read_names = 1;
	known_names_take_all(&recorder->names, &names, recorder->time_at);
	return first && recorder->rings.wants_code ? name_writers(recorder, bytes, until) : 0;
}

int recorder_take_ring(struct recorder *recorder, struct perf_ring *ring)
{
	int has_failed = recorder->filter.has_failed;
	struct bytes *bytes = &recorder->bytes;

	bytes->length = 0;
	if (perf_ring_take(&recorder->rings, ring, bytes) && note_gap(recorder, ring, bytes))
		return -1;
	if (!bytes->length)
		return 0;
	sift(recorder, bytes);
	show_counts(recorder);
	recorder->rounds = 2;
	recorder->may_have_lost = 1;
	if (put(recorder, bytes->at, bytes->length))
		return -1;
	return has_failed == recorder->filter.has_failed ? 0 : -1;
}

int recorder_report_lost(struct recorder *recorder)
{
	uint64_t id = recorder_dummy_id(recorder);
	uint64_t lost = perf_rings_lost(&recorder->rings);
	uint64_t content[2] = { id, lost - recorder->lost };
	AUTO(bytes_free) struct bytes bytes = { 0 };

	recorder->has_lost = 0;
	recorder->may_have_lost = 0;
	recorder->asked = (uint64_t)clock_now(CLOCK_MONOTONIC);
	if (lost <= recorder->lost)
		return 0;
	recorder->lost = lost;
	show_counts(recorder);
	made_record_add(&bytes, PERF_RECORD_LOST, content, sizeof(content), 0, id);
	return put(recorder, bytes.at, bytes.length);
}

/*
 * The kernel reports a loss in a ring only with the next event that fits. None may come after
 * a burst, so ask then, too: in a pass that took nothing, and not always, as each event has a
 * descriptor for each processor.
 */
static int should_ask(const struct recorder *recorder, uint64_t taken_before)
{
	return recorder->has_lost ||
	       (recorder->may_have_lost && recorder->taken == taken_before &&
		(uint64_t)clock_now(CLOCK_MONOTONIC) - recorder->asked >= ASK_NS);
}

/* Each event in memory is later than the last reading but one, so its group has a name. */
static int should_read_groups(const struct recorder *recorder)
{
	return recorder->group_bytes > recorder->group_bytes_most &&
	       recorder->group_bytes > recorder->kept.size;
}

/* Begin again with these; groups that ended are forgotten the next time. */
static void name_groups(struct recorder *recorder, const struct bytes *records)
{
	struct second_output *second = recorder->second;

	known_groups_turn(&recorder->names.groups);
	known_names_take_all(&recorder->names, records, recorder->time_at);
	if (event_filter_looks(&recorder->filter)) {
		known_groups_turn(&recorder->filter.names.groups);
		known_names_take_all(&recorder->filter.names, records, recorder->time_at);
	}
	if (!second)
		return;
	known_groups_turn(&second->recorder.names.groups);
	second_output_name(second, records, recorder->time_at);
}

/*
 * A reader, too, forgets groups that were not named again for long (struct task_names).
 * Files of a series, and those that memory is written into, begin with the names.
 */
static int read_groups_again(struct recorder *recorder)
{
	const int has_one_file = !recorder->series.path && !recorder->kept.at;
	AUTO(bytes_free) struct bytes records = { 0 };
	int result = 0;

	recorder_read_groups(recorder, &records);
	if (records.length)
		name_groups(recorder, &records);
	if (has_one_file)
		result = recorder_output_put(recorder, records.at, records.length);
	return result;
}

/* A collector that begins at boot, before the clock is set, runs on for months. */
static int follow_clock(struct recorder *recorder)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!recorder->is_watched || now < recorder->next_clock)
		return 0;
	recorder->next_clock = now + ASK_NS;
	if (perf_layout_follow_clock(&recorder->layout))
		return -1;
	recorder->samples.wall_offset = (uint64_t)clock_pair_offset(&recorder->layout.clocks);
	return 0;
}

int recorder_pass(struct recorder *recorder)
{
	static const struct perf_event_header round = {
		.type = PERF_FINISHED_ROUND,
		.size = sizeof(round),
	};
	const uint64_t taken_before = recorder->taken;

	if (recorder->second)
		second_output_describe(recorder->second);
	if (recorder_output_describe(recorder) || follow_clock(recorder))
		return -1;
	recorder->has_read_names = 0;
	for (size_t i = 0; i < recorder->rings.count; i++)
		if (recorder_take_ring(recorder, &recorder->rings.rings[i]))
			return -1;
	if (should_read_groups(recorder) && read_groups_again(recorder))
		return -1;
	if (should_ask(recorder, taken_before) && recorder_report_lost(recorder))
		return -1;
	if (!recorder->rounds)
		return 0;
	recorder->rounds--;
	event_filter_end_round(&recorder->filter);
	return put(recorder, &round, sizeof(round));
}
