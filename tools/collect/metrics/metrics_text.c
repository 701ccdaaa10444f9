/* SPDX-License-Identifier: MIT */
/* Writes counts as text for Prometheus: losses first, as they are why one looks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "metrics.h"
#include "record/recording/recorder.h"

/*
 * Writes metrics into a file for the textfile collector of node_exporter, which may read it at
 * any moment: so it is written under another name, which that ignores, and renamed.
 */

static int write_new(const char *path, const struct bytes *text)
{
	int fd, result = 0;

	unlink(path); /* whatever it is: opening a pipe would wait */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (write_all(fd, text->at, text->length) != text->length)
		result = -errno;
	if (close(fd) && !result)
		result = -errno;
	return result;
}

int metrics_file_write(const char *path, const struct bytes *text)
{
	AUTO_FREE char *new = xprintf("%s.new", path);
	int result = write_new(new, text);

	if (!result && rename(new, path))
		result = -errno;
	if (result)
		unlink(new);
	return result;
}

/*
 * Gathers losses from the places that count them.
 *
 * Each event that was read is in exactly one of: filtered; lost as "filter" or
 * "rate_limit"; pending in the encoder, in the queue or on the disk; lost as "queue",
 * "receiver", "restart" or "corrupt"; delivered. Those lost as "library", "ring", "socket" or
 * "damaged" were never read.
 */

const char *loss_reason_name(enum loss_reason reason)
{
	static const char *const names[LOSS_REASONS] = {
		[LOSS_LIBRARY] = "library",
		[LOSS_RING] = "ring",
		[LOSS_SOCKET] = "socket",
		[LOSS_DAMAGED] = "damaged",
		[LOSS_FILTER] = "filter",
		[LOSS_RATE_LIMIT] = "rate_limit",
		[LOSS_QUEUE] = "queue",
		[LOSS_RECEIVER] = "receiver",
		[LOSS_RESTART] = "restart",
		[LOSS_CORRUPT] = "corrupt",
	};

	return names[reason];
}

static uint64_t lost_by_receiver(const struct sender_counts *sender)
{
	return sender->lost[SENDER_LOST_REFUSED].events +
	       sender->lost[SENDER_LOST_REJECTED].events +
	       sender->lost[SENDER_LOST_GIVEN_UP].events;
}

void metrics_losses(const struct metrics *metrics, uint64_t lost[LOSS_REASONS])
{
	const struct event_sums *sums = &metrics->kept->sums;
	struct delivery_counts delivery = { .limit = 0 };

	if (metrics->delivery)
		delivery_count(metrics->delivery, &delivery);
	lost[LOSS_LIBRARY] = sums->losses.in_programs;
	lost[LOSS_RING] = sums->losses.ring;
	lost[LOSS_SOCKET] = sums->losses.socket;
	lost[LOSS_DAMAGED] = sums->losses.damaged;
	lost[LOSS_FILTER] = sums->misfits;
	lost[LOSS_RATE_LIMIT] = sums->limited;
	lost[LOSS_QUEUE] = delivery.sender.lost[SENDER_LOST_QUEUE].events;
	lost[LOSS_RECEIVER] = lost_by_receiver(&delivery.sender);
	lost[LOSS_RESTART] = sums->restart;
	lost[LOSS_CORRUPT] =
		sums->corrupt + delivery.sender.lost[SENDER_LOST_CORRUPT].events;
}

struct page {
	struct bytes *text;
	const char *labels; /* of each series; may be "" */
};

static void begin(struct page *page, const char *name, const char *type, const char *help)
{
	bytes_addf(page->text, "# HELP userevents_%s %s\n# TYPE userevents_%s %s\n", name,
		   help, name, type);
}

/* own: labels of this series; may be "". */
static void add_name(struct page *page, const char *name, const char *own)
{
	const char *const comma = *page->labels && *own ? "," : "";

	if (*page->labels || *own)
		bytes_addf(page->text, "userevents_%s{%s%s%s} ", name, page->labels,
			   comma, own);
	else
		bytes_addf(page->text, "userevents_%s ", name);
}

