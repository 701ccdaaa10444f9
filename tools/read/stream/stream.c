/* SPDX-License-Identifier: MIT */
/* Chooses the source of events, and passes its records through the filter to the sink. */
#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/records/ring_record.h"
#include "common/stacks/stacks.h"
#include "read/input/open_input.h"

/* Passes events and ticks to a sink. */

#define MILLISECOND 1000000

static uint64_t lost_before(const struct record *record)
{
	return record && record->sample.present & UE_META_LOST ? record->sample.lost : 0;
}

/* Losses that the record itself counts are counted when it is delivered. */
void count_lost_apart(struct stream *stream, uint64_t lost, const struct record *record)
{
	const uint64_t by_record = lost_before(record);

	stream->lost_before += lost > by_record ? lost - by_record : 0;
}

/*
 * Records of the scheduler outnumber the events of programs by far: only -e makes events
 * of them. As sink->take(), or 2 if it is an event.
 */
static int deliver_sched(struct stream *stream, struct sink *sink,
			 const struct record *record)
{
	const int result = sink->take_sched ? sink->take_sched(sink, record) : 0;

	if (!result && stream->filter.globs.count)
		return 2;
	stream->sched_records++;
	return result;
}

/* Events of an EventHeader tracepoint are told apart when they are read. */
static int wants_stack(const struct stream *stream, const struct event *event)
{
	return event_kind_matches(event->kind, &stream->recording.stacks);
}

int deliver(struct stream *stream, struct sink *sink, const struct record *record,
	    const struct ue_captured *captured)
{
	struct event *event = &stream->event;
	struct record bare;
	int passes;

	stream->lost_before += lost_before(record);
	if (record->tracepoint->is_sched) {
		passes = deliver_sched(stream, sink, record);
		if (passes != 2)
			return passes;
	}
	event_read(event, record, &stream->kinds);
	event->captured = captured;
	passes = filter_passes(&stream->filter, event);
	if (stream->filter.is_left_out && sink->take_left_out)
		sink->take_left_out(sink, event);
	if (passes <= 0)
		return passes;
	stream->events++;
	if (!record->frame_count || wants_stack(stream, event))
		return sink->take(sink, event);
	bare = *record;
	bare.frame_count = 0;
	event->record = &bare;
	return sink->take(sink, event);
}

static int is_selective(const struct stream *stream)
{
	const struct filter *filter = &stream->filter;

	return filter->globs.count || filter->where || filter->from.kind ||
	       filter->to.kind || stream->recording.stacks.count;
}

/* 0, or -1 after a message. */
static int filter_page(struct stream *stream, struct ring_events *events,
		       struct ue_captured_page *page)
{
	struct event *event = &stream->event;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct record record = ring_page_record(events, page, i);
		int passes;

		event_read(event, &record, &stream->kinds);
		event->captured = NULL;
		passes = ring_stacks_is_event(record.tracepoint) ?
				 filter_passes(&stream->filter, event) : 1;
		if (passes < 0)
			return -1;
		page->events[count] = page->events[i];
		if (!wants_stack(stream, event))
			page->events[count].frames = 0;
		count += (uint32_t)passes;
	}
	page->event_count = count;
	return 0;
}

int deliver_page(struct stream *stream, struct sink *sink, struct ring_events *events,
		 struct ue_captured_page *page)
{
	uint32_t count;

	stream->lost_before += page->lost;
	if (is_selective(stream) && filter_page(stream, events, page))
		return -1;
	count = ring_stacks_events(page);
	if (!is_selective(stream)) {
		stream->filter.read += count;
		stream->filter.passed += count;
	}
	stream->events += count;
	return sink->take_page(sink, page);
}

int stacks_ask(const struct stream *stream,
	       int (*ask)(void *context, const char *tracepoints), void *context,
	       const char **failed)
{
	const struct words *stacks = &stream->recording.stacks;
	int result = 0;

	for (size_t i = 0; i < stacks->count && !result; i++) {
		*failed = stacks->items[i];
		result = ring_globs(*failed, ask, context);
	}
	return result;
}

static int is_any(const struct event_kinds *kinds, const struct words *globs)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		if (event_kind_matches(kinds->items[i], globs))
			return 1;
	return 0;
}

