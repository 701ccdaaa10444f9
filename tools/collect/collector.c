/* SPDX-License-Identifier: MIT */
/* Takes events for months. */
#include "collector.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "metrics/metrics.h"
#include "record/recording/recording.h"
#include "serve/metrics_server.h"
#include "service_rings.h"

/* Applies new settings to a collector that runs. */

/* Events already queued were judged by the old expression. */
static void take_expression(struct collector *collector, struct settings *settings)
{
	where_free(collector->where);
	collector->where = settings->expression;
	settings->expression = NULL;
}

static void apply(struct collector *collector, struct settings *settings)
{
	struct settings *running = &collector->settings;

	take_expression(collector, settings);
	collector->has_misfit = 0;
	collector->limit.rate = settings->max_rate ? settings->rate : 0;
	running->where = settings->where;
	running->max_rate = settings->max_rate;
	running->rate = settings->rate;
	running->metrics = settings->metrics;
	running->metrics_labels = settings->metrics_labels;
	free(collector->metrics.labels);
	collector->metrics.labels = metrics_labels_text(&settings->metrics_labels);
	running->metrics_interval = settings->metrics_interval;
	collector->next_metrics = 0;
}

static int lock_files(struct collector *collector, const struct words *metrics)
{
	struct words files = { .items = NULL };
	int result;

	for (size_t i = 0; i < metrics->count; i++)
		if (!listen_address_is(metrics->items[i]))
			words_add(&files, metrics->items[i]);
	result = metrics_lock_take(&collector->lock, &files);
	free(files.items);
	return result;
}

/* This comes after everything else, as it takes effect at once. */
static int listen_there(struct collector *collector, const struct settings *settings)
{
	if (!words_differ(&collector->settings.metrics, &settings->metrics))
		return 0;
	if (lock_files(collector, &settings->metrics))
		return -1;
	if (!metrics_server_listen(collector->server, &settings->metrics))
		return 0;
	lock_files(collector, &collector->settings.metrics); /* it goes on writing these */
	return -1;
}

static int read_again(struct collector *collector)
{
	struct settings settings = collector->settings;

	if (collector->reload(&settings))
		return -1;
	if (listen_there(collector, &settings)) {
		settings_free(&settings);
		return -1;
	}
	apply(collector, &settings);
	settings_free(&collector->reread);
	collector->reread = settings;
	return 0;
}

static void collector_reload(struct collector *collector)
{
	service_notify_reload();
	message(read_again(collector) ? "The settings stay as they were." :
					"The settings were read again.");
	service_notify("READY=1");
}

#define TICK_MS 250
#define SECOND ((int64_t)1000000000)
/*
 * The time left after a signal: 5 seconds are promised, and a tick and the end take their
 * time.
 */
#define DELIVERY_END (7 * SECOND / 2)

static volatile sig_atomic_t is_hung_up;

void collector_hang_up(int signal)
{
	(void)signal;
	is_hung_up = 1;
}

static struct collector *of(struct sink *sink)
{
	return (struct collector *)sink;
}

/* Events */

/*
 * An event that the expression does not fit would end a command; here it is lost, and only the
 * first one is reported.
 */
static int passes(struct collector *collector, struct event *event)
{
	int result;

	if (!collector->where)
		return 1;
	if (collector->has_misfit)
		message_divert(collector->nowhere);
	result = where_passes(collector->where, event);
	message_divert(NULL);
	if (result > 0)
		return 1;
	collector->metrics.kept->sums.left_out += !result;
	collector->metrics.kept->sums.misfits += result < 0;
	collector->has_misfit |= result < 0;
	collector->stream->lost_before += result < 0;
	return 0;
}

static int is_within_limits(struct collector *collector, const struct event *event)
{
	struct metrics *metrics = &collector->metrics;

	if (collector->has_user &&
	    !rate_limits_pass_user(&metrics->of_users, collector->user))
		return 0;
	return rate_limits_pass_provider(&metrics->of_providers, event->kind) &&
	       rate_limit_passes(&collector->limit);
}

static int take(struct sink *sink, struct event *event)
{
	struct collector *collector = of(sink);
	struct event_sums *sums = &collector->metrics.kept->sums;

	collector->is_limited = 0;
	if (!passes(collector, event))
		return 0;
	sums->passed++;
	event_counts_add(&collector->metrics.kinds, event->kind, event->length);
	collector->is_limited = !is_within_limits(collector, event);
	if (collector->is_limited) {
		sums->limited++;
		collector->stream->lost_before++;
	}
	if (collector->is_limited || !collector->metrics.delivery)
		return 0;
	sums->given++;
	return collector->export.sink.take(&collector->export.sink, event);
}

int collector_leaves_out(const struct collector *collector)
{
	return collector->is_limited && !collector->metrics.delivery;
}

/* Ticks */

