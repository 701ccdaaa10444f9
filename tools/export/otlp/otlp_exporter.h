/* SPDX-License-Identifier: MIT */
/* The state of an export to OpenTelemetry, for the files that make records of events. */
#ifndef UE__TOOLS_EXPORT_OTLP_OTLP_EXPORTER_H
#define UE__TOOLS_EXPORT_OTLP_OTLP_EXPORTER_H

#include "common/pairs/pairs.h"
#include "event_attributes.h"
#include "export/tree/exported_event.h"
#include "otlp_batch.h"
#include "otlp_encoder.h"

/*
 * Records of one signal that wait for their request. They are in the order in which they
 * came, and in a list for each pair of a resource and a scope; a request has them by
 * these.
 *
 *	struct bytes *to = otlp_requests_record(requests);
 *	... append a record ...
 *	otlp_requests_add(requests, &record);
 */

/* The facts of the record that was appended. */
struct otlp_record {
	struct otlp_resource *resource; /* is used, not taken over */
	struct clean_text scope;
	uint32_t events;
	uint64_t lost;
};

struct waiting_record {
	size_t at, length;
	uint32_t next; /* of the same group; 1 higher; 0: none */
};

struct waiting_group {
	struct otlp_resource *resource;
	size_t scope_at, scope_length;
	uint32_t first, last; /* records */
	uint32_t next;	      /* of the same resource; all of these 1 higher */
	int is_next;	      /* it is not the first one of its resource */
};

/* Zero it, and set the first ones. */
struct otlp_requests {
	enum otlp_signal signal;
	const struct otlp_encoder *encoder;
	const struct otlp_taker *taker;
	struct bytes records; /* encoded; complete ones, and one that is being appended */
	size_t complete;
	size_t around; /* bytes of the request beside them */
	struct bytes scopes, body;
	uint32_t record_count, group_count, last_group;
	uint64_t events, lost;
	struct waiting_record items[OTLP_BATCH_ITEMS];
	struct waiting_group groups[OTLP_BATCH_ITEMS];
};

struct bytes *otlp_requests_record(struct otlp_requests *requests);
/* The same as put() of the taker, which is called when there is enough for a request. */
int otlp_requests_add(struct otlp_requests *requests, const struct otlp_record *record);
/* Put waiting records. */
int otlp_requests_put(struct otlp_requests *requests);
void otlp_requests_free(struct otlp_requests *requests);

struct otlp_exporter {
	struct exporter exporter;
	struct otlp_taker taker;
	const struct otlp_encoder *encoder;
	struct event_attributes attributes;
	struct otlp_resources resources;
	struct trace_ids traces;
	struct pairs pairs; /* with struct open_span */
	uint64_t calls; /* of threads that began, so far */
	int gave_up; /* the result of the exports of starts that left */
	struct bytes scratch;
	struct bytes start; /* of a span */
	struct schema_facts facts;
	struct otlp_requests requests[OTLP_METRICS]; /* by signal */
};

/* An event as a log record, or its meaning in Common Schema; as take() of an exporter. */
int otlp_take_log(struct otlp_exporter *otlp, const struct exported_event *event);
/* A log record that was encoded before. */
int otlp_put_log(struct otlp_exporter *otlp, const struct otlp_record *record,
		 const void *bytes, size_t length);
/* Append the log record of an event. identity: of its activity, or NULL. */
void otlp_append_log(struct otlp_exporter *otlp, struct bytes *to,
		     const struct exported_event *event,
		     const struct span_identity *identity);

void otlp_spans_begin(struct otlp_exporter *otlp);
/* An event that begins or ends a span, or happened in one; as take(). */
int otlp_take_event(struct otlp_exporter *otlp, const struct exported_event *event);
/* Export open spans. */
int otlp_give_up_spans(struct otlp_exporter *otlp);

/* An event of Common Schema: 1 with *result as of take(); or 0, if it is none. */
int otlp_take_schema(struct otlp_exporter *otlp, const struct exported_event *event,
		     int *result);

#define SPAN_KIND_INTERNAL 1
#define STATUS_CODE_ERROR 2

#define SEVERITY_DEBUG 5
#define SEVERITY_INFO 9
#define SEVERITY_WARN 13
#define SEVERITY_ERROR 17
#define SEVERITY_FATAL 21

/* time: since 1970; 0: not known. */
void otlp_append_times(const struct otlp_encoder *encoder, struct bytes *to, int64_t time);

/* Files of OTLP. */

/* A line a request, as the otlpjsonfile receiver reads and the file exporter writes. */
exporter_open otlp_json_open;
/*
 * A folder with the files logs, traces and metrics: requests in Protocol Buffers, each after
 * its length in 4 bytes, big-endian, as the collector's file exporter writes with "format: proto".
 */
exporter_open otlp_protobuf_open;

#endif