static void report_unmatched(const struct event_kinds *kinds, const char *glob)
{
	const char *near = event_kinds_nearest(kinds, glob);

	if (near)
		message("There was no event that --stack \"%s\" matches; did you mean "
			"\"%s\"?", glob, near);
	else
		message("There was no event that --stack \"%s\" matches.", glob);
}

void stacks_report(const struct stream *stream)
{
	const struct words *stacks = &stream->recording.stacks;

	for (size_t i = 0; i < stacks->count && stream->events; i++) {
		const struct words one = { &stacks->items[i], 1 };

		if (!is_any(&stream->kinds, &one))
			report_unmatched(&stream->kinds, stacks->items[i]);
	}
}

int sink_begin(struct sink *sink)
{
	return sink->begin ? sink->begin(sink) : 0;
}

int sink_wait(struct sink *sink)
{
	return sink->wait ? sink->wait(sink) : 0;
}

int sink_end(struct sink *sink)
{
	return sink->end ? sink->end(sink) : 0;
}

int ticks_left(struct ticks *ticks, const struct sink *sink, int most)
{
	int64_t now, left;

	if (!sink->tick)
		return most;
	now = clock_now(CLOCK_MONOTONIC);
	if (!ticks->next)
		ticks->next = now + (int64_t)sink->interval * MILLISECOND;
	left = ticks->next > now ? (ticks->next - now) / MILLISECOND + 1 : 0;
	return most >= 0 && most < left ? most : (int)left;
}

static const int kept_numbers[] = { SIGINT, SIGTERM, SIGHUP };

void signals_keep(struct kept_signals *kept)
{
	for (size_t i = 0; i < sizeof(kept_numbers) / sizeof(kept_numbers[0]); i++)
		sigaction(kept_numbers[i], NULL, &kept->actions[i]);
}

void signals_restore(const struct kept_signals *kept)
{
	for (size_t i = 0; i < sizeof(kept_numbers) / sizeof(kept_numbers[0]); i++)
		sigaction(kept_numbers[i], &kept->actions[i], NULL);
}

static int is_readable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

int ticks_pass(struct ticks *ticks, struct sink *sink)
{
	if (!sink->tick)
		return 0;
	if (ticks_left(ticks, sink, -1) > 0)
		return is_readable(sink->fd) ? sink->tick(sink) : 0;
	ticks->next += (int64_t)sink->interval * MILLISECOND;
	if (ticks->next < clock_now(CLOCK_MONOTONIC)) /* do not catch up */
		ticks->next = 0;
	return sink->tick(sink);
}

const char *ring_argument(char **arguments)
{
	return *arguments && !arguments[1] && ring_is_at(*arguments) ? *arguments : NULL;
}

static const char *why_neither(const char *name)
{
	if (!access(name, F_OK) && !is_file_at(name))
		return "it is a directory; name a file in it";
	if (!is_file_at(name))
		return strchr(name, '/') ? "there is no such file" :
					   "there is no such file here, and none in PATH";
	if (!access(name, X_OK))
		return xprintf("the program here is ./%s", name);
	if (access(name, R_OK))
		return "this user may not read it; ask its owner, or use root";
	return "it is a file of another kind; recordings are for \"userevents decode\"";
}

int operand_check(const char *verb, char **arguments)
{
	if (!*arguments || ring_argument(arguments) || program_exists(*arguments))
		return 0;
	message("cannot %s: \"%s\" is neither a ring nor a program: %s", verb, *arguments,
		why_neither(*arguments));
	return EXIT_FAILED;
}

int stream_begin(struct stream *stream)
{
	struct filter *filter = &stream->filter;

	if ((stream->from && time_limit_parse(stream->from, 0, &filter->from)) ||
	    (stream->to && time_limit_parse(stream->to, 1, &filter->to)) ||
	    filter_is_empty(filter) || filter_begin(filter))
		return EXIT_WRONG_USAGE;
	return 0;
}

static int has_watch_options(const struct recording *recording)
{
	return recording->pids.count || recording->definitions.count || recording->duration ||
	       recording->tracefs || recording->has_all_processes;
}

static int has_relative_times(const struct filter *filter)
{
	return time_limit_is_relative(&filter->from) || time_limit_is_relative(&filter->to);
}

