/* SPDX-License-Identifier: MIT */
/* Encodes an event as a log record. */
#include "common/cli/clock.h"
#include "otlp_exporter.h"

/* severity_number of a level, 0 for none, and severity_text, "" for none. */
static uint32_t otlp_severity(uint8_t level, const char **text)
{
	static const struct {
		uint32_t number;
		const char *text;
	} severities[] = {
		{ 0, "LOG_ALWAYS" },
		{ SEVERITY_FATAL, "CRITICAL" },
		{ SEVERITY_ERROR, "ERROR" },
		{ SEVERITY_WARN, "WARNING" },
		{ SEVERITY_INFO, "INFO" },
		{ SEVERITY_DEBUG, "VERBOSE" },
	};

	if (level >= sizeof(severities) / sizeof(severities[0])) {
		*text = "";
		return 0;
	}
	*text = severities[level].text;
	return severities[level].number;
}

static void otlp_append_severity(const struct otlp_encoder *encoder, struct bytes *to, uint8_t level)
{
	const char *text;
	const uint32_t number = otlp_severity(level, &text);

	if (number)
		encoder->number(to, OTLP_LOG_SEVERITY, number);
	encoder->text(to, OTLP_LOG_SEVERITY_TEXT, otlp_text(text));
}

/* "user_events:NAME" for other events than EventHeader's. */
static void put_name(struct otlp_exporter *otlp, struct bytes *to,
		     const struct exported_event *event)
{
	struct bytes *scratch = &otlp->scratch;
	struct clean_text name = event->name;

	if (!event->event->kind->is_eventheader) {
		scratch->length = 0;
		bytes_add(scratch, event->scope.at, event->scope.length);
		bytes_add(scratch, ":", 1);
		bytes_add(scratch, name.at, name.length);
		name = (struct clean_text){ (char *)scratch->at, scratch->length };
	}
	otlp->encoder->text(to, OTLP_LOG_EVENT_NAME, name);
}

void otlp_append_times(const struct otlp_encoder *encoder, struct bytes *to, int64_t time)
{
	if (time)
		encoder->number(to, OTLP_LOG_TIME, (uint64_t)time);
	encoder->number(to, OTLP_LOG_OBSERVED_TIME, (uint64_t)clock_now(CLOCK_REALTIME));
}

/* span: NULL if only the trace is known. */
static void put_ids(const struct otlp_encoder *encoder, struct bytes *to,
		    const uint8_t *trace, const uint8_t *span)
{
	encoder->id(to, OTLP_LOG_TRACE_ID, trace, ACTIVITY_SIZE);
	if (span)
		encoder->id(to, OTLP_LOG_SPAN_ID, span, SPAN_ID_SIZE);
}

void otlp_append_log(struct otlp_exporter *otlp, struct bytes *to,
		     const struct exported_event *event,
		     const struct span_identity *identity)
{
	const struct otlp_encoder *encoder = otlp->encoder;
	const struct trace_context *context = &otlp->attributes.context;

	encoder->root_begin(to);
	otlp_append_times(encoder, to, event->time);
	if (event->info)
		otlp_append_severity(encoder, to, event->info->level);
	put_name(otlp, to, event);
	if (identity)
		put_ids(encoder, to, identity->trace, identity->id);
	encoder->list_begin(to, OTLP_LOG_ATTRIBUTES);
	event_attributes_begin(&otlp->attributes, to);
	event_attributes_header(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, event);
	event_attributes_fields(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, event);
	encoder->list_end(to);
	if (!identity && context->has_trace) /* of another program's span */
		put_ids(encoder, to, context->trace,
			context->has_span ? context->span : NULL);
	encoder->root_end(to);
}

/* The ids of the event's activity: 1, or 0 if it has none. */
static int otlp_ids_of(struct otlp_exporter *otlp, const struct ue_event_info *info,
		       struct span_identity *identity)
{
	if (!info || !activity_is_set(info->activity_id))
		return 0;
	span_ids_of(&otlp->traces, info->activity_id, info->related_id, identity);
	return 1;
}

