/* SPDX-License-Identifier: MIT */
/*
 * A recording through perf: its events, the processors that come and go, its beginning
 * and its end. recorder_pass.c copies the records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/perf/perf_input.h"
#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "recorder.h"
#include "record/store/kept_records.h"
#include "kernel/tracefs/tracing_files.h"

/* Every user may have this much; the least without --buffer. */
#define BUFFER_LEAST ((size_t)64 << 10)

static void read_names(struct recorder *recorder)
{
	AUTO(bytes_free) struct bytes records = { 0 };

	recorder->time_at = 8 * (size_t)recorder->samples.events.events[0].end_time_at;
	existing_threads_add(&records, recorder_dummy_id(recorder));
	if (recorder->rings.has_cgroups)
		recorder_read_groups(recorder, &records);
	if (recorder->rings.wants_code)
		existing_code_add(&records, recorder_dummy_id(recorder));
	known_names_take_all(&recorder->names, &records, recorder->time_at);
	if (recorder->second)
		second_output_name(recorder->second, &records, recorder->time_at);
	if (event_filter_looks(&recorder->filter))
		known_names_take_all(&recorder->filter.names, &records, recorder->time_at);
}

static void describe(struct recorder *recorder, struct perf_opened *opened,
		     const struct listed_event *event)
{
	opened->attr.write_backward = 0; /* records in files are not */
	if (recorder->second)
		second_output_add(recorder->second, opened, event);
	perf_layout_add(&recorder->layout, opened, event);
}

/* Called by recording.c */

/*
 * Names are read once the dummies record changes, and before there are events: so each
 * thread of an event is named, even one that has ended when the file is begun.
 */
int recorder_begin(struct recorder *recorder)
{
	size_t least = recorder->buffer_is_given ? recorder->buffer : BUFFER_LEAST;
	const struct clock_pair clocks = clock_pair_now();
	struct perf_opened dummy;
	int result;

	processors_begin(&recorder->processors);
	recorder->rings.target = recorder->target;
	recorder->rings.is_overwritten = recorder->kept.at != NULL;
	recorder->rings.wants_code = recorder->stacks->count > 0;
	result = perf_rings_open(&recorder->rings, recorder->buffer, least, &dummy);

	recorder->layout.file = recorder->file;
	recorder->layout.tracefs = recorder->tracefs;
	describe(recorder, &dummy, NULL);
	if (result)
		return result;
	sample_records_add(&recorder->samples, &recorder->layout.events[0].opened, NULL);
	recorder->samples.wall_offset = (uint64_t)clock_pair_offset(&clocks);
	read_names(recorder);
	return 0;
}

/* Events of EventHeader mean all of the tracepoints that may have them. */
static int wants_stack(struct recorder *recorder, const struct listed_event *event)
{
	const struct words *globs = recorder->stacks;
	struct words *left = &recorder->stacks_unmatched;
	int wants = 0;

	for (size_t i = 0; i < globs->count; i++) {
		const struct words one = { &globs->items[i], 1 };
		const int matches = glob_may_match_events(globs->items[i], event->name) ||
				    glob_matches(&one, event->system, event->name,
						 strlen(event->name));

		left->items[i] = matches ? NULL : left->items[i];
		wants |= matches;
	}
	return wants;
}

static int add(struct recorder *recorder, const struct listed_event *event)
{
	struct tracepoint *tracepoint =
		tracepoint_new(event->system, event->name, event->format,
			       event->format_length, HOST_IS_BIG_ENDIAN);
	struct perf_opened opened;
	char name[512];
	int result;

	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	recorder->rings.filter = event_filter_for_kernel(&recorder->filter, tracepoint);
	recorder->rings.frames =
		wants_stack(recorder, event) ? recorder->frames : 0;
	result = perf_rings_add(&recorder->rings, event->id, name, &opened);
	free(recorder->rings.filter);
	if (result) {
		tracepoint_free(tracepoint);
		free(opened.ids);
		return result;
	}
	recorder->tracepoints++;
	sample_records_add(&recorder->samples, &opened, tracepoint);
	describe(recorder, &opened, event);
	return 0;
}

/* It would open, and nothing would ever come. */
static int leave_out_event_probe(struct recorder *recorder, const struct listed_event *event)
{
	message("perf gets no events of %s:%s, an event probe; enable it in tracefs, and read "
		"trace there", event->system, event->name);
	recorder->left_out++;
	return 0;
}

int recorder_add(struct recorder *recorder, const struct listed_event *event)
{
	if (event_is_event_probe(recorder->tracefs, event))
		return leave_out_event_probe(recorder, event);
	return add(recorder, event);
}