static void add_count(struct page *page, const char *name, const char *own, uint64_t count)
{
	add_name(page, name, own);
	bytes_addf(page->text, "%" PRIu64 "\n", count);
}

static void one(struct page *page, const char *name, const char *type, const char *help,
		uint64_t value)
{
	begin(page, name, type, help);
	add_count(page, name, "", value);
}

static void of_label(struct page *page, const char *name, const char *label,
		     const char *value, uint64_t count)
{
	AUTO_FREE char *own = xprintf("%s=\"%s\"", label, value);

	add_count(page, name, own, count);
}

/* Losses */

static void add_losses(const struct metrics *metrics, struct page *page)
{
	static const char name[] = "lost_events_total";
	uint64_t lost[LOSS_REASONS];

	metrics_losses(metrics, lost);
	begin(page, name, "counter", "Events that were written and will not arrive, by the "
	      "place that lost them.");
	for (int i = 0; i < LOSS_REASONS; i++)
		of_label(page, name, "reason", loss_reason_name((enum loss_reason)i), lost[i]);
}

struct user_losses *user_losses_of(struct metrics *metrics, uint32_t user)
{
	struct user_losses *at = metrics->kept->losing, *others = at + LOSING_USERS;

	while (at < others && at->is_used && at->user != user)
		at++;
	at->user = user;
	at->is_used = 1;
	return at;
}

static void of_user(struct page *page, const char *name, const char *reason,
		    const char *user, uint64_t count)
{
	AUTO_FREE char *own = xprintf("reason=\"%s\",uid=\"%s\"", reason, user);

	add_count(page, name, own, count);
}

/* Those of programs at the socket, by user: who floods or damages rings has a name. */
static void add_losses_of_users(const struct metrics *metrics, struct page *page)
{
	static const char name[] = "socket_lost_events_total";
	const struct user_losses *const losing = metrics->kept->losing;
	const struct user_losses *const others = losing + LOSING_USERS;

	begin(page, name, "counter",
	      "Of these, events in the rings of a user's programs.");
	for (const struct user_losses *at = losing; at <= others; at++) {
		AUTO_FREE char *user = at == others ? xstrdup("(others)") :
						      xprintf("%" PRIu32, at->user);

		if (at->is_used) {
			of_user(page, name, "ring", user, at->ring);
			of_user(page, name, "library", user, at->library);
			of_user(page, name, "damaged", user, at->damaged);
		}
	}
}

static char *label_of(const char *label, const char *value, struct clean_texts *texts)
{
	struct bytes text = { 0 };

	bytes_addf(&text, "%s=\"", label);
	metrics_value_add(&text, texts, value);
	bytes_add(&text, "\"", 2);
	return (char *)text.at;
}

/* Those that lost events, by different labels. */
static size_t limited_series(const struct rate_limits *limits, const char *label,
			     struct metrics_series *series)
{
	AUTO(clean_texts_free) struct clean_texts texts = { 0 };
	size_t count = 0;

	for (size_t i = 0; i <= limits->count; i++) {
		const struct limited *one =
			&limits->items[i < limits->count ? i : LIMITED_MOST];
		const char *value = one->name ? one->name : "(others)";

		if (one->lost)
			series[count++] = (struct metrics_series){
				.labels = label_of(label, value, &texts),
				.events = one->lost,
			};
	}
	return metrics_series_merge(series, count);
}

static void add_limited(const struct rate_limits *limits, struct page *page,
			const char *name, const char *label, const char *help)
{
	struct metrics_series *series;
	size_t count;

	if (!limits->rate)
		return;
	begin(page, name, "counter", help);
	series = xcalloc(limits->count + 1, sizeof(*series));
	count = limited_series(limits, label, series);
	for (size_t i = 0; i < count; i++)
		add_count(page, name, series[i].labels, series[i].events);
	metrics_series_free(series, count);
}