/* Add the bytes appended to otlp_requests_record(). */
static int otlp_add_record(struct otlp_exporter *otlp, enum otlp_signal signal,
			   const struct exported_event *event)
{
	struct otlp_record record = {
		.resource = otlp_resource_find(&otlp->resources, event->origin),
		.scope = event->scope,
		.events = 1,
	};
	const int result = otlp_requests_add(&otlp->requests[signal], &record);

	otlp_resource_drop(record.resource);
	return result;
}

int otlp_take_log(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct bytes *to = otlp_requests_record(&otlp->requests[OTLP_LOGS]);
	struct span_identity identity;
	const int has_ids = otlp_ids_of(otlp, event->info, &identity);

	otlp_append_log(otlp, to, event, has_ids ? &identity : NULL);
	return otlp_add_record(otlp, OTLP_LOGS, event);
}

int otlp_put_log(struct otlp_exporter *otlp, const struct otlp_record *record,
		 const void *bytes, size_t length)
{
	struct otlp_requests *logs = &otlp->requests[OTLP_LOGS];

	bytes_add(otlp_requests_record(logs), bytes, length);
	return otlp_requests_add(logs, record);
}

/* Turns events of Common Schema back into the log records and spans that they were. */

static void append_attributes(struct otlp_exporter *otlp, struct bytes *to, uint32_t kind,
			      const struct exported_event *event)
{
	const enum otlp_field list = kind == SCHEMA_SPAN ? OTLP_SPAN_ATTRIBUTES :
							   OTLP_LOG_ATTRIBUTES;

	otlp->encoder->list_begin(to, list);
	event_attributes_begin(&otlp->attributes, to);
	event_attributes_header(&otlp->attributes, to, list, event);
	common_schema_read(&otlp->attributes, &otlp->facts, kind, event, to, list);
	otlp->encoder->list_end(to);
}

/* Log records */

static void append_severity(const struct otlp_encoder *encoder, struct bytes *to,
			    const struct schema_facts *facts, uint8_t level)
{
	const int has_number = common_schema_has(facts, "severityNumber");
	const char *text;
	uint64_t number = otlp_severity(level, &text);

	if (has_number)
		number = facts->severity;
	if (number)
		encoder->number(to, OTLP_LOG_SEVERITY, number);
	if (common_schema_has(facts, "severityText"))
		encoder->text(to, OTLP_LOG_SEVERITY_TEXT,
			      common_schema_text(facts, facts->severity_text));
	else if (!has_number)
		encoder->text(to, OTLP_LOG_SEVERITY_TEXT, otlp_text(text));
}

static void append_body(const struct otlp_encoder *encoder, struct bytes *to,
			const struct schema_facts *facts)
{
	struct value body = facts->body;

	if (!common_schema_has(facts, "body"))
		return;
	if (body.type == VALUE_TEXT || body.type == VALUE_BYTES)
		body.text = common_schema_text(facts, facts->body_text).at;
	encoder->value(to, OTLP_LOG_BODY, &body);
}

/* PartB's, PartA's, or the event's. */
static struct clean_text name_of(const struct schema_facts *facts,
				 const struct exported_event *event)
{
	if (facts->name.length)
		return common_schema_text(facts, facts->name);
	if (facts->part_a_name.length)
		return common_schema_text(facts, facts->part_a_name);
	return event->name;
}

/* The record's ids; or those of the event's activity. */
static void append_ids(struct otlp_exporter *otlp, struct bytes *to,
		       const struct exported_event *event)
{
	const struct schema_facts *facts = &otlp->facts;
	const struct otlp_encoder *encoder = otlp->encoder;
	struct span_identity identity;

	if (!common_schema_has(facts, "ext_dt_traceId")) {
		if (otlp_ids_of(otlp, event->info, &identity))
			put_ids(encoder, to, identity.trace, identity.id);
		return;
	}
	put_ids(encoder, to, facts->trace,
		common_schema_has(facts, "ext_dt_spanId") ? facts->span : NULL);
	if (common_schema_has(facts, "ext_dt_traceFlags"))
		encoder->number(to, OTLP_LOG_FLAGS, facts->flags);
}

