/* SPDX-License-Identifier: MIT */
/* Lists the members of OTLP's messages, from opentelemetry-proto 1.7. */
#include "otlp_fields.h"

const struct otlp_member otlp_members[OTLP_FIELDS] = {
	[OTLP_RESOURCE_LOGS] = { 1, OTLP_NESTED, "resourceLogs" },
	[OTLP_RESOURCE_SPANS] = { 1, OTLP_NESTED, "resourceSpans" },
	[OTLP_RESOURCE] = { 1, OTLP_NESTED, "resource" },
	[OTLP_RESOURCE_ATTRIBUTES] = { 1, OTLP_NESTED, "attributes" },
	[OTLP_SCOPE_LOGS] = { 2, OTLP_NESTED, "scopeLogs" },
	[OTLP_SCOPE_SPANS] = { 2, OTLP_NESTED, "scopeSpans" },
	[OTLP_SCOPE] = { 1, OTLP_NESTED, "scope" },
	[OTLP_SCOPE_NAME] = { 1, OTLP_NESTED, "name" },
	[OTLP_LOG_RECORDS] = { 2, OTLP_NESTED, "logRecords" },
	[OTLP_SPANS] = { 2, OTLP_NESTED, "spans" },

	[OTLP_LOG_TIME] = { 1, OTLP_FIXED64, "timeUnixNano" },
	[OTLP_LOG_SEVERITY] = { 2, OTLP_VARINT, "severityNumber" },
	[OTLP_LOG_SEVERITY_TEXT] = { 3, OTLP_NESTED, "severityText" },
	[OTLP_LOG_BODY] = { 5, OTLP_NESTED, "body" },
	[OTLP_LOG_ATTRIBUTES] = { 6, OTLP_NESTED, "attributes" },
	[OTLP_LOG_FLAGS] = { 8, OTLP_FIXED32, "flags" },
	[OTLP_LOG_TRACE_ID] = { 9, OTLP_NESTED, "traceId" },
	[OTLP_LOG_SPAN_ID] = { 10, OTLP_NESTED, "spanId" },
	[OTLP_LOG_OBSERVED_TIME] = { 11, OTLP_FIXED64, "observedTimeUnixNano" },
	[OTLP_LOG_EVENT_NAME] = { 12, OTLP_NESTED, "eventName" },

	[OTLP_SPAN_TRACE_ID] = { 1, OTLP_NESTED, "traceId" },
	[OTLP_SPAN_ID] = { 2, OTLP_NESTED, "spanId" },
	[OTLP_SPAN_PARENT] = { 4, OTLP_NESTED, "parentSpanId" },
	[OTLP_SPAN_NAME] = { 5, OTLP_NESTED, "name" },
	[OTLP_SPAN_KIND] = { 6, OTLP_VARINT, "kind" },
	[OTLP_SPAN_START] = { 7, OTLP_FIXED64, "startTimeUnixNano" },
	[OTLP_SPAN_END] = { 8, OTLP_FIXED64, "endTimeUnixNano" },
	[OTLP_SPAN_ATTRIBUTES] = { 9, OTLP_NESTED, "attributes" },
	[OTLP_SPAN_STATUS] = { 15, OTLP_NESTED, "status" },
	[OTLP_SPAN_FLAGS] = { 16, OTLP_FIXED32, "flags" },
	[OTLP_STATUS_MESSAGE] = { 2, OTLP_NESTED, "message" },
	[OTLP_STATUS_CODE] = { 3, OTLP_VARINT, "code" },

	[OTLP_LIST_VALUES] = { 1, OTLP_NESTED, "values" },
};
