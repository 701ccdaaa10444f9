/* SPDX-License-Identifier: MIT */
/* Makes spans of the events that begin and end activities. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "otlp_batch.h"
#include "otlp_exporter.h"

/* Keeps activities that have not ended. */

static uint64_t mix(uint64_t number)
{
	number = (number ^ (number >> 32)) * 0xd6e8feb86659fd93u;
	return number ^ (number >> 32);
}

/* An address is not the same in each run, so ids cannot be chosen to have one place. */
static struct open_span **place(const struct open_spans *spans, const uint8_t *activity)
{
	uint64_t halves[2];

	memcpy(halves, activity, sizeof(halves));
	halves[0] = mix((uintptr_t)spans->table ^ halves[0]);
	return &spans->table[mix(halves[0] ^ halves[1]) % OPEN_SPANS_MAX];
}

/* Memory */

static size_t size_of(const struct open_span *span)
{
	return sizeof(*span) + span->scope_length + span->name_length + span->log_length +
	       span->begun_length + span->keys_length +
	       (span->failure ? strlen(span->failure) : 0);
}

static size_t resource_size(const struct open_span *span)
{
	return sizeof(*span->resource) + span->resource->message.room;
}

/* Spans of one process share a resource. */
static void count_bytes(struct open_spans *spans, const struct open_span *span)
{
	spans->bytes += size_of(span);
	if (!span->resource->spans++)
		spans->bytes += resource_size(span);
}

static void discount_bytes(struct open_spans *spans, const struct open_span *span)
{
	spans->bytes -= size_of(span);
	if (!--span->resource->spans)
		spans->bytes -= resource_size(span);
}

/* The table */

/* The span of an activity, or NULL. */
static struct open_span *open_spans_find(const struct open_spans *spans, const uint8_t *activity)
{
	struct open_span *span;

	if (!spans->count)
		return NULL;
	span = *place(spans, activity);
	while (span && memcmp(span->activity, activity, ACTIVITY_SIZE))
		span = span->next;
	return span;
}

/* There is none of this activity. The span was allocated, and belongs to the table. */
static void open_spans_add(struct open_spans *spans, struct open_span *span)
{
	struct open_span **at;

	if (!spans->table)
		spans->table = xcalloc(OPEN_SPANS_MAX, sizeof(*spans->table));
	at = place(spans, span->activity);
	span->next = *at;
	*at = span;
	span->older = spans->newest;
	span->newer = NULL;
	if (spans->newest)
		spans->newest->newer = span;
	else
		spans->oldest = span;
	spans->newest = span;
	spans->count++;
	count_bytes(spans, span);
}

/* The first failure of a span in the table, by the name of its event. */
static void open_spans_fail(struct open_spans *spans, struct open_span *span, struct clean_text name)
{
	if (span->has_failed)
		return;
	discount_bytes(spans, span);
	span->has_failed = 1;
	span->failure = xstrndup(name.at, name.length);
	count_bytes(spans, span);
}

/* Take it out; to be freed. */
static struct open_span *open_spans_take(struct open_spans *spans, struct open_span *span)
{
	struct open_span **at = place(spans, span->activity);

	while (*at != span)
		at = &(*at)->next;
	*at = span->next;
	*(span->newer ? &span->newer->older : &spans->newest) = span->older;
	*(span->older ? &span->older->newer : &spans->oldest) = span->newer;
	spans->count--;
	discount_bytes(spans, span);
	return span;
}

/* The oldest, if there are too many, or NULL. */
static struct open_span *open_spans_excess(const struct open_spans *spans)
{
	return spans->count > OPEN_SPANS_MAX || spans->bytes > OPEN_SPANS_BYTES ?
		       spans->oldest : NULL;
}

static void open_span_free(struct open_span *span)
{
	otlp_resource_drop(span->resource);
	free(span->bytes);
	free(span->failure);
	free(span);
}

