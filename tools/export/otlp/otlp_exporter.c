/* SPDX-License-Identifier: MIT */
/* Exports events to OpenTelemetry: decides which signal an event is of. */
#include "otlp_exporter.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/out_file.h"
#include "otlp_batch.h"

static struct otlp_exporter *of(struct exporter *exporter)
{
	return (struct otlp_exporter *)exporter;
}

static int begin(struct exporter *exporter)
{
	const struct otlp_taker *taker = &of(exporter)->taker;

	return taker->begin ? taker->begin(taker->context) : 0;
}

/* Metrics: a tracepoint of the SDKs, whose events have a whole request */

static int is_metrics(const struct exported_event *event)
{
	return !event->info && !strcmp(event->event->kind->tracepoint, "otlp_metrics") &&
	       !strcmp(event->event->kind->system, "user_events");
}

/* The field "buffer", or NULL. */
static const struct value *find_request(struct field_walk *walk,
					const struct exported_event *event)
{
	enum walk_kind kind;

	field_walk_begin(walk, event->event);
	while ((kind = field_walk_next(walk)) != WALK_END)
		if (kind == WALK_VALUE && walk->item.name.length == 6 &&
		    !memcmp(walk->item.name.at, "buffer", 6))
			return walk->item.value.type == VALUE_BYTES ? &walk->item.value : NULL;
	return NULL;
}

/* JSON has no place for a request in Protocol Buffers: there it is a log record. */
static int take_metrics(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct otlp_batch batch = { .signal = OTLP_METRICS, .items = 1, .events = 1 };
	const struct value *request = NULL;

	if (otlp->encoder == &otlp_protobuf_encoder)
		request = find_request(&otlp->attributes.walk, event);
	if (!request)
		return otlp_take_log(otlp, event);
	otlp->scratch.length = 0;
	bytes_add(&otlp->scratch, request->text, request->length);
	batch.body = otlp->scratch;
	return otlp->taker.put(otlp->taker.context, &batch);
}

/* Events */

static int take(struct exporter *exporter, const struct exported_event *event)
{
	struct otlp_exporter *otlp = of(exporter);
	int result;

	if (is_metrics(event))
		return take_metrics(otlp, event);
	if (otlp_take_schema(otlp, event, &result))
		return result;
	return otlp_take_event(otlp, event);
}

/* Losses */

static void append_lost(struct otlp_exporter *otlp, struct bytes *to,
			const struct lost_events *lost)
{
	const struct otlp_encoder *encoder = otlp->encoder;

	encoder->root_begin(to);
	otlp_append_times(encoder, to, lost->time);
	encoder->number(to, OTLP_LOG_SEVERITY, SEVERITY_WARN);
	encoder->text(to, OTLP_LOG_SEVERITY_TEXT, otlp_text("WARNING"));
	encoder->text(to, OTLP_LOG_EVENT_NAME, otlp_text("userevents.lost"));
	encoder->list_begin(to, OTLP_LOG_ATTRIBUTES);
	event_attributes_begin(&otlp->attributes, to);
	event_attributes_own(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, "count",
			     otlp_number(lost->count));
	event_attributes_clock(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, lost->time,
			       lost->clock_time);
	if (lost->has_cpu)
		event_attributes_own(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, "cpu",
				     otlp_number(lost->cpu));
	encoder->list_end(to);
	encoder->root_end(to);
}

static int lost(struct exporter *exporter, const struct lost_events *lost)
{
	struct otlp_exporter *otlp = of(exporter);
	struct otlp_requests *logs = &otlp->requests[OTLP_LOGS];
	struct otlp_record record = {
		.resource = otlp_resource_find(&otlp->resources, lost->origin),
		.scope = otlp_text("userevents"),
		.lost = lost->count,
	};
	int result;

	append_lost(otlp, otlp_requests_record(logs), lost);
	result = otlp_requests_add(logs, &record);
	otlp_resource_drop(record.resource);
	return result;
}

/* Time and the end */

static int put_all(struct otlp_exporter *otlp)
{
	const int result = otlp_requests_put(&otlp->requests[OTLP_LOGS]);

	return result ? result : otlp_requests_put(&otlp->requests[OTLP_TRACES]);
}

static int tick(struct exporter *exporter)
{
	struct otlp_exporter *otlp = of(exporter);
	const int result = put_all(otlp);

	return result || !otlp->taker.tick ? result : otlp->taker.tick(otlp->taker.context);
}

static int end(struct exporter *exporter)
{
	struct otlp_exporter *otlp = of(exporter);
	int result = otlp_give_up_spans(otlp);

	result = result ? result : put_all(otlp);
	if (otlp->taker.end && otlp->taker.end(otlp->taker.context) < 0)
		return -1;
	return result < 0 ? -1 : 0;
}

