/* SPDX-License-Identifier: MIT */
/*
 * Batches that are sent to an OpenTelemetry collector at once, and their takers: files, or a
 * connection. The events are encoded already; a taker sees bytes.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_OTLP_BATCH_H
#define UE__TOOLS_EXPORT_OTLP_OTLP_BATCH_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "otlp_encoder.h"

/* The resource that records come from: a process, its container, and this machine. */

/* Encoded once, and kept as long as a record of it waits. */
struct otlp_resource {
	uint64_t serial; /* of the origin; 0: no process is known */
	uint32_t users;
	uint32_t spans; /* of the users: open ones */
	struct bytes message; /* Resource */
};

#define OTLP_RESOURCES_KEPT 256u

/* An attribute of OTEL_RESOURCE_ATTRIBUTES. */
struct given_attribute {
	const char *key, *value;
	struct given_attribute *next;
};

struct otlp_resources {
	const struct otlp_encoder *encoder;
	struct given_attribute *given; /* each key once */
	char *host; /* NULL: not known */
	struct otlp_resource *kept[OTLP_RESOURCES_KEPT]; /* by the serial's last bits */
};

/* Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. is_here: events of this machine. */
void otlp_resources_begin(struct otlp_resources *resources,
			  const struct otlp_encoder *encoder, int is_here);
/* The resource of an origin; NULL: of none. To be dropped after its last use. */
struct otlp_resource *otlp_resource_find(struct otlp_resources *resources,
					 const struct origin *origin);
void otlp_resource_drop(struct otlp_resource *resource);
void otlp_resources_free(struct otlp_resources *resources);

enum otlp_signal {
	OTLP_LOGS,    /* ExportLogsServiceRequest, for /v1/logs */
	OTLP_TRACES,  /* ExportTraceServiceRequest, for /v1/traces */
	OTLP_METRICS, /* ExportMetricsServiceRequest, for /v1/metrics */
	OTLP_SIGNALS,
};

extern const char *const otlp_signal_names[OTLP_SIGNALS]; /* "logs" and so on */

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
	/* Live: called every second, after held-back records were put. May be NULL. */
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

/*
 * Ids of spans and traces, which follow from the ids of activities: the same activity has the
 * same ids in all recordings, and on all machines.
 *
 * The trace is named by the activity that all others in it are related to. Events name the
 * next activity up, so a table keeps which trace that one is in. It has a fixed size: of an
 * activity that was forgotten, events without a related id begin a trace.
 */

/* Activities that are remembered: sets of a few, of which the oldest is forgotten. */
#define TRACE_SETS 8192u
#define TRACE_WAYS 8u

/* The ids of a span. */
struct span_identity {
	uint8_t trace[ACTIVITY_SIZE];
	uint8_t id[SPAN_ID_SIZE];
	uint8_t parent[SPAN_ID_SIZE];
	int has_parent;
};

struct trace_of {
	uint8_t activity[ACTIVITY_SIZE];
	uint8_t trace[ACTIVITY_SIZE];
	int has_begun; /* a span did; else its id is that one's future id */
	struct span_identity identity;	 /* of the latest span */
	uint8_t related[ACTIVITY_SIZE];	 /* whose span is its parent */
};

/* Zero it before the first use. */
struct trace_ids {
	struct trace_of *sets; /* the newest of each first */
	uint8_t *filters[2];   /* of the events of activities, the newer one first */
	uint32_t keys;	       /* in that */
	uint64_t uses;	       /* spans that began */
};

uint64_t span_hash(const void *at, size_t length);
/* FNV-1a of its 16 bytes, and never 0. Big-endian, as ids are written. */
void span_id_of(const uint8_t *activity, uint8_t *span_id);
/*
 * A span begins: no other one has its id, and its parent, the latest span of the
 * related activity, or the one that it will have, does not lead back to it. related:
 * may be NULL or zeros. time: its own.
 */
void span_ids_begin(struct trace_ids *ids, const uint8_t *activity,
		    const uint8_t *related, uint64_t time,
		    struct span_identity *identity);
/* The ids of an event in an activity; it has no parent here. */
void span_ids_of(struct trace_ids *ids, const uint8_t *activity, const uint8_t *related,
		 struct span_identity *identity);
/*
 * The span that has just begun belongs to another trace, and another program's span is
 * its parent.
 */
void span_ids_join(struct trace_ids *ids, const uint8_t *activity,
		   const struct span_identity *identity);
void trace_ids_free(struct trace_ids *ids);

/*
 * The data of an open start: the span that it begins. If the start leaves without an end, its
 * event is exported as a log record.
 */

#define OPEN_SPANS_BYTES ((uint64_t)16 << 20)

struct open_span {
	int is_call; /* of a thread, not an activity */
	struct span_identity identity;
	uint64_t start; /* nanoseconds since 1970 */
	int has_failed; /* an event in it has level 1 or 2 */
	struct otlp_resource *resource;
	int is_exported;
	/*
	 * A copy in memory of its own, of these lengths, in this order; NULL: there is no
	 * span
	 */
	uint8_t *bytes;
	size_t scope_length;
	size_t name_length;	  /* of the event, in UTF-8 */
	size_t log_length;	  /* the event as a log record */
	size_t begun_length;	  /* the span, up to the first attributes */
	size_t keys_length;	  /* of unique_names_save() */
	char *failure;		  /* the name of the first event that failed; or NULL */
};

#endif
