/* SPDX-License-Identifier: MIT */
/* Puts the requests of an export into a sender, and reports their fate. */
#include "sender.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

struct sending {
	struct sender *sender; /* NULL: it is closed */
	char *shown;	       /* the receivers */
	int has[OTLP_SIGNALS]; /* it was put */
	enum sender_full full;
};

/* Nothing ends an export early: later records are counted, at least. */
static int put_batch(void *context, const struct otlp_batch *batch)
{
	struct sending *sending = context;

	sending->has[batch->signal] = 1;
	sender_put(sending->sender, batch, sending->full);
	return 0;
}

static unsigned long long number(uint64_t value)
{
	return (unsigned long long)value;
}

/* "5 are lost: 3 refused, 2 given up" */
static char *losses_of(const struct sender_counts *counts)
{
	char *text = xprintf("%llu are lost", number(sender_lost_items(counts)));
	const char *before = ":";

	for (int i = 0; i < SENDER_LOSSES; i++) {
		if (!counts->lost[i].items)
			continue;
		xappend(&text, "%s %llu %s", before, number(counts->lost[i].items),
			sender_loss_text((enum sender_loss)i));
		before = ",";
	}
	return text;
}

static const char *noun(const struct sending *sending)
{
	if (!sending->has[OTLP_TRACES])
		return "records";
	return sending->has[OTLP_LOGS] ? "records and spans" : "spans";
}

static void report(const struct sending *sending, const struct sender_counts *counts)
{
	AUTO_FREE char *losses = losses_of(counts);

	message("%llu of %llu %s were delivered to %s in %llu request%s; %s.",
		number(counts->delivered.items), number(counts->put.items), noun(sending),
		sending->shown, number(counts->delivered.requests),
		counts->delivered.requests == 1 ? "" : "s", losses);
}

static int finish(void *context)
{
	struct sending *sending = context;
	struct sender_counts counts;

	sender_close(sending->sender,
		     sending->full == SENDER_WAIT ? -1 : OTLP_SEND_END, &counts);
	sending->sender = NULL;
	report(sending, &counts);
	return sender_lost_items(&counts) ? -1 : 0;
}

static void free_sending(void *context)
{
	AUTO_FREE struct sending *sending = context;

	if (sending->sender)
		sender_close(sending->sender, 0, NULL);
	free(sending->shown);
}

/* The length of a URL without the path of its signal. */
static size_t length_of_base(const char *url, const char *path)
{
	const size_t length = strlen(url), end = strlen(path);

	return length > end && !strcmp(url + length - end, path) ? length - end : length;
}

/* The common part of both, as it was given; or both, if the environment names two. */
static char *receivers_of(const struct sender_options *to)
{
	const char *logs = to->receivers[OTLP_LOGS].shown;
	const char *traces = to->receivers[OTLP_TRACES].shown;
	const size_t length = length_of_base(logs, "/v1/logs");

	if (length == length_of_base(traces, "/v1/traces") && !strncmp(logs, traces, length))
		return xstrndup(logs, length);
	return xprintf("%s and %s", logs, traces);
}

static struct exporter *open_exporter(const struct export_options *options,
				      const struct sender_options *to)
{
	struct sending *sending = xcalloc(1, sizeof(*sending));
	const struct otlp_taker taker = {
		.context = sending, .put = put_batch, .end = finish, .free = free_sending,
	};

	sending->shown = receivers_of(to);
	sending->full = options->drops ? SENDER_DROP : SENDER_WAIT;
	sending->sender = sender_open(to);
	return otlp_exporter_new(options, OTLP_PROTOBUF, &taker);
}

struct exporter *otlp_send_open(const struct export_options *options, int *status)
{
	struct sender_options to;

	*status = EXIT_WRONG_USAGE;
	if (options->output) {
		message("cannot write to %s: the format otlp is sent; write a file with --to "
			"otlp-json or otlp-protobuf", options->output);
		return NULL;
	}
	*status = sender_options_read(&to, options);
	if (*status)
		return NULL;
	to.is_stopped = options->is_stopped;
	to.patience = options->retry_for < INT64_MAX / 1000 ?
			      (int64_t)options->retry_for * 1000 : -1;
	return open_exporter(options, &to);
}
