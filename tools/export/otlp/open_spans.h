/* SPDX-License-Identifier: MIT */
/*
 * Activities that have begun and not ended. Memory is bounded: when there is no room, the
 * oldest is given up, and its first event is exported as a log record.
 */
#ifndef UE__TOOLS_EXPORT_OTLP_OPEN_SPANS_H
#define UE__TOOLS_EXPORT_OTLP_OPEN_SPANS_H

#include "otlp_resource.h"
#include "trace_ids.h"

#define OPEN_SPANS_MAX 65536u
#define OPEN_SPANS_BYTES ((size_t)16 << 20)

struct open_span {
	uint8_t activity[ACTIVITY_SIZE];
	uint8_t trace[ACTIVITY_SIZE];
	uint8_t parent[SPAN_ID_SIZE];
	int has_parent;
	uint64_t start; /* nanoseconds since 1970 */
	int has_failed; /* an event in it has level 1 or 2 */
	struct otlp_resource *resource;
	/* In memory of its own: of these lengths, in this order */
	uint8_t *bytes;
	size_t scope_length;
	size_t name_length;	  /* of the event, in UTF-8 */
	size_t log_length;	  /* the event as a log record */
	size_t begun_length;	  /* the span, up to the first attributes */
	size_t keys_length;	  /* of unique_names_save() */
	char *failure;		  /* the name of the first event that failed; or NULL */
	struct open_span *next;	  /* with the same place in the table */
	struct open_span *newer, *older;
};

struct open_spans {
	struct open_span **table; /* OPEN_SPANS_MAX of them */
	struct open_span *newest, *oldest;
	uint32_t count;
	size_t bytes; /* of the spans, with their resources */
};

/* The span of an activity, or NULL. */
struct open_span *open_spans_find(const struct open_spans *spans, const uint8_t *activity);
/* There is none of this activity. The span was allocated, and belongs to the table. */
void open_spans_add(struct open_spans *spans, struct open_span *span);
/* The first failure of a span in the table, by the name of its event. */
void open_spans_fail(struct open_spans *spans, struct open_span *span, struct clean_text name);
/* Take it out; to be freed. */
struct open_span *open_spans_take(struct open_spans *spans, struct open_span *span);
/* The oldest, if there are too many, or NULL. */
struct open_span *open_spans_excess(const struct open_spans *spans);
void open_span_free(struct open_span *span);
void open_spans_free(struct open_spans *spans);

#endif