static void add_limits(const struct metrics *metrics, struct page *page)
{
	add_limited(
		&metrics->of_providers, page, "provider_limited_events_total", "provider",
		"Events beyond the limit of their provider; also lost by rate_limit.");
	add_limited(&metrics->of_users, page, "user_limited_events_total", "uid",
		    "Events beyond the limit of their user; also lost by rate_limit.");
}

/* Events */

static void add_kinds(const struct metrics *metrics, struct page *page)
{
	static const char events[] = "events_total", bytes[] = "event_payload_bytes_total";
	struct metrics_series *series;
	const size_t count = metrics_series_make(&metrics->kinds, &series);

	begin(page, events, "counter", "Events that pass the filter, by provider and name.");
	for (size_t i = 0; i < count; i++)
		add_count(page, events, series[i].labels, series[i].events);
	begin(page, bytes, "counter", "Payload bytes of the events that pass the "
	      "filter, by provider and name.");
	for (size_t i = 0; i < count; i++)
		add_count(page, bytes, series[i].labels, series[i].bytes);
	metrics_series_free(series, count);
}

static void add_events(const struct metrics *metrics, struct page *page)
{
	const struct event_sums *sums = &metrics->kept->sums;

	one(page, "read_events_total", "counter", "Events that -e selects and that were read.",
	    sums->passed + sums->left_out + sums->misfits);
	one(page, "filtered_events_total", "counter", "Events that --where leaves out.",
	    sums->left_out);
	add_kinds(metrics, page);
}

/* Export */

static void add_requests(const struct sender_counts *sender, struct page *page)
{
	static const char name[] = "export_requests_total";

	begin(page, name, "counter", "Requests to the receiver, by their result.");
	of_label(page, name, "result", "delivered", sender->delivered.requests);
	of_label(page, name, "result", "no_room", sender->lost[SENDER_LOST_QUEUE].requests);
	of_label(page, name, "result", "refused", sender->lost[SENDER_LOST_REFUSED].requests);
	of_label(page, name, "result", "given_up", sender->lost[SENDER_LOST_GIVEN_UP].requests);
	of_label(page, name, "result", "corrupt",
		 sender->lost[SENDER_LOST_CORRUPT].requests);
	one(page, "export_retries_total", "counter", "Requests that were sent to the "
	    "receiver again.",
	    sender->retries);
}

static void add_latency(const struct sender_counts *sender, struct page *page)
{
	begin(page, "export_latency_seconds", "summary",
	      "Time from the queue to the receiver's answer, of delivered requests.");
	add_name(page, "export_latency_seconds_sum", "");
	bytes_addf(page->text, "%.9f\n", (double)sender->latency_sum / 1e9);
	add_count(page, "export_latency_seconds_count", "", sender->latency_count);
}

static void add_spool(const struct spool_counts *spool, struct page *page)
{
	one(page, "queue_disk_bytes", "gauge", "Bytes of the files of the queue.",
	    spool->bytes);
	one(page, "queue_damaged_places_total", "counter",
	    "Places in files of the queue that could not be read.", spool->damage);
	one(page, "queue_unread_files", "gauge",
	    "Files of the queue of another version or owner, or that are damaged: they "
	    "are left alone.", spool->left);
}

static void add_export(const struct metrics *metrics,
		       const struct delivery_counts *delivery, struct page *page)
{
	const struct sender_counts *sender = &delivery->sender;
	static const char pending[] = "pending_events";

	one(page, "delivered_events_total", "counter", "Events that the receiver took.",
	    sender->delivered.events);
	begin(page, pending, "gauge", "Events not delivered yet, by the place where they wait.");
	of_label(page, pending, "place", "encoder",
		 events_in_encoder(&metrics->kept->sums, sender));
	of_label(page, pending, "place", "queue",
		 sender->queued.events - sender->stored.events);
	if (delivery->has_spool)
		of_label(page, pending, "place", "disk", sender->stored.events);
	one(page, "queue_bytes", "gauge", "Bytes of requests that are queued or being sent.",
	    sender->queued.bytes);
	one(page, "queue_limit_bytes", "gauge", "Largest number of bytes that the queue holds.",
	    delivery->limit);
	one(page, "exported_bytes_total", "counter", "Bytes of delivered requests, "
	    "before compression.",
	    sender->delivered.bytes);
	if (delivery->has_spool)
		add_spool(&delivery->spool, page);
	add_requests(sender, page);
	add_latency(sender, page);
}