/* They are also told to the receiver. */
static void count_losses_of_processes(struct collector *collector)
{
	const uint64_t losses = process_watch_losses(collector->watch);

	collector->metrics.kept->sums.losses.in_programs += losses - collector->watched;
	collector->stream->lost_before += losses - collector->watched;
	collector->watched = losses;
}

/* Written at each tick, as a collector that is killed must have counted them. */
static void count_losses(struct collector *collector)
{
	if (!collector->is_of_rings)
		collector->metrics.kept->sums.losses.ring =
			collector->ring_before + collector->stream->lost;
	if (collector->watch)
		count_losses_of_processes(collector);
}

static void add_metrics(void *context, struct bytes *text)
{
	struct collector *collector = context;

	count_losses(collector);
	collector->metrics.recorder = collector->stream->recording.counts;
	metrics_text(&collector->metrics, text);
}

int is_due(int64_t *next, int64_t now, int64_t interval)
{
	if (now < *next)
		return 0;
	*next = now + interval;
	return 1;
}

static int write_file(const struct collector *collector, const char *path,
		      const struct bytes *text)
{
	const int result = metrics_file_write(path, text);

	if (result && !collector->has_complained)
		message("cannot write %s: %s; the events are collected nevertheless", path,
			strerror(-result));
	return result;
}

static void write_metrics(struct collector *collector)
{
	const struct words *metrics = &collector->settings.metrics;
	AUTO(bytes_free) struct bytes text = { 0 };
	int failed = 0;

	add_metrics(collector, &text);
	/* without locks, they are another collector's */
	for (size_t i = 0; i < metrics->count && collector->lock.paths.count; i++)
		if (!listen_address_is(metrics->items[i]))
			failed |= write_file(collector, metrics->items[i], &text);
	collector->has_complained = failed != 0;
}

static void add_places(struct bytes *line, const char *before, const struct words *places)
{
	for (size_t i = 0; i < places->count; i++)
		bytes_addf(line, "%s%s", i ? ", " : before, places->items[i]);
}

/* One line, so that an operator sees the purpose of this collector. */
static void say_begin(const struct collector *collector)
{
	const struct settings *settings = &collector->settings;
	AUTO(bytes_free) struct bytes line = { 0 };

	if (!settings_are_for_rings(settings))
		bytes_addf(&line, "the kernel's events");
	else if (settings->socket)
		bytes_addf(&line, "events of programs with USEREVENTS_SOCKET=%s",
			   settings->socket);
	add_places(&line, settings->socket ? ", and of rings " : "events of rings ",
		   &settings->rings);
	if (settings->to.endpoint)
		bytes_addf(&line, "; exporting to %s",
			   delivery_receiver(collector->metrics.delivery));
	if (settings->record)
		bytes_addf(&line, "; recording into %s", settings->record);
	add_places(&line, "; counts at ", &settings->metrics);
	message("collecting %.*s", (int)line.length, (const char *)line.at);
}

static void show_life(struct collector *collector, int64_t now)
{
	if (!collector->is_ready) {
		service_notify("READY=1");
		say_begin(collector);
	}
	collector->is_ready = 1;
	if (collector->watchdog && is_due(&collector->next_sign, now, collector->watchdog))
		service_notify("WATCHDOG=1");
}

/* The recorder may need a while until it has written all; a source of rings counts itself. */
static void look_for_end(struct collector *collector, int64_t now)
{
	if (collector->is_ending || collector->is_of_rings || !recording_is_stopped())
		return;
	collector->is_ending = 1;
	if (collector->metrics.delivery)
		delivery_end_by(collector->metrics.delivery, now + DELIVERY_END);
}

/*
 * The kernel keeps no event that was read: a kill loses those that are not in a request
 * yet. Rings keep them, if there are files; then the source says when.
 */
static int64_t export_interval(const struct collector *collector)
{
	return collector->spool ? TICK_MS * SECOND / 1000 : SECOND;
}

static int tick(struct sink *sink)
{
	struct collector *collector = of(sink);
	struct sink *export = &collector->export.sink;
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const int64_t interval = (int64_t)collector->settings.metrics_interval * SECOND;

	show_life(collector, now);
	look_for_end(collector, now);
	count_losses(collector);
	metrics_server_serve(collector->server);
	if (is_hung_up) {
		is_hung_up = 0;
		collector_reload(collector);
	}
	if (is_due(&collector->next_metrics, now, interval))
		write_metrics(collector);
	if (collector->holds || !export->tick ||
	    !is_due(&collector->next_second, now, export_interval(collector)))
		return 0;
	return export->tick(export);
}

int collector_store(struct collector *collector)
{
	struct sink *export = &collector->export.sink;
	const int result = export->tick(export);

	kept_counts_are_safe(collector->metrics.kept);
	return result;
}

