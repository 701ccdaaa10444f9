/* SPDX-License-Identifier: MIT */
/*
 * sending OPTION=VALUE...: puts batches of log records or spans into a sender, and prints its
 * counts as JSON. Each item carries its number, so that a receiver can tell which it got.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/memory.h"
#include "export/tree/protobuf.h"
#include "export/send/sender.h"

static struct {
	uint64_t batches, items, bytes, traces, metrics, drop, pause, queue, stop, waits;
	int64_t patience, deadline;
} with = { .batches = 10, .items = 10, .patience = 120000, .deadline = -1 };

static void set(const char *name, const char *value)
{
	const struct {
		const char *name;
		uint64_t *number;
	} names[] = {
		{ "batches", &with.batches }, { "items", &with.items }, { "bytes", &with.bytes },
		{ "traces", &with.traces }, { "metrics", &with.metrics }, { "drop", &with.drop },
		{ "pause", &with.pause }, { "queue", &with.queue },
		{ "stop", &with.stop }, { "waits", &with.waits },
		{ "patience", (uint64_t *)&with.patience },
		{ "deadline", (uint64_t *)&with.deadline },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name)) {
			*names[i].number = strtoull(value, NULL, 10);
			return;
		}
	fprintf(stderr, "sending: no option \"%s\"\n", name);
	exit(2);
}

/* LogRecord { time 1, body 5 { int_value 3 } }; bytes of ballast are a field of text. */
static void add_log(struct bytes *body, uint64_t number, const char *ballast)
{
	const size_t record = protobuf_begin(body, 2);
	size_t value;

	protobuf_fixed64(body, 1, number);
	value = protobuf_begin(body, 5);
	protobuf_int(body, 3, (int64_t)number);
	protobuf_end(body, value);
	if (*ballast)
		protobuf_text(body, 3, ballast);
	protobuf_end(body, record);
}

/* Span { trace_id 1, span_id 2, name 5 }, with the number as its start. */
static void add_span(struct bytes *body, uint64_t number)
{
	const size_t span = protobuf_begin(body, 2);

	protobuf_bytes(body, 1, "0123456789abcdef", 16);
	protobuf_bytes(body, 2, &number, 8);
	protobuf_text(body, 5, "span");
	protobuf_fixed64(body, 7, number);
	protobuf_end(body, span);
}

/* Request { resource_... 1 { scope_... 2 { items 2 } } }: logs and spans have one form. */
static void make(struct otlp_batch *batch, enum otlp_signal signal, uint64_t first,
		 const char *ballast)
{
	size_t resource, scope;

	batch->signal = signal;
	batch->body.length = 0;
	batch->items = with.items;
	batch->events = 2 * with.items;
	resource = protobuf_begin(&batch->body, 1);
	scope = protobuf_begin(&batch->body, 2);
	for (uint64_t i = 0; i < with.items; i++)
		if (signal == OTLP_LOGS)
			add_log(&batch->body, first + i, ballast);
		else
			add_span(&batch->body, first + i);
	protobuf_end(&batch->body, scope);
	protobuf_end(&batch->body, resource);
}

static void print_amount(const char *name, const struct sender_amount *amount)
{
	printf("\"%s\": {\"requests\": %llu, \"items\": %llu, \"bytes\": %llu}, ", name,
	       (unsigned long long)amount->requests, (unsigned long long)amount->items,
	       (unsigned long long)amount->bytes);
}

static void print(const struct sender_counts *counts)
{
	static const char *const names[] = { "queue", "refused", "rejected", "gave_up",
					     "corrupt" };

	printf("{");
	print_amount("put", &counts->put);
	print_amount("delivered", &counts->delivered);
	print_amount("queued", &counts->queued);
	for (int i = 0; i < SENDER_LOSSES; i++)
		print_amount(names[i], &counts->lost[i]);
	printf("\"retries\": %llu, \"unclear\": %llu, \"latencies\": %llu, \"sum\": %llu, "
	       "\"last\": %llu, \"lost\": %llu}\n", (unsigned long long)counts->retries,
	       (unsigned long long)counts->unclear, (unsigned long long)counts->latency_count,
	       (unsigned long long)counts->latency_sum,
	       (unsigned long long)counts->latency_last,
	       (unsigned long long)sender_lost_items(counts));
}

/* At any moment, not at the end alone. */
static void check(const struct sender_counts *counts)
{
	uint64_t events = counts->put.events - counts->delivered.events - counts->queued.events;

	for (int i = 0; i < SENDER_LOSSES; i++)
		events -= counts->lost[i].events;
	if (!events && counts->put.items == counts->delivered.items + counts->queued.items +
						    sender_lost_items(counts))
		return;
	print(counts);
	fprintf(stderr, "sending: the sum is wrong\n");
	exit(3);
}

static uint64_t put_count;

static void put(struct sender *sender, const char *ballast)
{
	struct otlp_batch batch = { .items = 0 };

	for (uint64_t i = 0; i < with.batches; i++) {
		const struct timespec pause = { 0, (long)with.pause * 1000000 };
		struct sender_counts counts;

		make(&batch, i < with.metrics	? OTLP_METRICS :
			     i < with.metrics + with.traces ? OTLP_TRACES :
								OTLP_LOGS,
		     i * with.items, ballast);
		put_count = i;
		if (i && i == with.stop)
			fprintf(stderr, "sending: the stop is over\n");
		sender_put(sender, &batch, with.drop ? SENDER_DROP : SENDER_WAIT);
		sender_counts(sender, &counts);
		check(&counts);
		if (with.pause)
			nanosleep(&pause, NULL);
	}
	bytes_free(&batch.body);
}

/* waits=1: nothing is queued when the sender is closed, so that the end hurries no retry. */
static void wait_for_sender(struct sender *sender)
{
	const struct timespec pause = { 0, 10000000 };
	struct sender_counts counts;

	for (sender_counts(sender, &counts); counts.queued.items; sender_counts(sender, &counts))
		nanosleep(&pause, NULL);
}

static void read_words(char **words, struct export_options *command_line)
{
	for (; *words; words++) {
		char *equals = strchr(*words, '=');

		if (!equals) {
			words_add(&command_line->headers, *words);
		} else if (!strncmp(*words, "endpoint=", 9)) {
			command_line->endpoint = equals + 1;
		} else {
			*equals = '\0';
			set(*words, equals + 1);
		}
	}
}

/* stop=N: until batch N was put. */
static int is_stopped(void)
{
	return with.stop && put_count < with.stop;
}

int main(int argc, char **argv)
{
	struct export_options command_line = { .output = NULL };
	struct sender_options options;
	struct sender_counts counts;
	struct sender *sender;
	char *ballast;
	int status;

	(void)argc;
	read_words(argv + 1, &command_line);
	status = sender_options_read(&options, &command_line);
	free(command_line.headers.items);
	if (status)
		return status;
	options.patience = with.patience;
	options.queue_bytes = with.queue;
	options.is_stopped = is_stopped;
	sender = sender_open(&options);
	ballast = xcalloc(1, with.bytes + 1);
	memset(ballast, 'x', with.bytes);
	put(sender, ballast);
	if (with.waits)
		wait_for_sender(sender);
	sender_close(sender, with.deadline, &counts);
	check(&counts);
	print(&counts);
	free(ballast);
	return sender_lost_items(&counts) ? 1 : 0;
}