static void free_exporter(struct exporter *exporter)
{
	AUTO_FREE struct otlp_exporter *otlp = of(exporter);

	for (int i = 0; i < OTLP_METRICS; i++)
		otlp_requests_free(&otlp->requests[i]);
	pairs_free(&otlp->pairs);
	trace_ids_free(&otlp->traces);
	otlp_resources_free(&otlp->resources);
	event_attributes_free(&otlp->attributes);
	bytes_free(&otlp->facts.texts);
	bytes_free(&otlp->scratch);
	bytes_free(&otlp->start);
	if (otlp->taker.free)
		otlp->taker.free(otlp->taker.context);
}

struct exporter *otlp_exporter_new(const struct export_options *options,
				   enum otlp_encoding encoding,
				   const struct otlp_taker *taker)
{
	struct otlp_exporter *otlp = xcalloc(1, sizeof(*otlp));

	otlp->exporter = (struct exporter){
		.begin = begin, .take = take, .lost = lost, .tick = tick, .end = end,
		.free = free_exporter,
	};
	otlp->taker = *taker;
	otlp->encoder = encoding == OTLP_JSON ? &otlp_json_encoder : &otlp_protobuf_encoder;
	otlp->attributes.encoder = otlp->encoder;
	otlp->attributes.is_flat = options->is_flat;
	otlp->attributes.is_brief = options->is_brief;
	otlp_spans_begin(otlp);
	otlp_resources_begin(&otlp->resources, otlp->encoder, options->is_live);
	for (int i = 0; i < OTLP_METRICS; i++) {
		otlp->requests[i].signal = (enum otlp_signal)i;
		otlp->requests[i].encoder = otlp->encoder;
		otlp->requests[i].taker = &otlp->taker;
	}
	return &otlp->exporter;
}

/*
 * Writes requests to files: lines of JSON to one, or Protocol Buffers to a folder of
 * three.
 */

const char *const otlp_signal_names[OTLP_SIGNALS] = {
	[OTLP_LOGS] = "logs", [OTLP_TRACES] = "traces", [OTLP_METRICS] = "metrics",
};

struct otlp_files {
	/* Indexed by signal; JSON has only the first. */
	struct outfile files[OTLP_SIGNALS];
	char *paths[OTLP_SIGNALS];
	int count;
	struct bytes record;
};

static int begin_files(void *context)
{
	struct otlp_files *to = context;
	int result = 0;

	for (int i = 0; !result && i < to->count; i++)
		result = outfile_empty(&to->files[i]);
	return result;
}

static int put_request(void *context, const struct otlp_batch *batch)
{
	struct otlp_files *to = context;
	const uint32_t length = htobe32((uint32_t)batch->body.length);
	const int is_line = to->count == 1;

	to->record.length = 0;
	if (!is_line)
		bytes_add(&to->record, &length, sizeof(length));
	bytes_add(&to->record, batch->body.at, batch->body.length);
	if (is_line)
		bytes_add(&to->record, "\n", 1);
	return outfile_write(&to->files[is_line ? 0 : batch->signal], to->record.at,
			     to->record.length);
}

static int close_files(void *context)
{
	struct otlp_files *to = context;
	int result = 0;

	for (int i = 0; i < to->count; i++)
		if (outfile_close(&to->files[i]))
			result = -1;
	return result;
}

static void free_files(void *context)
{
	AUTO_FREE struct otlp_files *to = context;

	close_files(to);
	for (int i = 0; i < to->count; i++)
		free(to->paths[i]);
	bytes_free(&to->record);
}

/* NULL after a message. */
static struct exporter *open_files(struct otlp_files *to,
				   const struct export_options *options,
				   enum otlp_encoding encoding)
{
	const struct otlp_taker taker = {
		.context = to,
		.begin = begin_files,
		.put = put_request,
		.end = close_files,
		.free = free_files,
	};
	int failed = 0;

	for (int i = 0; i < to->count; i++)
		to->files[i] = (struct outfile){
			.fd = -1, .path = to->paths[i], .inputs = options->inputs,
		};
	for (int i = 0; !failed && i < to->count; i++)
		failed = outfile_open(&to->files[i]);
	if (!failed)
		return otlp_exporter_new(options, encoding, &taker);
	free_files(to);
	return NULL;
}

struct exporter *otlp_json_open(const struct export_options *options, int *status)
{
	struct otlp_files *to = xcalloc(1, sizeof(*to));

	*status = EXIT_FAILED;
	to->paths[to->count++] = xstrdup(options->output ? options->output : "-");
	return open_files(to, options, OTLP_JSON);
}

static int make_folder(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	message("cannot create %s: %s", path, strerror(errno));
	return -1;
}

struct exporter *otlp_protobuf_open(const struct export_options *options, int *status)
{
	struct otlp_files *to;

	*status = EXIT_WRONG_USAGE;
	if (!options->output || !strcmp(options->output, "-")) {
		message("cannot export to otlp-protobuf: it needs a folder for three files; "
			"give -o FOLDER");
		return NULL;
	}
	*status = EXIT_FAILED;
	if (make_folder(options->output))
		return NULL;
	to = xcalloc(1, sizeof(*to));
	for (; to->count < OTLP_SIGNALS; to->count++)
		to->paths[to->count] =
			xprintf("%s/%s", options->output, otlp_signal_names[to->count]);
	return open_files(to, options, OTLP_PROTOBUF);
}