/* Reported at the end, as a journal may be all that is left of the collector. */
static void report_losses(const struct collector *collector)
{
	uint64_t lost[LOSS_REASONS], sum = 0;
	AUTO(bytes_free) struct bytes reasons = { 0 };

	metrics_losses(&collector->metrics, lost);
	for (int i = 0; i < LOSS_REASONS; i++) {
		lost[i] -= collector->lost_before[i];
		if (!lost[i])
			continue;
		bytes_addf(&reasons, "%s%s %" PRIu64, sum ? ", " : "",
			   loss_reason_name((enum loss_reason)i), lost[i]);
		sum += lost[i];
	}
	if (sum)
		message("%" PRIu64 " event%s lost, by reason: %.*s", sum,
			sum == 1 ? " was" : "s were", (int)reasons.length,
			(const char *)reasons.at);
}

static int end(struct sink *sink)
{
	struct collector *collector = of(sink);
	int result = 0;

	service_notify("STOPPING=1");
	look_for_end(collector, clock_now(CLOCK_MONOTONIC));
	if (collector->metrics.delivery)
		result = collector->export.sink.end(&collector->export.sink);
	write_metrics(collector);
	report_losses(collector);
	return result;
}

/* Beginning and end */

static int open_spool(struct collector *collector)
{
	const struct settings *settings = &collector->settings;

	if (!settings->queue_dir)
		return 0;
	collector->spool = delivery_spool(settings->queue_dir, settings->queue_size);
	collector->holds = settings_are_for_rings(settings);
	return collector->spool ? 0 : -1;
}

/* The receiver is told of events that a collector before this one did not deliver. */
static int open_counts(struct collector *collector)
{
	struct kept_counts *kept = kept_counts_open(collector->settings.state);
	uint64_t waiting = 0;

	if (!kept || open_spool(collector))
		return EXIT_FAILED;
	if (collector->spool)
		waiting = spool_waiting(collector->spool).events;
	collector->metrics.kept = kept;
	collector->stream->lost_before +=
		kept_counts_settle(kept, collector->spool ? &waiting : NULL);
	if (collector->holds)
		kept_counts_are_safe(kept);
	collector->ring_before = kept->sums.losses.ring;
	return 0;
}

static int open_delivery(struct collector *collector)
{
	const struct settings *settings = &collector->settings;
	const struct delivery_options options = {
		.to = &settings->to,
		.queue = settings->queue,
		.spool = collector->spool,
		.spool_bytes = settings->queue_size,
		.sent = &collector->metrics.kept->sent,
		.lost = &collector->stream->lost_before,
	};
	int status;

	if (!settings->to.endpoint)
		return 0;
	collector->metrics.delivery = delivery_open(&options, &status);
	if (!collector->metrics.delivery)
		return status;
	export_sink_init(&collector->export, delivery_exporter(collector->metrics.delivery),
			 collector->stream);
	return 0;
}

static int watch_processes(struct collector *collector)
{
	const struct settings *settings = &collector->settings;

	if (!settings->process_losses)
		return 0;
	collector->watch = process_watch_start(settings->process_losses, &settings->globs);
	return collector->watch ? 0 : EXIT_FAILED;
}

/* The process that records has been forked: it must not keep the addresses. */
static int begin(struct sink *sink)
{
	struct collector *collector = of(sink);

	if (lock_files(collector, &collector->settings.metrics))
		return -1;
	return metrics_server_listen(collector->server, &collector->settings.metrics) ? -1 : 0;
}

int collector_begin(struct collector *collector)
{
	int status;

	take_expression(collector, &collector->settings);
	collector->sink = (struct sink){
		.begin = begin, .take = take, .tick = tick, .interval = TICK_MS, .end = end,
	};
	collector->server = metrics_server_new(add_metrics, collector);
	collector->sink.fd = metrics_server_fd(collector->server);
	collector->nowhere = fopen("/dev/null", "we");
	collector->metrics.started = clock_now(CLOCK_REALTIME);
	collector->metrics.labels = metrics_labels_text(&collector->settings.metrics_labels);
	collector->watchdog = service_watchdog();
	collector->limit.rate = collector->settings.rate;
	collector->metrics.of_providers.rate = collector->settings.rate_of_provider;
	collector->metrics.of_users.rate = collector->settings.rate_of_user;
	if (open_counts(collector))
		return EXIT_FAILED;
	status = open_delivery(collector);
	if (!status)
		metrics_losses(&collector->metrics, collector->lost_before);
	return status ? status : watch_processes(collector);
}

void collector_free(struct collector *collector)
{
	if (collector->metrics.delivery)
		export_sink_free(&collector->export);
	delivery_free(collector->metrics.delivery);
	spool_close(collector->spool);
	metrics_lock_free(&collector->lock);
	metrics_server_free(collector->server);
	where_free(collector->where);
	event_counts_free(&collector->metrics.kinds);
	rate_limits_free(&collector->metrics.of_providers);
	rate_limits_free(&collector->metrics.of_users);
	free(collector->metrics.labels);
	if (collector->nowhere)
		fclose(collector->nowhere);
}