/* One of "sched": 0, or -1 after a message. */
static int add_sched(struct recorder *recorder, const char *name)
{
	struct listed_event event = { .system = xstrdup("sched"), .name = xstrdup(name) };
	AUTO_FREE char *place = xprintf("events/sched/%s/format", name);
	AUTO_FREE char *path = tracing_path(recorder->tracefs, place);
	const char *line;
	size_t length;
	int result = -1;

	event.format = tracing_read(path, &event.format_length);
	line = format_line(event.format ? event.format : "", event.format_length, "ID",
			   &length);
	event.id = line ? (uint32_t)strtoul(line, NULL, 10) : 0;
	if (event.id)
		result = add(recorder, &event);
	else if (event.format)
		message("cannot record sched:%s: its format has no number; leave out "
			"--sched", name);
	if (result > 0)
		message("cannot record sched:%s: %s; leave out --sched", name,
			strerror(result));
	free(event.system);
	free(event.name);
	free(event.format);
	return result ? -1 : 0;
}

int recorder_add_sched(struct recorder *recorder)
{
	static const char *const names[] = { "sched_switch", "sched_wakeup",
					     "sched_wakeup_new" };
	int result = 0;

	recorder->filter.spares_sched = 1;
	recorder->rings.is_for_all = 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !result; i++)
		result = add_sched(recorder, names[i]);
	recorder->rings.is_for_all = 0;
	recorder->tracepoints = 0; /* of events of programs */
	return result;
}

int recorder_has_tracepoint(const struct recorder *recorder, uint32_t id)
{
	for (size_t i = 1; i < recorder->layout.count; i++)
		if (recorder->layout.events[i].event.id == id)
			return 1;
	return 0;
}

int recorder_has_events(const struct recorder *recorder)
{
	return recorder->events && recorder->taken > recorder->sched;
}

void recorder_count_late(const struct recorder *recorder, size_t count)
{
	if (recorder->counts)
		atomic_fetch_add_explicit(&recorder->counts->late, count,
					  memory_order_relaxed);
}

/* Processors */

static void take_id(void *context, size_t event, uint64_t id)
{
	struct recorder *recorder = context;

	perf_layout_extend(&recorder->layout, event, id);
	sample_records_extend(&recorder->samples, event, id);
	if (recorder->second)
		second_output_extend(recorder->second, event, id);
}

/* The ring of a processor that went is emptied first. */
static int change_processor(void *context, size_t number, int is_online)
{
	struct recorder *recorder = context;
	struct perf_rings *rings = &recorder->rings;

	if (number >= rings->count)
		return 0;
	if (rings->rings[number].page &&
	    recorder_take_ring(recorder, &rings->rings[number]))
		return -1;
	perf_rings_detach(rings, number);
	return is_online ? perf_rings_attach(rings, number, take_id, recorder) : 0;
}

/* Events of threads follow them, so nothing need be done. */
static int follows_processors(const struct recorder *recorder)
{
	return !recorder->target->thread_count;
}

void recorder_wait(struct recorder *recorder, int milliseconds)
{
	const int fd = follows_processors(recorder) ? processors_fd(&recorder->processors) : -1;

	perf_rings_wait(&recorder->rings, fd, milliseconds);
}

int recorder_follow_processors(struct recorder *recorder)
{
	struct processors *processors = &recorder->processors;

	if (!follows_processors(recorder))
		return 0;
	if (processors_look(processors, change_processor, recorder))
		return -1;
	if (recorder->counts)
		atomic_store_explicit(&recorder->counts->gaps_ns, processors->gaps_ns,
				      memory_order_relaxed);
	return 0;
}

/* Each event counts all occurrences, also those overwritten before it was taken. */
static void count_overwritten(struct recorder *recorder)
{
	const uint64_t counted = perf_rings_counted(&recorder->rings);

	if (counted > recorder->seen + recorder->lost)
		recorder->replaced += counted - recorder->seen - recorder->lost;
}

int recorder_finish(struct recorder *recorder)
{
	int failed;

	perf_rings_stop(&recorder->rings);
	failed = recorder_pass(recorder) || recorder_report_lost(recorder) ||
		 recorder_pass(recorder);
	if (recorder->rings.is_overwritten)
		count_overwritten(recorder);
	if (recorder->second)
		second_output_finish(recorder->second);
	return failed || recorder_output_finish(recorder) ? -1 : 0;
}

void recorder_close(struct recorder *recorder)
{
	perf_rings_close(&recorder->rings);
	processors_end(&recorder->processors);
	if (recorder->second)
		second_output_close(recorder->second);
	perf_layout_free(&recorder->layout);
	bytes_free(&recorder->bytes);
	kept_records_free(&recorder->kept);
	known_names_free(&recorder->names);
	sample_records_free(&recorder->samples);
	event_filter_free(&recorder->filter);
}
