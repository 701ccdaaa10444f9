/* SPDX-License-Identifier: MIT */
/* Makes spans of the events that begin and end activities. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "otlp_batch.h"
#include "otlp_exporter.h"

/* Parts of span->bytes */

static const uint8_t *log_of(const struct open_span *span)
{
	return span->bytes + span->scope_length + span->name_length;
}

static const uint8_t *begun_of(const struct open_span *span)
{
	return log_of(span) + span->log_length;
}

static const uint8_t *keys_of(const struct open_span *span)
{
	return begun_of(span) + span->begun_length;
}

static struct otlp_record record_of(const struct open_span *span, uint32_t events)
{
	return (struct otlp_record){
		.resource = span->resource,
		.scope = { (const char *)span->bytes, span->scope_length },
		.events = events,
	};
}

/* Starts that leave */

/* Spans of one process share a resource. */
static size_t resource_size(const struct otlp_resource *resource)
{
	return sizeof(*resource) + resource->message.room;
}

static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct open_span *span = (struct open_span *)start->data;
	struct otlp_exporter *otlp = context;
	struct otlp_record record;

	if (!span->bytes)
		return;
	record = record_of(span, 1);
	if (fate != START_FREED && !span->is_exported && !otlp->gave_up)
		otlp->gave_up = otlp_put_log(otlp, &record, log_of(span), span->log_length);
	if (!--span->resource->spans)
		otlp->pairs.bytes -= resource_size(span->resource);
	otlp_resource_drop(span->resource);
	free(span->bytes);
	free(span->failure);
}

void otlp_spans_begin(struct otlp_exporter *otlp)
{
	otlp->pairs.data_size = sizeof(struct open_span);
	otlp->pairs.bytes_most = OPEN_SPANS_BYTES;
	otlp->pairs.context = otlp;
	otlp->pairs.leave = leave;
}

int otlp_give_up_spans(struct otlp_exporter *otlp)
{
	otlp->gave_up = 0;
	pairs_end(&otlp->pairs);
	pairs_report(&otlp->pairs, "; their events are log records");
	return otlp->gave_up;
}

/* Failures */

static int is_failure(const struct exported_event *event)
{
	return event->info && (event->info->level == UE_LEVEL_CRITICAL_ERROR ||
			       event->info->level == UE_LEVEL_ERROR);
}

/* The first failure of a span, by the name of its event: the size of that. */
static size_t fail_by(struct open_span *span, const struct exported_event *event)
{
	if (!span->bytes || span->has_failed || !is_failure(event))
		return 0;
	span->has_failed = 1;
	span->failure = xstrndup(event->name.at, event->name.length);
	return event->name.length;
}

/* The event is in a span. */
static void note_failure(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct open_start *start = is_failure(event) ?
					   pairs_around(&otlp->pairs, event->event) : NULL;

	if (start)
		pairs_weigh(&otlp->pairs, start,
			    fail_by((struct open_span *)start->data, event));
}

/* Beginning */

/*
 * The first part of the span, up to its first attributes, to which those of the last event
 * are appended.
 */
static void append_begun(struct otlp_exporter *otlp, struct bytes *to,
			 const struct exported_event *event)
{
	otlp->encoder->root_begin(to);
	otlp->encoder->list_begin(to, OTLP_SPAN_ATTRIBUTES);
	event_attributes_begin(&otlp->attributes, to);
	event_attributes_header(&otlp->attributes, to, OTLP_SPAN_ATTRIBUTES, event);
	event_attributes_fields(&otlp->attributes, to, OTLP_SPAN_ATTRIBUTES, event);
}

/* The buffer stays, as reading a mapped file may end here. */
static void measure_parts(struct otlp_exporter *otlp, struct open_span *span,
			  const struct exported_event *event)
{
	struct bytes *to = &otlp->start;

	to->length = 0;
	bytes_add(to, event->scope.at, event->scope.length);
	span->scope_length = event->scope.length;
	bytes_add(to, event->name.at, event->name.length);
	span->name_length = event->name.length;
	otlp_append_log(otlp, to, event, span->is_call ? NULL : &span->identity);
	span->log_length = to->length - span->scope_length - span->name_length;
	append_begun(otlp, to, event);
	span->begun_length = to->length - span->log_length - span->scope_length -
			     span->name_length;
	unique_names_save(&otlp->attributes.keys, to);
	span->keys_length = to->length - span->begun_length - span->log_length -
			    span->scope_length - span->name_length;
}

/* The call of a thread has no id: one is made. It is in the trace of the call around it. */
static void set_call_ids(struct otlp_exporter *otlp, struct open_span *span,
			 const struct exported_event *event, const struct open_start *around)
{
	const struct open_span *parent = around ? (const struct open_span *)around->data : NULL;
	const uint64_t parts[] = {
		event->origin->pid, event->tid, (uint64_t)event->time, ++otlp->calls,
	};
	const uint64_t made[] = { span_hash(parts, sizeof(parts)), parts[2] };
	struct span_identity *identity = &span->identity;

	span->is_call = 1;
	span_id_of((const uint8_t *)made, identity->id);
	memcpy(identity->trace, parent ? parent->identity.trace : (const uint8_t *)made,
	       ACTIVITY_SIZE);
	identity->has_parent = parent != NULL;
	if (parent)
		memcpy(identity->parent, parent->identity.id, SPAN_ID_SIZE);
}

