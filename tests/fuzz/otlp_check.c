/* SPDX-License-Identifier: MIT */
/*
 * Exports to OTLP in either encoding, and checks each request: JSON is valid, fields of Protocol
 * Buffers end where they should, and each event and loss is counted once.
 */
#include <stdlib.h>

#include "../../tools/export/export_sink.h"
#include "../../tools/export/otlp/otlp_batch.h"
#include "../support/json_check.h"
#include "export_checks.h"
#include "fuzz.h"
#include "protobuf_reading.h"

struct taken {
	enum otlp_encoding encoding;
	struct export_counts counts;
};

/* Resources are field 1 of a request; their scopes 2, and the records of those 2. */
static int is_nested(uint64_t field, int depth)
{
	return depth && field == (depth == 3 ? 1 : 2);
}

static void check_message(const uint8_t *at, size_t size, int depth)
{
	const uint8_t *end = at + size;
	struct wire_field field;

	while (next_field(&at, end, &field))
		if (field.is_message && is_nested(field.number, depth))
			check_message(field.at, field.length, depth - 1);
}

static int put(void *context, const struct otlp_batch *batch)
{
	struct taken *taken = context;
	const struct bytes *body = &batch->body;

	PROMISE(batch->items && batch->items <= OTLP_BATCH_ITEMS);
	taken->counts.events += batch->events;
	taken->counts.lost += batch->lost_items;
	if (taken->encoding == OTLP_JSON)
		PROMISE(!json_wrong((const char *)body->at, body->length));
	else if (batch->signal != OTLP_METRICS)
		check_message(body->at, body->length, 3);
	return 0;
}

void otlp_check(char **paths, int is_json, const struct export_options *options)
{
	struct taken taken = { .encoding = is_json ? OTLP_JSON : OTLP_PROTOBUF };
	const struct otlp_taker taker = { .context = &taken, .put = put };
	struct stream stream = STREAM_INIT("export");
	struct export_sink sink;

	export_sink_init(&sink, otlp_exporter_new(options, taken.encoding, &taker), &stream);
	PROMISE(!stream_begin(&stream));
	stream_files(&stream, paths, &sink.sink);
	PROMISE(taken.counts.events == stream.events);
	PROMISE(taken.counts.lost == stream.lost_before);
	export_sink_free(&sink);
	stream_free(&stream);
}
