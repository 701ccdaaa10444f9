/* SPDX-License-Identifier: MIT */
/*
 * Common Schema 4.0: log records and spans of OpenTelemetry, as its exporters for user_events
 * write them into events. A field "__csver__" is followed by the structs PartA (ids, time),
 * PartB (the record) and PartC (attributes).
 */
#ifndef UE__TOOLS_EXPORT_OTLP_ATTRIBUTES_COMMON_SCHEMA_H
#define UE__TOOLS_EXPORT_OTLP_ATTRIBUTES_COMMON_SCHEMA_H

#include <stdint.h>

#include "common/events/field.h"
#include "event_attributes.h"

#define SEVERITY_MAX 24 /* of OpenTelemetry; 0 is none */

enum schema_kind {
	SCHEMA_LOG = 1,
	SCHEMA_SPAN = 2,
};

/* A text in schema_facts.texts. */
struct schema_text {
	size_t at, length;
};

/* Facts that become members of the record, rather than attributes. */
struct schema_facts {
	struct bytes texts;
	uint32_t seen; /* bits of members that were read */
	int has_span_type; /* _typeName is "Span" */
	int has_no_trace; /* set before reading: the ids of a span and its flags stay attributes */
	uint8_t trace[TRACE_ID_SIZE], span[SPAN_ID_SIZE], parent[SPAN_ID_SIZE];
	uint64_t flags;
	int64_t time, start; /* since 1970 */
	struct schema_text part_a_name, name, severity_text, status_message;
	uint64_t severity, kind, has_succeeded;
	struct value body;
	struct schema_text body_text;
};

/* Whether the event is of Common Schema. The walk begins anew. */
int common_schema_is(struct event_attributes *attributes, const struct exported_event *event);
/*
 * Read members into facts. kinds: those of which members are taken; then others are appended
 * as attributes, unless to is NULL.
 */
void common_schema_read(struct event_attributes *attributes, struct schema_facts *facts,
			uint32_t kinds, const struct exported_event *event, struct bytes *to,
			enum otlp_field list);
/* Whether a member was read. */
int common_schema_has(const struct schema_facts *facts, const char *name);
struct clean_text common_schema_text(const struct schema_facts *facts,
				     struct schema_text text);

/* Times in records of Common Schema. */

#endif
