/* SPDX-License-Identifier: MIT */
/* Keeps activities that have not ended. */
#include "otlp_batch.h"

#include <stdlib.h>

#include "common/cli/memory.h"

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

struct open_span *open_spans_find(const struct open_spans *spans, const uint8_t *activity)
{
	struct open_span *span;

	if (!spans->count)
		return NULL;
	span = *place(spans, activity);
	while (span && memcmp(span->activity, activity, ACTIVITY_SIZE))
		span = span->next;
	return span;
}

void open_spans_add(struct open_spans *spans, struct open_span *span)
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

void open_spans_fail(struct open_spans *spans, struct open_span *span, struct clean_text name)
{
	if (span->has_failed)
		return;
	discount_bytes(spans, span);
	span->has_failed = 1;
	span->failure = xstrndup(name.at, name.length);
	count_bytes(spans, span);
}

struct open_span *open_spans_take(struct open_spans *spans, struct open_span *span)
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

struct open_span *open_spans_excess(const struct open_spans *spans)
{
	return spans->count > OPEN_SPANS_MAX || spans->bytes > OPEN_SPANS_BYTES ?
		       spans->oldest : NULL;
}

void open_span_free(struct open_span *span)
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
