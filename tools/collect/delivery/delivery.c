/* SPDX-License-Identifier: MIT */
/* Passes encoded batches to a sender, and counts those for which there is no room. */
#include "delivery.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"

/* A service manager waits longer, and 5 seconds are promised. */
#define LAST_MILLISECONDS 4000
/* Even if the source took all of the time: a receiver that works needs no more. */
#define LEAST_MILLISECONDS 500

struct delivery {
	struct export_options options;
	struct sender *sender; /* NULL once it has ended */
	char *shown; /* the receiver of logs, without secrets */
	struct sender_counts before; /* of other senders */
	struct sent_counts *sent;
	uint64_t *lost;
	uint64_t corrupt; /* added to it so far */
	uint64_t limit;
	struct spool *spool;
	uint64_t puts;
	int64_t end; /* of CLOCK_MONOTONIC; 0: LAST_MILLISECONDS after the last event */
};

/* They are 64-bit numbers alone. */
static void add_counts(struct sender_counts *sum, const struct sender_counts *counts)
{
	uint64_t numbers[2][sizeof(*sum) / sizeof(uint64_t)];

	memcpy(numbers[0], sum, sizeof(*sum));
	memcpy(numbers[1], counts, sizeof(*counts));
	for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
		numbers[0][i] += numbers[1][i];
	memcpy(sum, numbers[0], sizeof(*sum));
}

static struct sender_counts sum_of(const struct delivery *delivery,
				   const struct sender_counts *counts)
{
	struct sender_counts sum = delivery->before;

	add_counts(&sum, counts);
	return sum;
}

/* A kill may come at any moment: so the other slot is written, and then it is the latest. */
static void keep_counts(void *context, const struct sender_counts *counts)
{
	struct delivery *delivery = context;
	struct sent_counts *sent = delivery->sent;
	const uint64_t other = !sent->latest;

	sent->slots[other] = sum_of(delivery, counts);
	__atomic_store_n(&sent->latest, other, __ATOMIC_RELEASE);
}

static int put(void *context, const struct otlp_batch *batch)
{
	struct delivery *delivery = context;

	delivery->puts++;
	if (!sender_put(delivery->sender, batch, SENDER_DROP))
		return 0;
	*delivery->lost += batch->events + batch->lost_items;
	return 0;
}

/* The sender's thread finds damage when it reads a request, which may be much later. */
static void add_corrupt(struct delivery *delivery)
{
	struct sender_counts counts;

	sender_counts(delivery->sender, &counts);
	*delivery->lost += counts.lost[SENDER_LOST_CORRUPT].events - delivery->corrupt;
	delivery->corrupt = counts.lost[SENDER_LOST_CORRUPT].events;
}

/* Requests of an earlier collector need not wait for an event. */
static int tick(void *context)
{
	struct delivery *delivery = context;

	if (delivery->spool) {
		sender_begin(delivery->sender);
		add_corrupt(delivery);
	}
	return 0;
}

static int64_t milliseconds_left(const struct delivery *delivery)
{
	const int64_t left = (delivery->end - clock_now(CLOCK_MONOTONIC)) / 1000000;

	if (!delivery->end || left > LAST_MILLISECONDS)
		return LAST_MILLISECONDS;
	return left > LEAST_MILLISECONDS ? left : LEAST_MILLISECONDS;
}

static int end(void *context)
{
	struct delivery *delivery = context;

	sender_close(delivery->sender, milliseconds_left(delivery), NULL);
	delivery->sender = NULL;
	return 0;
}

/* Counts that are of a moment, and not sums. */
static void forget_moment(struct sender_counts *counts)
{
	counts->queued = counts->stored = (struct sender_amount){ .requests = 0 };
	counts->latency_last = 0;
}

struct spool *delivery_spool(const char *directory, uint64_t bytes)
{
	const struct spool_options options = {
		.directory = directory,
		.limit = bytes,
		.lanes = OTLP_SIGNALS,
		.names = otlp_signal_names,
	};

	return spool_open(&options);
}

static struct delivery *new_delivery(const struct delivery_options *options,
				     const struct sender_options *sending)
{
	struct delivery *delivery = xcalloc(1, sizeof(*delivery));

	*delivery = (struct delivery){
		.options = *options->to,
		.shown = xstrdup(sending->receivers[OTLP_LOGS].shown),
		.before = options->sent->slots[options->sent->latest & 1],
		.sent = options->sent,
		.lost = options->lost,
		.spool = options->spool,
		.limit = options->queue ? options->queue : SENDER_QUEUE_BYTES,
	};
	if (options->spool)
		delivery->limit = options->spool_bytes;
	delivery->options.is_live = 1;
	forget_moment(&delivery->before);
	return delivery;
}

static int read_options(struct sender_options *sending, const struct export_options *to)
{
	struct export_options named = *to;

	named.endpoint_name = "--otlp";
	return sender_options_read(sending, &named);
}

char *delivery_receivers(const struct export_options *to)
{
	struct sender_options sending;
	char *text;

	if (read_options(&sending, to))
		return NULL;
	text = xprintf("%s, %s", sending.receivers[OTLP_LOGS].shown,
		       sending.receivers[OTLP_TRACES].shown);
	sender_options_free(&sending);
	return text;
}

struct delivery *delivery_open(const struct delivery_options *options, int *status)
{
	struct sender_options sending;
	struct sender_counts counts;
	struct delivery *delivery;

	*status = read_options(&sending, options->to);
	if (*status)
		return NULL;
	delivery = new_delivery(options, &sending);
	sending.queue_bytes = options->queue;
	sending.spool = options->spool;
	sending.patience = -1; /* the queue is the limit */
	sending.on_counts = keep_counts;
	sending.on_counts_context = delivery;
	delivery->sender = sender_open(&sending);
	sender_counts(delivery->sender, &counts);
	keep_counts(delivery, &counts);
	return delivery;
}

struct exporter *delivery_exporter(struct delivery *delivery)
{
	const struct otlp_taker taker = { .context = delivery, .put = put, .tick = tick,
					  .end = end };

	return otlp_exporter_new(&delivery->options, OTLP_PROTOBUF, &taker);
}

const char *delivery_receiver(const struct delivery *delivery)
{
	return delivery->shown;
}

void delivery_end_by(struct delivery *delivery, int64_t end)
{
	delivery->end = end;
}

uint64_t delivery_puts(const struct delivery *delivery)
{
	return delivery->puts;
}

void delivery_count(struct delivery *delivery, struct delivery_counts *counts)
{
	struct sender_counts now;

	*counts = (struct delivery_counts){
		.limit = delivery->limit, .has_spool = delivery->spool != NULL,
	};
	if (delivery->spool)
		spool_count(delivery->spool, &counts->spool);
	if (delivery->sender) {
		sender_counts(delivery->sender, &now);
		counts->sender = sum_of(delivery, &now);
	} else {
		counts->sender = delivery->sent->slots[delivery->sent->latest & 1];
	}
}

void delivery_free(struct delivery *delivery)
{
	if (!delivery)
		return;
	if (delivery->sender)
		sender_close(delivery->sender, 0, NULL);
	free(delivery->shown);
	free(delivery);
}