static int take_log(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct bytes *to = otlp_requests_record(&otlp->requests[OTLP_LOGS]);
	const struct schema_facts *facts = &otlp->facts;
	const struct otlp_encoder *encoder = otlp->encoder;

	encoder->root_begin(to);
	append_attributes(otlp, to, SCHEMA_LOG, event);
	otlp_append_times(encoder, to,
			  common_schema_has(facts, "time") ? facts->time : event->time);
	append_severity(encoder, to, facts, event->info->level);
	append_body(encoder, to, facts);
	encoder->text(to, OTLP_LOG_EVENT_NAME, name_of(facts, event));
	append_ids(otlp, to, event);
	encoder->root_end(to);
	return otlp_add_record(otlp, OTLP_LOGS, event);
}

/* Spans */

static int is_span(const struct schema_facts *facts)
{
	return facts->has_span_type && common_schema_has(facts, "_typeName") &&
	       common_schema_has(facts, "ext_dt_traceId") &&
	       common_schema_has(facts, "ext_dt_spanId") &&
	       common_schema_has(facts, "startTime") && common_schema_has(facts, "time") &&
	       facts->start <= facts->time;
}

static void append_status(const struct otlp_encoder *encoder, struct bytes *to,
			  const struct schema_facts *facts)
{
	const int has_failed = common_schema_has(facts, "success") && !facts->has_succeeded;
	size_t status;

	if (!has_failed && !common_schema_has(facts, "statusMessage"))
		return;
	status = encoder->message_begin(to, OTLP_SPAN_STATUS);
	if (common_schema_has(facts, "statusMessage"))
		encoder->text(to, OTLP_STATUS_MESSAGE,
			      common_schema_text(facts, facts->status_message));
	if (has_failed)
		encoder->number(to, OTLP_STATUS_CODE, STATUS_CODE_ERROR);
	encoder->message_end(to, status);
}

/* The schema counts kinds from 0, internal; OTLP from 1. */
static void append_span(const struct otlp_encoder *encoder, struct bytes *to,
			const struct schema_facts *facts, const struct exported_event *event)
{
	static const uint8_t none[SPAN_ID_SIZE];

	encoder->id(to, OTLP_SPAN_TRACE_ID, facts->trace, ACTIVITY_SIZE);
	encoder->id(to, OTLP_SPAN_ID, facts->span, SPAN_ID_SIZE);
	if (common_schema_has(facts, "parentId") &&
	    memcmp(facts->parent, none, SPAN_ID_SIZE) != 0)
		encoder->id(to, OTLP_SPAN_PARENT, facts->parent, SPAN_ID_SIZE);
	if (common_schema_has(facts, "ext_dt_traceFlags"))
		encoder->number(to, OTLP_SPAN_FLAGS, facts->flags);
	encoder->text(to, OTLP_SPAN_NAME, name_of(facts, event));
	if (common_schema_has(facts, "kind"))
		encoder->number(to, OTLP_SPAN_KIND, facts->kind + SPAN_KIND_INTERNAL);
	encoder->number(to, OTLP_SPAN_START, (uint64_t)facts->start);
	encoder->number(to, OTLP_SPAN_END, (uint64_t)facts->time);
	append_status(encoder, to, facts);
}

static int take_span(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct bytes *to = otlp_requests_record(&otlp->requests[OTLP_TRACES]);

	otlp->encoder->root_begin(to);
	append_attributes(otlp, to, SCHEMA_SPAN, event);
	append_span(otlp->encoder, to, &otlp->facts, event);
	otlp->encoder->root_end(to);
	return otlp_add_record(otlp, OTLP_TRACES, event);
}

int otlp_take_schema(struct otlp_exporter *otlp, const struct exported_event *event,
		     int *result)
{
	if (!common_schema_is(&otlp->attributes, event))
		return 0;
	memset(otlp->facts.parent, 0, SPAN_ID_SIZE);
	otlp->facts.has_no_trace = 0;
	common_schema_read(&otlp->attributes, &otlp->facts, SCHEMA_LOG | SCHEMA_SPAN, event, NULL,
			   OTLP_LOG_ATTRIBUTES);
	otlp->facts.has_no_trace = !common_schema_has(&otlp->facts, "ext_dt_traceId");
	*result = is_span(&otlp->facts) ? take_span(otlp, event) : take_log(otlp, event);
	return 1;
}