static int check(const struct stream *stream, const struct usage *usage, char **arguments)
{
	if (stream->is_run && stream->is_watch)
		return options_complain(usage, "--run and --watch exclude each other");
	if (!stream->is_watch && has_watch_options(&stream->recording))
		return options_complain(usage, "--pid, --all, --register, --duration and "
					"--tracefs are for --watch");
	if (stream->is_run && !*arguments)
		return options_complain(usage, "no program is given");
	if ((stream->is_run || stream->is_watch) && has_relative_times(&stream->filter))
		return options_complain(usage, "of live events, --from and %s are dates or "
					"seconds", filter_until(&stream->filter));
	if (!stream->is_run && !stream->is_watch && !*arguments)
		return options_complain(usage, "no source is given: recordings, --run or "
					"--watch");
	return 0;
}

int stream_read(struct stream *stream, const struct usage *usage, char **arguments,
		struct sink *sink)
{
	int status = stream_begin(stream);

	if (!status)
		status = check(stream, usage, arguments);
	if (status)
		return status;
	if (stream->is_run)
		return stream_program(stream, arguments, sink);
	if (!stream->is_watch)
		return stream_files(stream, arguments, sink);
	return ring_argument(arguments) ? stream_ring(stream, *arguments, sink) :
					  stream_kernel(stream, arguments, sink);
}

char *const *stream_inputs(const struct stream *stream, char **arguments)
{
	const int is_program = stream->is_run ||
			       (stream->is_watch && !ring_argument(arguments));

	return is_program ? NULL : arguments;
}

void stream_free(struct stream *stream)
{
	filter_free(&stream->filter);
	event_kinds_free(&stream->kinds);
}

/*
 * Reads recordings to find the times of their first and last event.
 *
 * "-10s" is before the end of a recording, and only its reader knows when that is. So it is
 * read twice. This one renders nothing, which is most of the work. A stream on standard
 * input becomes an unnamed file first, and takes its place.
 */

static void take_clock(struct time_span *span, int64_t time)
{
	if (!span->has_clock || time < span->clock_first)
		span->clock_first = time;
	if (!span->has_clock || time > span->clock_last)
		span->clock_last = time;
	span->has_clock = 1;
}

static void take_wall(struct time_span *span, int64_t time)
{
	if (!span->has_wall || time < span->first)
		span->first = time;
	if (!span->has_wall || time > span->last)
		span->last = time;
	span->has_wall = 1;
}

static void read_times(const char *path, struct time_span *span)
{
	struct record record;
	struct input input;

	if (!input_open(&input, path)) {
		while (input_next(&input, &record) > 0) {
			if (!(record.sample.present & UE_META_TIME))
				continue;
			if (record.sample.is_wall_clock)
				take_wall(span, record.sample.time);
			else
				take_clock(span, record.sample.time);
		}
	}
	input_close(&input);
}

static int replace_standard_input(struct source *source)
{
	int result = source_spool(source);

	if (!result && (dup2(source->fd, STDIN_FILENO) < 0 ||
			lseek(STDIN_FILENO, 0, SEEK_SET) < 0))
		result = -errno;
	if (result)
		message("cannot read standard input twice, as times that depend on its events "
			"need: %s", strerror(-result));
	return result ? -1 : 0;
}

/* A file that cannot be opened is reported by the next reader. */
static int make_rereadable(const char *path)
{
	struct source source;
	int result = 0;

	if (source_open(&source, path))
		return 0;
	if (!source_is_lasting(&source)) {
		if (!strcmp(path, "-")) {
			result = replace_standard_input(&source);
		} else {
			message("cannot read %s twice, as times that depend on its events "
				"need; save it as a file", path);
			result = -1;
		}
	}
	source_close(&source);
	return result;
}

int filter_resolve_times(struct filter *filter, char **paths)
{
	struct time_span span = { 0 };

	if (!time_limit_is_relative(&filter->from) && !time_limit_is_relative(&filter->to))
		return 0;
	for (; *paths; paths++) {
		if (make_rereadable(*paths))
			return -1;
		read_times(*paths, &span);
	}
	time_limit_resolve(&filter->from, &span, NULL);
	time_limit_resolve(&filter->to, &span, &filter->from);
	return 0;
}
