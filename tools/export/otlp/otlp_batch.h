/* SPDX-License-Identifier: MIT */
/*
 * Batches that are sent to an OpenTelemetry collector at once, and their takers: files, or a
 * connection. The events are encoded already; a taker sees bytes.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_BATCH_H
#define UE__TOOLS_EXPORT_OTLP_BATCH_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "export/tree/exporter.h"

enum otlp_signal {
	OTLP_LOGS,    /* ExportLogsServiceRequest, for /v1/logs */
	OTLP_TRACES,  /* ExportTraceServiceRequest, for /v1/traces */
	OTLP_METRICS, /* ExportMetricsServiceRequest, for /v1/metrics */
	OTLP_SIGNALS,
};

enum otlp_encoding {
	OTLP_PROTOBUF, /* Content-Type: application/x-protobuf */
	OTLP_JSON,     /* application/json; one line, without a newline */
};

/* A batch is full at the first of these; an event that is longer has a batch of its own. */
#define OTLP_BATCH_ITEMS 512u
#define OTLP_BATCH_BYTES (1u << 20)

struct otlp_batch {
	enum otlp_signal signal;
	struct bytes body; /* one request; valid until the return */
	uint64_t items;	   /* log records, spans, or requests with metrics */
	uint64_t events;   /* that they were made of: a span of two; userevents.lost of none */
	uint64_t lost_items; /* the sum of the userevents.lost records in it */
};

/* All functions return 0, 1 if nothing more can be taken, or -1 after a message. */
struct otlp_taker {
	void *context;
	/* Once, before the first batch; as of struct exporter. May be NULL. */
	int (*begin)(void *context);
	int (*put)(void *context, const struct otlp_batch *batch);
	/* Live: called every second, after what was held back was put. May be NULL. */
	int (*tick)(void *context);
	/* Once, after the last batch: wait until all is written. May be NULL. */
	int (*end)(void *context);
	void (*free)(void *context);
};

/*
 * An exporter that encodes events, and puts full batches, or, live, those that are a second
 * old. It frees the taker when it is freed. Never NULL.
 */
struct exporter *otlp_exporter_new(const struct export_options *options,
				   enum otlp_encoding encoding,
				   const struct otlp_taker *taker);

#endif
