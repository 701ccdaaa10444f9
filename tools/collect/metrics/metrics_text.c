/* SPDX-License-Identifier: MIT */
/* Writes counts as text for Prometheus: losses first, as they are why one looks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "metrics.h"
#include "metrics_series.h"

static void add(struct bytes *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct bytes *text, const char *format, ...)
{
	va_list arguments;
	char *line;

	va_start(arguments, format);
	line = xvprintf(format, arguments);
	va_end(arguments);
	bytes_add(text, line, strlen(line));
	free(line);
}

static void begin(struct bytes *text, const char *name, const char *type, const char *help)
{
	add(text, "# HELP userevents_%s %s\n# TYPE userevents_%s %s\n", name, help, name, type);
}

static void one(struct bytes *text, const char *name, const char *type, const char *help,
		uint64_t value)
{
	begin(text, name, type, help);
	add(text, "userevents_%s %" PRIu64 "\n", name, value);
}

static void of_label(struct bytes *text, const char *name, const char *label,
		     const char *value, uint64_t count)
{
	add(text, "userevents_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, count);
}

/* Losses */

static void add_losses(const struct metrics *metrics, struct bytes *text)
{
	static const char name[] = "lost_events_total";
	uint64_t lost[LOSS_REASONS];

	metrics_losses(metrics, lost);
	begin(text, name, "counter", "Events that were written and will not arrive, by the "
	      "place that lost them.");
	for (int i = 0; i < LOSS_REASONS; i++)
		of_label(text, name, "reason", loss_reason_name((enum loss_reason)i), lost[i]);
}

/* Events */

static void add_kinds(const struct metrics *metrics, struct bytes *text)
{
	static const char events[] = "events_total", bytes[] = "event_payload_bytes_total";
	struct metrics_series *series;
	const size_t count = metrics_series_make(&metrics->kinds, &series);

	begin(text, events, "counter", "Events that pass the filter, by provider and name.");
	for (size_t i = 0; i < count; i++)
		add(text, "userevents_%s{%s} %" PRIu64 "\n", events, series[i].labels,
		    series[i].events);
	begin(text, bytes, "counter", "Bytes of their payloads.");
	for (size_t i = 0; i < count; i++)
		add(text, "userevents_%s{%s} %" PRIu64 "\n", bytes, series[i].labels,
		    series[i].bytes);
	metrics_series_free(series, count);
}

static void add_events(const struct metrics *metrics, struct bytes *text)
{
	const struct event_sums *sums = &metrics->kept->sums;

	one(text, "read_events_total", "counter", "Events that -e selects and that were read.",
	    sums->passed + sums->left_out + sums->misfits);
	one(text, "filtered_events_total", "counter", "Events that --where leaves out.",
	    sums->left_out);
	add_kinds(metrics, text);
}

/* Export */

static void add_requests(const struct sender_counts *sender, struct bytes *text)
{
	static const char name[] = "export_requests_total";

	begin(text, name, "counter", "Requests to the receiver, by their end.");
	of_label(text, name, "result", "delivered", sender->delivered.requests);
	of_label(text, name, "result", "no_room", sender->lost[SENDER_LOST_QUEUE].requests);
	of_label(text, name, "result", "refused", sender->lost[SENDER_LOST_REFUSED].requests);
	of_label(text, name, "result", "given_up", sender->lost[SENDER_LOST_GIVEN_UP].requests);
	one(text, "export_retries_total", "counter", "Requests that were sent again.",
	    sender->retries);
}

static void add_latency(const struct sender_counts *sender, struct bytes *text)
{
	begin(text, "export_latency_seconds", "summary",
	      "Time from the queue to the answer, of delivered requests.");
	add(text, "userevents_export_latency_seconds_sum %.9f\n",
	    (double)sender->latency_sum / 1e9);
	add(text, "userevents_export_latency_seconds_count %" PRIu64 "\n",
	    sender->latency_count);
}

static void add_export(const struct metrics *metrics,
		       const struct delivery_counts *delivery, struct bytes *text)
{
	const struct sender_counts *sender = &delivery->sender;
	static const char pending[] = "pending_events";

	one(text, "delivered_events_total", "counter", "Events that the receiver took.",
	    sender->delivered.events);
	begin(text, pending, "gauge", "Events on their way, by the place where they are.");
	of_label(text, pending, "place", "encoder",
		 events_in_encoder(&metrics->kept->sums, sender));
	of_label(text, pending, "place", "queue", sender->queued.events);
	one(text, "queue_bytes", "gauge", "Bytes of requests that wait or are on their way.",
	    sender->queued.bytes);
	one(text, "queue_limit_bytes", "gauge", "Room for them.", delivery->limit);
	one(text, "exported_bytes_total", "counter", "Bytes of delivered requests, before compression.",
	    sender->delivered.bytes);
	add_requests(sender, text);
	add_latency(sender, text);
}

/* Recording */

static void add_recording(const struct copy_counts *copy, struct bytes *text)
{
	one(text, "recorded_events_total", "counter", "Events in files, also removed ones.",
	    copy->events);
	one(text, "unrecorded_events_total", "counter",
	    "Events in no file, as the disk was full.", copy->missed);
	one(text, "recorded_bytes_total", "counter", "Bytes of all files.", copy->bytes);
	one(text, "recording_files", "gauge", "Files that exist.", copy->files);
	one(text, "removed_files_total", "counter", "Files that were removed for newer ones.",
	    copy->removed);
}

static void add_guests(const struct guest_counts *guests, struct bytes *text)
{
	one(text, "socket_rings", "gauge", "Rings that programs got at the socket.",
	    guests->rings);
	one(text, "socket_rings_limit", "gauge", "Those that there may be.", guests->limit);
	one(text, "socket_refused_programs_total", "counter",
	    "Programs that got none, so that their events are not collected.", guests->refused);
}

void metrics_text(const struct metrics *metrics, struct bytes *text)
{
	struct delivery_counts delivery = { .limit = 0 };

	if (metrics->delivery)
		delivery_count(metrics->delivery, &delivery);
	add_losses(metrics, text);
	add_events(metrics, text);
	if (metrics->delivery)
		add_export(metrics, &delivery, text);
	if (metrics->copy)
		add_recording(metrics->copy, text);
	if (metrics->guests.limit)
		add_guests(&metrics->guests, text);
	begin(text, "start_time_seconds", "gauge", "When the collector began, since 1970.");
	add(text, "userevents_start_time_seconds %.3f\n", (double)metrics->started / 1e9);
	begin(text, "build_info", "gauge", "1, with the version of the collector.");
	add(text, "userevents_build_info{version=\"%s\"} 1\n", UE__VERSION);
}
