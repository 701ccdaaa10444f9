/* SPDX-License-Identifier: MIT */
/* Finds the ids of spans and traces. */
#include "trace_ids.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

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
