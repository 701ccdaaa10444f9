/* SPDX-License-Identifier: MIT */
/*
 * Gathers the facts of a page from events one by one: lanes of threads, marks, losses,
 * and the kinds of events.
 */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "facts.h"

/* Finds the lane of an event: that of its thread. */

static int is_of(const struct lane *lane, const struct ue_sample *sample)
{
	return lane->has_pid == !!(sample->present & UE_META_PID) &&
	       lane->has_tid == !!(sample->present & UE_META_TID) &&
	       (!lane->has_pid || lane->pid == sample->pid) &&
	       (!lane->has_tid || lane->tid == sample->tid);
}

static struct lane *rest_of(struct facts *facts)
{
	struct lane *lane = &facts->lanes[LANES_GATHERED];

	lane->number = LANES_GATHERED;
	lane->is_rest = 1;
	return lane;
}

static struct lane *add(struct facts *facts, const struct ue_sample *sample, uint64_t key)
{
	struct lane *lane;

	if (facts->lane_count == LANES_GATHERED)
		return rest_of(facts);
	lane = &facts->lanes[facts->lane_count];
	lane->number = facts->lane_count++;
	lane->has_pid = !!(sample->present & UE_META_PID);
	lane->has_tid = !!(sample->present & UE_META_TID);
	lane->pid = lane->has_pid ? sample->pid : 0;
	lane->tid = lane->has_tid ? sample->tid : 0;
	key_table_add(&facts->by_thread, key, lane->number);
	return lane;
}

static struct lane *look_up(struct facts *facts, const struct ue_sample *sample)
{
	const uint64_t key = (uint64_t)sample->pid << 32 | sample->tid;
	uint32_t steps = 0, found;

	while ((found = key_table_next(&facts->by_thread, key, &steps)) != KEY_UNKNOWN)
		if (is_of(&facts->lanes[found], sample))
			return &facts->lanes[found];
	return add(facts, sample, key);
}

/* A thread may change its name; the last one is shown. */
static void set_comm(struct lane *lane, const char *comm)
{
	const size_t length = strnlen(comm, sizeof(lane->comm) - 1);

	memcpy(lane->comm, comm, length);
	lane->comm[length] = '\0';
}

static struct lane *lane_find(struct facts *facts, const struct ue_sample *sample)
{
	struct lane *lane = &facts->lanes[facts->last_lane];

	if (!facts->lane_count || !is_of(lane, sample))
		lane = look_up(facts, sample);
	if (!lane->is_rest) {
		facts->last_lane = lane->number;
		if (sample->present & UE_META_COMM && sample->comm)
			set_comm(lane, sample->comm);
	}
	return lane;
}

void facts_begin(struct facts *facts, struct event_kinds *kinds)
{
	*facts = (struct facts){ .of_source = kinds };
	facts->lanes = xcalloc(LANES_GATHERED + 1, sizeof(*facts->lanes));
	activities_begin(facts);
}

static void series_add(struct series *series, const struct time_scale *scale,
		       int64_t time, enum severity severity, uint32_t count)
{
	struct time_bins **bins = &series->of[severity];

	if (!*bins)
		*bins = xcalloc(1, sizeof(**bins));
	time_bins_add(*bins, scale, time, count);
}

static void series_free(struct series *series)
{
	for (int i = 0; i < SEVERITIES; i++)
		free(series->of[i]);
}

static enum severity severity_of(const struct event *event)
{
	const unsigned int level = event->info ? event->info->level : 0;

	if (level == UE_LEVEL_CRITICAL_ERROR || level == UE_LEVEL_ERROR)
		return SEVERITY_ERROR;
	return level == UE_LEVEL_WARNING ? SEVERITY_WARNING : SEVERITY_PLAIN;
}

/* Times of one clock alone can be on one line. */
static int place(struct facts *facts, const struct ue_sample *sample)
{
	const int is_wall_clock = sample->is_wall_clock != 0;

	if (!(sample->present & UE_META_TIME) ||
	    (facts->scale.is_set && is_wall_clock != facts->is_wall_clock)) {
		facts->without_time++;
		return 0;
	}
	facts->is_wall_clock = is_wall_clock;
	time_scale_include(&facts->scale, sample->time);
	return 1;
}

