/* SPDX-License-Identifier: MIT */
/* The members of OTLP's messages that are written: their numbers, types and names. */
#ifndef UE__TOOLS_EXPORT_OTLP_FIELDS_H
#define UE__TOOLS_EXPORT_OTLP_FIELDS_H

#include <stdint.h>

enum otlp_field {
	/* Requests, and down to records */
	OTLP_RESOURCE_LOGS,
	OTLP_RESOURCE_SPANS,
	OTLP_RESOURCE,
	OTLP_RESOURCE_ATTRIBUTES,
	OTLP_SCOPE_LOGS,
	OTLP_SCOPE_SPANS,
	OTLP_SCOPE,
	OTLP_SCOPE_NAME,
	OTLP_LOG_RECORDS,
	OTLP_SPANS,
	/* Log records */
	OTLP_LOG_TIME,
	OTLP_LOG_OBSERVED_TIME,
	OTLP_LOG_SEVERITY,
	OTLP_LOG_SEVERITY_TEXT,
	OTLP_LOG_BODY,
	OTLP_LOG_ATTRIBUTES,
	OTLP_LOG_FLAGS,
	OTLP_LOG_TRACE_ID,
	OTLP_LOG_SPAN_ID,
	OTLP_LOG_EVENT_NAME,
	/* Spans */
	OTLP_SPAN_TRACE_ID,
	OTLP_SPAN_ID,
	OTLP_SPAN_PARENT,
	OTLP_SPAN_NAME,
	OTLP_SPAN_KIND,
	OTLP_SPAN_START,
	OTLP_SPAN_END,
	OTLP_SPAN_ATTRIBUTES,
	OTLP_SPAN_FLAGS,
	OTLP_SPAN_STATUS,
	OTLP_STATUS_MESSAGE,
	OTLP_STATUS_CODE,
	/* A kvlist */
	OTLP_LIST_VALUES,
	OTLP_FIELDS,
};

enum otlp_type {
	OTLP_NESTED, /* a message, text, bytes, or a list of them */
	OTLP_VARINT,
	OTLP_FIXED32,
	OTLP_FIXED64, /* a string in JSON */
};

struct otlp_member {
	uint8_t number;
	uint8_t type; /* enum otlp_type */
	const char *name; /* in JSON */
};

extern const struct otlp_member otlp_members[OTLP_FIELDS];

#endif
