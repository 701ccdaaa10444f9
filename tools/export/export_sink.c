/* SPDX-License-Identifier: MIT */
/* Passes events and losses to an exporter. */
#include "export_sink.h"

static struct export_sink *of(struct sink *sink)
{
	return (struct export_sink *)sink;
}

static uint64_t not_reported(const struct export_sink *sink)
{
	const uint64_t lost = sink->stream->lost_before;

	return lost > sink->lost ? lost - sink->lost : 0;
}

static int report(struct export_sink *sink, const struct lost_events *lost)
{
	if (!lost->count)
		return 0;
	sink->lost += lost->count;
	return sink->exporter->lost(sink->exporter, lost);
}

/*
 * Those that the event counts were lost by its process, on its processor; others are of
 * events that did not pass the filter, or known of the recording alone.
 */
static int tell_before(struct export_sink *sink, const struct exported_event *event)
{
	const struct ue_sample *sample = &event->event->record->sample;
	struct lost_events lost = { .time = event->time, .clock_time = event->clock_time };
	const uint64_t all = not_reported(sink);
	int result;

	lost.count = all > event->lost ? all - event->lost : 0;
	result = report(sink, &lost);
	if (result)
		return result;
	lost.count = event->lost;
	lost.origin = event->origin;
	lost.has_cpu = !!(sample->present & UE_META_CPU);
	lost.cpu = lost.has_cpu ? sample->cpu : 0;
	return report(sink, &lost);
}

/* Without a recording that can be read, an old file stays. */
int export_sink_begin(struct sink *base)
{
	const struct export_sink *sink = of(base);

	if (!sink->exporter->begin || (!sink->stream->is_live && !sink->stream->opened))
		return 0;
	return sink->exporter->begin(sink->exporter);
}

static int take(struct sink *base, struct event *event)
{
	struct export_sink *sink = of(base);
	int result;

	exported_event_read(&sink->events, event, &sink->last);
	sink->is_any = 1;
	result = tell_before(sink, &sink->last);
	return result ? result : sink->exporter->take(sink->exporter, &sink->last);
}

static int take_sched(struct sink *base, const struct record *record)
{
	struct export_sink *sink = of(base);
	struct sched_record read;
	int64_t time, clock_time;

	if (!filter_has_time(&sink->stream->filter, record) ||
	    sched_read(&sink->sched, record, &read))
		return 0;
	exported_times(record, &time, &clock_time);
	return sink->exporter->take_sched(sink->exporter, &read, time, clock_time);
}

static int wait_for_more(struct sink *base)
{
	struct exporter *exporter = of(base)->exporter;

	return exporter->flush ? exporter->flush(exporter) : 0;
}

static int tick(struct sink *base)
{
	struct exporter *exporter = of(base)->exporter;

	return exporter->tick(exporter);
}

static int end(struct sink *base)
{
	struct export_sink *sink = of(base);
	struct lost_events lost = {
		.count = not_reported(sink),
		.time = sink->is_any ? sink->last.time : 0,
		.clock_time = sink->is_any ? sink->last.clock_time : 0,
	};
	const int failed = report(sink, &lost) < 0;

	return sink->exporter->end(sink->exporter) < 0 || failed ? -1 : 0;
}

void export_sink_init(struct export_sink *sink, struct exporter *exporter,
		      const struct stream *stream)
{
	*sink = (struct export_sink){
		.sink = {
			.begin = export_sink_begin,
			.take = take,
			.take_sched = exporter->take_sched ? take_sched : NULL,
			.wait = wait_for_more,
			.tick = exporter->tick ? tick : NULL,
			.interval = 1000,
			.fd = -1,
			.end = end,
		},
		.exporter = exporter,
		.stream = stream,
	};
}

void export_sink_free(struct export_sink *sink)
{
	if (sink->exporter)
		sink->exporter->free(sink->exporter);
	exported_events_free(&sink->events);
}