char *event_line(struct facts *facts, struct event *event)
{
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_TAGS,
		.meta = UE_META_NONE,
	};
	char *out = bytes_room(&facts->text, EVENT_TEXT_MAX);
	ptrdiff_t length;

	length = event->info ?
			 ue_reader_to_text(&event->reader, &opts, out, EVENT_TEXT_MAX) :
			 ue_record_to_text(&event->record->tracepoint->format, event->bytes,
					   event->length, &opts, out, EVENT_TEXT_MAX);
	if (length < 0)
		return xstrdup("");
	return xprintf("%s%s", out, length >= EVENT_TEXT_MAX ? " \xe2\x80\xa6" : "");
}

/* Marks */

/* Room for warnings and errors is worth more than some of the plain events. */
static void drop_plain_marks(struct facts *facts)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < facts->mark_count; i++)
		if (facts->marks[i].severity == SEVERITY_PLAIN) {
			facts->plain_marks_omitted++;
			free(facts->marks[i].text);
		} else {
			facts->marks[kept++] = facts->marks[i];
		}
	facts->mark_count = kept;
}

static int has_room_for_mark(struct facts *facts, enum severity severity)
{
	if (severity == SEVERITY_PLAIN && facts->plain_marks_omitted) {
		facts->plain_marks_omitted++;
		return 0;
	}
	if (facts->mark_count == MARKS_GATHERED)
		drop_plain_marks(facts);
	if (severity == SEVERITY_PLAIN && facts->plain_marks_omitted)
		return has_room_for_mark(facts, severity);
	if (facts->mark_count < MARKS_GATHERED)
		return 1;
	facts->marks_omitted++;
	return 0;
}

static void mark_take(struct facts *facts, struct event *event, const struct lane *lane,
		      enum severity severity, uint32_t error)
{
	if (!has_room_for_mark(facts, severity))
		return;
	facts->marks = xgrow(facts->marks, facts->mark_count, sizeof(*facts->marks));
	facts->marks[facts->mark_count++] = (struct mark){
		.time = event->record->sample.time,
		.lane = lane->number,
		.severity = severity,
		.error = error,
		.kind = event->kind,
		.text = event_line(facts, event),
	};
}

/* Losses */

static void losses_take(struct facts *facts, const struct ue_sample *sample,
			struct lane *lane, int is_timed)
{
	if (!(sample->present & UE_META_LOST) || !sample->lost)
		return;
	facts->lost_here += sample->lost;
	lane->lost += sample->lost;
	if (is_timed)
		series_add(&facts->losses_series, &facts->scale, sample->time,
			   SEVERITY_PLAIN, sample->lost);
	if (facts->loss_count == LOSSES_GATHERED) {
		facts->places_omitted++;
		return;
	}
	facts->losses = xgrow(facts->losses, facts->loss_count, sizeof(*facts->losses));
	facts->losses[facts->loss_count++] = (struct loss){
		.time = sample->time,
		.has_time = is_timed,
		.lane = lane->number,
		.count = sample->lost,
	};
}

/* Gathers the facts of a page about the events of one name. */

/* Kinds have the numbers 0, 1, 2, ..., so those up to the limit are the first. */
static struct kind_facts *find(struct facts *facts, const struct event_kind *kind)
{
	const uint32_t number = kind->event;

	if (number >= KINDS_GATHERED) {
		if (number - KINDS_GATHERED >= facts->kinds_beyond)
			facts->kinds_beyond = number - KINDS_GATHERED + 1;
		return &facts->rest;
	}
	for (; facts->kind_count <= number; facts->kind_count++) {
		facts->kinds = xgrow(facts->kinds, facts->kind_count, sizeof(*facts->kinds));
		facts->kinds[facts->kind_count] = NULL;
	}
	if (!facts->kinds[number]) {
		facts->kinds[number] = xcalloc(1, sizeof(**facts->kinds));
		facts->kinds[number]->kind = kind;
	}
	return facts->kinds[number];
}

static void add_process(struct kind_facts *kind, const struct ue_sample *sample)
{
	if (!(sample->present & UE_META_PID))
		return;
	for (uint32_t i = 0; i < kind->process_count && i < PROCESSES_COUNTED; i++)
		if (kind->processes[i] == sample->pid)
			return;
	if (kind->process_count < PROCESSES_COUNTED)
		kind->processes[kind->process_count] = sample->pid;
	if (kind->process_count <= PROCESSES_COUNTED)
		kind->process_count++;
}

static void add_time(struct facts *facts, struct kind_facts *kind, int64_t time,
		     enum severity severity)
{
	if (!kind->has_time)
		kind->first = kind->last = time;
	kind->has_time = 1;
	if (time < kind->first)
		kind->first = time;
	if (time > kind->last)
		kind->last = time;
	series_add(&kind->series, &facts->scale, time, severity, 1);
}

