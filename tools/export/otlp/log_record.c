/* SPDX-License-Identifier: MIT */
/* Encodes an event as a log record. */
#include "common/cli/clock.h"
#include "otlp_exporter.h"

uint32_t otlp_severity(uint8_t level, const char **text)
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

void otlp_append_severity(const struct otlp_encoder *encoder, struct bytes *to, uint8_t level)
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

void otlp_append_ids(const struct otlp_encoder *encoder, struct bytes *to,
		     const struct ue_event_info *info, const uint8_t *trace)
{
	uint8_t span[SPAN_ID_SIZE];

	if (!trace)
		return;
	span_id_of(info->activity_id, span);
	encoder->id(to, OTLP_LOG_TRACE_ID, trace, ACTIVITY_SIZE);
	encoder->id(to, OTLP_LOG_SPAN_ID, span, SPAN_ID_SIZE);
}

void otlp_append_log(struct otlp_exporter *otlp, struct bytes *to,
		     const struct exported_event *event, const uint8_t *trace)
{
	const struct otlp_encoder *encoder = otlp->encoder;

	encoder->root_begin(to);
	otlp_append_times(encoder, to, event->time);
	if (event->info)
		otlp_append_severity(encoder, to, event->info->level);
	put_name(otlp, to, event);
	otlp_append_ids(encoder, to, event->info, trace);
	encoder->list_begin(to, OTLP_LOG_ATTRIBUTES);
	event_attributes_begin(&otlp->attributes, to);
	event_attributes_header(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, event);
	event_attributes_fields(&otlp->attributes, to, OTLP_LOG_ATTRIBUTES, event);
	encoder->list_end(to);
	encoder->root_end(to);
}

int otlp_trace_of(struct otlp_exporter *otlp, const struct ue_event_info *info,
		  uint8_t *trace)
{
	if (!info || !activity_is_set(info->activity_id))
		return 0;
	trace_id_of(&otlp->traces, info->activity_id, info->related_id, trace);
	return 1;
}

int otlp_add_record(struct otlp_exporter *otlp, enum otlp_signal signal,
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
	uint8_t trace[ACTIVITY_SIZE];
	const int has_trace = otlp_trace_of(otlp, event->info, trace);

	otlp_append_log(otlp, to, event, has_trace ? trace : NULL);
	return otlp_add_record(otlp, OTLP_LOGS, event);
}

int otlp_put_log(struct otlp_exporter *otlp, const struct otlp_record *record,
		 const void *bytes, size_t length)
{
	struct otlp_requests *logs = &otlp->requests[OTLP_LOGS];

	bytes_add(otlp_requests_record(logs), bytes, length);
	return otlp_requests_add(logs, record);
}