/* A copy, with memory of its own for the measured text. Returns the size of all. */
static size_t keep(struct otlp_exporter *otlp, struct open_span *span,
		   const struct open_span *measured, const struct exported_event *event)
{
	*span = *measured;
	span->resource = otlp_resource_find(&otlp->resources, event->origin);
	if (!span->resource->spans++)
		otlp->pairs.bytes += resource_size(span->resource);
	span->bytes = xmalloc(otlp->start.length);
	memcpy(span->bytes, otlp->start.at, otlp->start.length);
	return sizeof(*span) + otlp->start.length + fail_by(span, event);
}

/*
 * The span of another program that the event names, as of the W3C's recommendation, is
 * its parent.
 */
static void join_context(struct otlp_exporter *otlp, struct open_span *span,
			 const struct exported_event *event)
{
	const struct trace_context *context = &otlp->attributes.context;
	struct span_identity *identity = &span->identity;

	if (!context->has_trace)
		return;
	memcpy(identity->trace, context->trace, ACTIVITY_SIZE);
	identity->has_parent = context->has_span &&
			       memcmp(context->span, identity->id, SPAN_ID_SIZE) != 0;
	memcpy(identity->parent, context->span, SPAN_ID_SIZE);
	if (!span->is_call)
		span_ids_join(&otlp->traces, event->info->activity_id, identity);
}

static int take_start(struct otlp_exporter *otlp, const struct exported_event *event,
		      const struct pair *pair)
{
	struct open_span measured = { .start = (uint64_t)event->time };
	size_t size;

	if (pair->opened->is_nested)
		set_call_ids(otlp, &measured, event, open_start_around(pair->opened));
	else
		span_ids_begin(&otlp->traces, event->info->activity_id,
			       event->info->related_id, (uint64_t)event->time,
			       &measured.identity);
	measure_parts(otlp, &measured, event);
	join_context(otlp, &measured, event);
	size = keep(otlp, (struct open_span *)pair->opened->data, &measured, event);
	pairs_weigh(&otlp->pairs, pair->opened, size);
	return otlp->gave_up;
}

/* Ending */

static struct clean_text span_name(const struct open_span *span)
{
	return activity_name((struct clean_text){
		(const char *)span->bytes + span->scope_length, span->name_length,
	});
}

static void append_status(const struct otlp_encoder *encoder, struct bytes *to,
			  const struct open_span *span)
{
	size_t status;

	if (!span->has_failed)
		return;
	status = encoder->message_begin(to, OTLP_SPAN_STATUS);
	encoder->text(to, OTLP_STATUS_MESSAGE, otlp_text(span->failure));
	encoder->number(to, OTLP_STATUS_CODE, STATUS_CODE_ERROR);
	encoder->message_end(to, status);
}

static void append_members(const struct otlp_encoder *encoder, struct bytes *to,
			   const struct open_span *span, uint64_t end)
{
	const struct span_identity *identity = &span->identity;

	encoder->id(to, OTLP_SPAN_TRACE_ID, identity->trace, ACTIVITY_SIZE);
	encoder->id(to, OTLP_SPAN_ID, identity->id, SPAN_ID_SIZE);
	if (identity->has_parent)
		encoder->id(to, OTLP_SPAN_PARENT, identity->parent, SPAN_ID_SIZE);
	encoder->text(to, OTLP_SPAN_NAME, span_name(span));
	encoder->number(to, OTLP_SPAN_KIND, SPAN_KIND_INTERNAL);
	encoder->number(to, OTLP_SPAN_START, span->start);
	encoder->number(to, OTLP_SPAN_END, end);
	append_status(encoder, to, span);
}

static void append_span(struct otlp_exporter *otlp, struct bytes *to,
			const struct open_span *span, const struct exported_event *event,
			int64_t nanoseconds)
{
	struct event_attributes *attributes = &otlp->attributes;

	event_attributes_begin(attributes, to);
	attributes->is_end = 1;
	unique_names_restore(&attributes->keys, keys_of(span), span->keys_length);
	bytes_add(to, begun_of(span), span->begun_length);
	event_attributes_fields(attributes, to, OTLP_SPAN_ATTRIBUTES, event);
	otlp->encoder->list_end(to);
	append_members(otlp->encoder, to, span, span->start + (uint64_t)nanoseconds);
	otlp->encoder->root_end(to);
}

static int take_stop(struct otlp_exporter *otlp, const struct exported_event *event,
		     struct open_span *span, int64_t nanoseconds)
{
	struct otlp_requests *spans = &otlp->requests[OTLP_TRACES];
	const struct otlp_record record = record_of(span, 2);

	fail_by(span, event);
	append_span(otlp, otlp_requests_record(spans), span, event, nanoseconds);
	span->is_exported = 1;
	return otlp_requests_add(spans, &record);
}

/* A span needs to know when it was. */
int otlp_take_event(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct open_span *ended;
	struct pair pair;

	otlp->gave_up = 0;
	if (!pairs_take(&otlp->pairs, event->event, &pair))
		note_failure(otlp, event);
	if (otlp->gave_up)
		return otlp->gave_up;
	ended = pair.ended ? (struct open_span *)pair.ended->data : NULL;
	if (ended && ended->bytes)
		return take_stop(otlp, event, ended, pair.nanoseconds);
	if (pair.opened && event->time > 0)
		return take_start(otlp, event, &pair);
	return otlp_take_log(otlp, event);
}