static int is_unreadable(const struct event *event)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;

	return !event->info && (tracepoint->is_bare || tracepoint->format.is_eventheader);
}

/* is_timed: the event's time is on the scale. */
static void kind_take(struct facts *facts, struct event *event, enum severity severity,
		      int is_timed)
{
	const struct ue_sample *sample = &event->record->sample;
	struct kind_facts *kind = find(facts, event->kind);

	kind->count++;
	kind->of_severity[severity]++;
	kind->bytes += event->length;
	if (event->info)
		kind->levels |= 1u << (event->info->level < LEVELS_KEPT ? event->info->level :
									 LEVELS_KEPT - 1);
	add_process(kind, sample);
	if (is_timed)
		add_time(facts, kind, sample->time, severity);
	if (is_unreadable(event)) {
		kind->malformed++;
		facts->malformed++;
	} else if (kind->kind) {
		fields_take(facts, kind, event);
	}
}

static void kind_facts_free(struct kind_facts *kind)
{
	series_free(&kind->series);
	fields_free(kind);
}

/* All of an event */

static void place_on_lane(struct facts *facts, const struct event *event, struct lane *lane,
			  enum severity severity)
{
	const int64_t time = event->record->sample.time;

	series_add(&facts->series, &facts->scale, time, severity, 1);
	series_add(&lane->series, &facts->scale, time, severity, 1);
}

void facts_take(struct facts *facts, struct event *event)
{
	const struct ue_sample *sample = &event->record->sample;
	const enum severity severity = severity_of(event);
	const int is_timed = place(facts, sample);
	struct lane *lane = lane_find(facts, sample);
	uint32_t error;
	int is_shown; /* as an activity */

	facts->keys.length = 0;
	facts->events++;
	facts->bytes += event->length;
	facts->of_severity[severity]++;
	facts->eventheader += event->info != NULL;
	lane->count++;
	losses_take(facts, sample, lane, is_timed);
	stack_tally_take(&facts->stacks, event);
	kind_take(facts, event, severity, is_timed);
	if (is_timed)
		place_on_lane(facts, event, lane, severity);
	error = is_timed && severity == SEVERITY_ERROR ? error_take(facts, event, lane) : 0;
	is_shown = activities_take(facts, event, lane, severity, is_timed) &&
		   severity == SEVERITY_PLAIN;
	if (is_timed && !is_shown)
		mark_take(facts, event, lane, severity, error);
	if (is_timed)
		before_keep(facts, event);
}

void facts_take_sched(struct facts *facts, const struct record *record)
{
	facts->has_sched = 1;
	thread_states_take(&facts->threads, record);
}

static void adapt(struct series *series, const struct time_scale *scale)
{
	for (int i = 0; i < SEVERITIES; i++)
		if (series->of[i])
			time_bins_adapt(series->of[i], scale);
}

void facts_end(struct facts *facts)
{
	activities_end(facts);
	adapt(&facts->series, &facts->scale);
	adapt(&facts->losses_series, &facts->scale);
	for (uint32_t i = 0; i <= LANES_GATHERED; i++)
		adapt(&facts->lanes[i].series, &facts->scale);
	for (uint32_t i = 0; i < facts->kind_count; i++)
		if (facts->kinds[i])
			adapt(&facts->kinds[i]->series, &facts->scale);
	adapt(&facts->rest.series, &facts->scale);
}

void facts_free(struct facts *facts)
{
	activities_free(facts);
	errors_free(facts);
	thread_states_free(&facts->threads);
	stack_tally_free(&facts->stacks);
	for (uint32_t i = 0; i < facts->kind_count; i++)
		if (facts->kinds[i]) {
			kind_facts_free(facts->kinds[i]);
			free(facts->kinds[i]);
		}
	kind_facts_free(&facts->rest);
	for (uint32_t i = 0; i <= LANES_GATHERED; i++)
		series_free(&facts->lanes[i].series);
	for (uint32_t i = 0; i < facts->mark_count; i++)
		free(facts->marks[i].text);
	series_free(&facts->series);
	series_free(&facts->losses_series);
	free(facts->kinds);
	free(facts->lanes);
	key_table_free(&facts->by_thread);
	free(facts->marks);
	free(facts->losses);
	bytes_free(&facts->text);
	bytes_free(&facts->path);
	bytes_free(&facts->keys);
}