/* Recording */

static void add_recording(const struct file_counts *counts, struct page *page)
{
	one(page, "recorded_events_total", "counter", "Events in recording files, also "
	    "in removed ones.",
	    counts->events);
	one(page, "unrecorded_events_total", "counter",
	    "Events in no recording file, as the disk was full or too slow.", counts->missed);
	one(page, "recorded_bytes_total", "counter", "Bytes of all recording files.",
	    counts->bytes);
	one(page, "recording_files", "gauge", "Recording files that exist now.",
	    counts->files);
	one(page, "removed_files_total", "counter",
	    "Recording files that were removed for newer ones.", counts->removed);
}

/* Sources of losses that nobody can count. */
static void add_uncovered(const struct recorder_counts *recorder, struct page *page)
{
	one(page, "late_tracepoints_total", "counter",
	    "Tracepoints that appeared while events were collected: their first events "
	    "may be neither collected nor counted.", recorder->late);
	begin(page, "processor_gaps_seconds_total", "counter",
	      "Time that processors were online, and their events neither collected nor "
	      "counted, at most.");
	add_name(page, "processor_gaps_seconds_total", "");
	bytes_addf(page->text, "%.9f\n", (double)recorder->gaps_ns / 1e9);
}

static void add_guests(const struct guest_counts *guests, struct page *page)
{
	one(page, "socket_rings", "gauge", "Rings of programs that are read from the socket.",
	    guests->rings);
	one(page, "socket_rings_limit", "gauge",
	    "Largest number of rings that are read from the socket at once.", guests->limit);
	one(page, "socket_refused_programs_total", "counter",
	    "Programs whose rings were not read, as there were too many, or they could not be; "
	    "they try again.", guests->refused);
	one(page, "socket_late_programs_total", "counter",
	    "Programs that had no collector for more than a second when they began.",
	    guests->late);
}

/* This collector */

static void add_collector(const struct metrics *metrics, struct page *page)
{
	begin(page, "start_time_seconds", "gauge", "When the collector began, since 1970.");
	add_name(page, "start_time_seconds", "");
	bytes_addf(page->text, "%.3f\n", (double)metrics->started / 1e9);
	one(page, "state_files_set_aside_total", "counter",
	    "Files of counts of another version: what was lost by then is not in these "
	    "counts.", metrics->kept->set_aside);
	begin(page, "build_info", "gauge", "1, with the version of the collector.");
	of_label(page, "build_info", "version", UE__VERSION, 1);
}

void metrics_text(const struct metrics *metrics, struct bytes *text)
{
	const char *labels = metrics->labels ? metrics->labels : "";
	struct page page = { .text = text, .labels = labels };
	struct delivery_counts delivery = { .limit = 0 };

	if (metrics->delivery)
		delivery_count(metrics->delivery, &delivery);
	add_losses(metrics, &page);
	add_events(metrics, &page);
	if (metrics->delivery)
		add_export(metrics, &delivery, &page);
	if (metrics->recorded)
		add_recording(metrics->recorded, &page);
	if (metrics->recorder)
		add_uncovered(metrics->recorder, &page);
	add_limits(metrics, &page);
	if (metrics->guests.limit)
		add_guests(&metrics->guests, &page);
	if (metrics->guests.limit)
		add_losses_of_users(metrics, &page);
	add_collector(metrics, &page);
}