void open_spans_free(struct open_spans *spans)
{
	while (spans->oldest)
		open_span_free(open_spans_take(spans, spans->oldest));
	free(spans->table);
	*spans = (struct open_spans){ .table = NULL };
}

/* Finds the ids of spans and traces. */

static uint64_t fnv1a(const uint8_t *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

void span_id_of(const uint8_t *activity, uint8_t *span_id)
{
	const uint64_t hash = fnv1a(activity, ACTIVITY_SIZE);
	const uint64_t id = htobe64(hash ? hash : 1);

	memcpy(span_id, &id, SPAN_ID_SIZE);
}

static struct trace_of *set_of(struct trace_ids *ids, const uint8_t *activity)
{
	const uint64_t hash = fnv1a(activity, ACTIVITY_SIZE);

	if (!ids->sets)
		ids->sets = xcalloc(TRACE_SETS * TRACE_WAYS, sizeof(*ids->sets));
	return ids->sets + (hash ^ hash >> 32) % TRACE_SETS * TRACE_WAYS;
}

static const struct trace_of *find(struct trace_ids *ids, const uint8_t *activity)
{
	const struct trace_of *set = set_of(ids, activity);

	for (uint32_t i = 0; i < TRACE_WAYS; i++)
		if (!memcmp(set[i].activity, activity, ACTIVITY_SIZE))
			return &set[i];
	return NULL;
}

static void add(struct trace_ids *ids, const uint8_t *activity, const uint8_t *trace)
{
	struct trace_of *set = set_of(ids, activity);

	memmove(set + 1, set, (TRACE_WAYS - 1) * sizeof(*set));
	memcpy(set->activity, activity, ACTIVITY_SIZE);
	memcpy(set->trace, trace, ACTIVITY_SIZE);
}

void trace_id_of(struct trace_ids *ids, const uint8_t *activity, const uint8_t *related,
		 uint8_t *trace)
{
	const struct trace_of *known = find(ids, activity);

	if (!known && activity_is_set(related)) {
		known = find(ids, related);
		memcpy(trace, known ? known->trace : related, ACTIVITY_SIZE);
		add(ids, activity, trace);
		return;
	}
	memcpy(trace, known ? known->trace : activity, ACTIVITY_SIZE);
}

void trace_ids_free(struct trace_ids *ids)
{
	free(ids->sets);
	ids->sets = NULL;
}

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

/* Failures */

static void fail_by(struct otlp_exporter *otlp, struct open_span *span,
		    const struct exported_event *event)
{
	const uint8_t level = event->info->level;

	if (level == UE_LEVEL_CRITICAL_ERROR || level == UE_LEVEL_ERROR)
		open_spans_fail(&otlp->spans, span, event->name);
}

/* Giving up */

static int give_up(struct otlp_exporter *otlp, struct open_span *span)
{
	const struct otlp_record record = record_of(span, 1);
	const int result = otlp_put_log(otlp, &record, log_of(span), span->log_length);

	open_span_free(open_spans_take(&otlp->spans, span));
	return result;
}

int otlp_give_up_spans(struct otlp_exporter *otlp)
{
	int result = 0;

	while (otlp->spans.oldest && !result)
		result = give_up(otlp, otlp->spans.oldest);
	return result;
}

static int give_up_excess(struct otlp_exporter *otlp)
{
	struct open_span *span;
	int result = 0;

	while (!result && (span = open_spans_excess(&otlp->spans)))
		result = give_up(otlp, span);
	return result;
}

int otlp_note_failure(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct open_span *span = open_spans_find(&otlp->spans, event->info->activity_id);

	if (!span)
		return 0;
	fail_by(otlp, span, event);
	return give_up_excess(otlp);
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

/* In a buffer that stays, as reading a mapped file may end here. */
static void measure_parts(struct otlp_exporter *otlp, struct open_span *span,
			  const struct exported_event *event)
{
	struct bytes *to = &otlp->start;

	to->length = 0;
	bytes_add(to, event->scope.at, event->scope.length);
	span->scope_length = event->scope.length;
	bytes_add(to, event->name.at, event->name.length);
	span->name_length = event->name.length;
	otlp_append_log(otlp, to, event, span->trace);
	span->log_length = to->length - span->scope_length - span->name_length;
	append_begun(otlp, to, event);
	span->begun_length = to->length - span->log_length - span->scope_length -
			     span->name_length;
	unique_names_save(&otlp->attributes.keys, to);
	span->keys_length = to->length - span->begun_length - span->log_length -
			    span->scope_length - span->name_length;
}

static void set_ids(struct otlp_exporter *otlp, struct open_span *span,
		    const struct ue_event_info *info)
{
	memcpy(span->activity, info->activity_id, ACTIVITY_SIZE);
	trace_id_of(&otlp->traces, info->activity_id, info->related_id, span->trace);
	span->has_parent = activity_is_set(info->related_id);
	if (span->has_parent)
		span_id_of(info->related_id, span->parent);
}

static struct open_span *keep(struct otlp_exporter *otlp, const struct open_span *found,
			      const struct exported_event *event)
{
	struct open_span *span = xmalloc(sizeof(*span));

	*span = *found;
	span->bytes = xmalloc(otlp->start.length);
	memcpy(span->bytes, otlp->start.at, otlp->start.length);
	span->resource = otlp_resource_find(&otlp->resources, event->origin);
	return span;
}

/* One that begins twice did not end the first time. */
int otlp_take_start(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct open_span found = { .start = (uint64_t)event->time }, *span;
	int result = 0;

	set_ids(otlp, &found, event->info);
	measure_parts(otlp, &found, event);
	span = open_spans_find(&otlp->spans, found.activity);
	if (span)
		result = give_up(otlp, span);
	span = keep(otlp, &found, event);
	open_spans_add(&otlp->spans, span);
	fail_by(otlp, span, event);
	return result ? result : give_up_excess(otlp);
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
	uint8_t id[SPAN_ID_SIZE];

	span_id_of(span->activity, id);
	encoder->id(to, OTLP_SPAN_TRACE_ID, span->trace, ACTIVITY_SIZE);
	encoder->id(to, OTLP_SPAN_ID, id, SPAN_ID_SIZE);
	if (span->has_parent)
		encoder->id(to, OTLP_SPAN_PARENT, span->parent, SPAN_ID_SIZE);
	encoder->text(to, OTLP_SPAN_NAME, span_name(span));
	encoder->number(to, OTLP_SPAN_KIND, SPAN_KIND_INTERNAL);
	encoder->number(to, OTLP_SPAN_START, span->start);
	encoder->number(to, OTLP_SPAN_END, end);
	append_status(encoder, to, span);
}

static void append_span(struct otlp_exporter *otlp, struct bytes *to,
			const struct open_span *span, const struct exported_event *event)
{
	struct event_attributes *attributes = &otlp->attributes;

	event_attributes_begin(attributes, to);
	attributes->is_end = 1;
	unique_names_restore(&attributes->keys, keys_of(span), span->keys_length);
	bytes_add(to, begun_of(span), span->begun_length);
	event_attributes_fields(attributes, to, OTLP_SPAN_ATTRIBUTES, event);
	otlp->encoder->list_end(to);
	append_members(otlp->encoder, to, span, (uint64_t)event->time);
	otlp->encoder->root_end(to);
}

int otlp_take_stop(struct otlp_exporter *otlp, const struct exported_event *event)
{
	struct otlp_requests *spans = &otlp->requests[OTLP_TRACES];
	struct open_span *span = open_spans_find(&otlp->spans, event->info->activity_id);
	struct otlp_record record;
	int result;

	if (!span || (uint64_t)event->time < span->start)
		return otlp_take_log(otlp, event);
	fail_by(otlp, span, event);
	append_span(otlp, otlp_requests_record(spans), span, event);
	record = record_of(span, 2);
	result = otlp_requests_add(spans, &record);
	open_span_free(open_spans_take(&otlp->spans, span));
	return result;
}
