/* SPDX-License-Identifier: MIT */
/*
 * Finds the ids of spans and traces.
 *
 * The id of a span follows from its activity alone, so that exports of several
 * processes and machines name the same parent. An activity may be used again, by a
 * thread that keeps its id, say: then the time and a number are part of the id, as two
 * spans with one id are one to a receiver.
 *
 * A parent is the span of the related activity. Events may say anything, also that each
 * of two activities is related to the other. A circle needs a span that was named as a
 * parent before it began, so such a span has a parent only if the way up from there is
 * known, and does not lead back to it.
 *
 * Activities that began, or were named before they began, are in filters without false
 * negatives, of the latest millions of activities. A false positive, one in some
 * hundred at worst, makes an id that follows from the time, which the table still
 * finds, or costs a doubtful parent.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "otlp_batch.h"

uint64_t span_hash(const void *at, size_t length)
{
	const uint8_t *bytes = at;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static void id_of(uint64_t hash, uint8_t *span_id)
{
	const uint64_t id = htobe64(hash ? hash : 1);

	memcpy(span_id, &id, SPAN_ID_SIZE);
}

void span_id_of(const uint8_t *activity, uint8_t *span_id)
{
	id_of(span_hash(activity, ACTIVITY_SIZE), span_id);
}

/* Filters */

enum fact {
	HAS_BEGUN = 1,
	WAS_NAMED,
};

#define FILTER_BITS (UINT32_C(1) << 25)
#define FILTER_KEYS (UINT32_C(2) << 20)
#define FILTER_TESTS 4

/* The next bit of a key, and the step to the one behind it, which is odd. */
static void begin_bits(const uint8_t *activity, enum fact fact, uint64_t *bit,
		       uint64_t *step)
{
	uint8_t key[ACTIVITY_SIZE + 1];

	memcpy(key, activity, ACTIVITY_SIZE);
	key[ACTIVITY_SIZE] = (uint8_t)fact;
	*bit = span_hash(key, sizeof(key));
	*step = *bit >> 32 | 1;
}

static int filter_has(const uint8_t *filter, const uint8_t *activity, enum fact fact)
{
	uint64_t bit, step;

	begin_bits(activity, fact, &bit, &step);
	for (int i = 0; filter && i < FILTER_TESTS; i++, bit += step)
		if (!(filter[bit % FILTER_BITS / 8] >> bit % 8 & 1))
			return 0;
	return filter != NULL;
}

static int has(const struct trace_ids *ids, const uint8_t *activity, enum fact fact)
{
	return filter_has(ids->filters[0], activity, fact) ||
	       filter_has(ids->filters[1], activity, fact);
}

/* The older one is forgotten when the newer one is full. */
static void note(struct trace_ids *ids, const uint8_t *activity, enum fact fact)
{
	uint64_t bit, step;

	if (ids->keys >= FILTER_KEYS || !ids->filters[0]) {
		free(ids->filters[1]);
		ids->filters[1] = ids->filters[0];
		ids->filters[0] = xcalloc(FILTER_BITS / 8, 1);
		ids->keys = 0;
	}
	ids->keys++;
	begin_bits(activity, fact, &bit, &step);
	for (int i = 0; i < FILTER_TESTS; i++, bit += step)
		ids->filters[0][bit % FILTER_BITS / 8] |= (uint8_t)(1 << bit % 8);
}

/* The table */

static struct trace_of *set_of(struct trace_ids *ids, const uint8_t *activity)
{
	const uint64_t hash = span_hash(activity, ACTIVITY_SIZE);

	if (!ids->sets)
		ids->sets = xcalloc(TRACE_SETS * TRACE_WAYS, sizeof(*ids->sets));
	return ids->sets + (hash ^ hash >> 32) % TRACE_SETS * TRACE_WAYS;
}

static struct trace_of *find(struct trace_ids *ids, const uint8_t *activity)
{
	struct trace_of *set = set_of(ids, activity);

	for (uint32_t i = 0; i < TRACE_WAYS; i++)
		if (!memcmp(set[i].activity, activity, ACTIVITY_SIZE))
			return &set[i];
	return NULL;
}

/* It takes the place of the one that was there, or of the oldest. */
static struct trace_of *add(struct trace_ids *ids, const uint8_t *activity,
			    const uint8_t *trace)
{
	struct trace_of *set = set_of(ids, activity), *old = find(ids, activity);

	if (!old)
		old = set + TRACE_WAYS - 1;
	memmove(set + 1, set, (size_t)(old - set) * sizeof(*set));
	*set = (struct trace_of){ .has_begun = 0 };
	memcpy(set->activity, activity, ACTIVITY_SIZE);
	memcpy(set->trace, trace, ACTIVITY_SIZE);
	span_id_of(activity, set->identity.id);
	return set;
}

void span_ids_of(struct trace_ids *ids, const uint8_t *activity, const uint8_t *related,
		 struct span_identity *identity)
{
	const struct trace_of *known = find(ids, activity);
	uint8_t trace[ACTIVITY_SIZE];

	if (!known && activity_is_set(related)) {
		known = find(ids, related);
		memcpy(trace, known ? known->trace : related, ACTIVITY_SIZE);
		known = add(ids, activity, trace);
	}
	*identity = (struct span_identity){ .has_parent = 0 };
	memcpy(identity->trace, known ? known->trace : activity, ACTIVITY_SIZE);
	if (known)
		memcpy(identity->id, known->identity.id, SPAN_ID_SIZE);
	else
		span_id_of(activity, identity->id);
}

/* Beginning */

#define WAY_MOST 64

/*
 * Whether the way up from a span is known, and does not lead to this id. at: NULL: it
 * is not there.
 */
static int is_no_circle(struct trace_ids *ids, const uint8_t *activity, const uint8_t *id)
{
	const struct trace_of *at = find(ids, activity);

	for (int i = 0; i < WAY_MOST; i++) {
		const struct trace_of *next;

		if (!at || !at->has_begun)
			return !has(ids, activity, HAS_BEGUN);
		if (!memcmp(at->identity.id, id, SPAN_ID_SIZE))
			return 0;
		if (!at->identity.has_parent)
			return 1;
		if (!memcmp(at->identity.parent, id, SPAN_ID_SIZE))
			return 0;
		activity = at->related;
		next = find(ids, activity);
		if (next &&
		    memcmp(next->identity.id, at->identity.parent, SPAN_ID_SIZE) != 0)
			return 0; /* an earlier use of it */
		at = next;
	}
	return 0;
}

static void set_parent(struct trace_ids *ids, const uint8_t *activity,
		       const uint8_t *related, struct span_identity *identity)
{
	const struct trace_of *parent = find(ids, related);

	if (parent)
		memcpy(identity->parent, parent->identity.id, SPAN_ID_SIZE);
	else
		span_id_of(related, identity->parent);
	if (!parent || !parent->has_begun)
		note(ids, related, WAS_NAMED);
	identity->has_parent =
		memcmp(identity->parent, identity->id, SPAN_ID_SIZE) != 0 &&
		(!has(ids, activity, WAS_NAMED) ||
		 is_no_circle(ids, related, identity->id));
}

static void set_trace(struct trace_ids *ids, const uint8_t *activity,
		      const uint8_t *related, struct span_identity *identity)
{
	const struct trace_of *of = find(ids, related ? related : activity);
	const uint8_t *root = related ? related : activity;
	const uint8_t *trace = of ? of->trace : root;

	memcpy(identity->trace, trace, ACTIVITY_SIZE);
}

void span_ids_begin(struct trace_ids *ids, const uint8_t *activity,
		    const uint8_t *related, uint64_t time, struct span_identity *identity)
{
	const int is_again = has(ids, activity, HAS_BEGUN);
	const uint64_t use[] = { span_hash(activity, ACTIVITY_SIZE), time, ++ids->uses };
	struct trace_of *entry;

	if (!activity_is_set(related) || !memcmp(related, activity, ACTIVITY_SIZE))
		related = NULL;
	*identity = (struct span_identity){ .has_parent = 0 };
	id_of(is_again ? span_hash(use, sizeof(use)) : use[0], identity->id);
	if (related)
		set_parent(ids, activity, related, identity);
	set_trace(ids, activity, related, identity);
	entry = add(ids, activity, identity->trace);
	entry->identity = *identity;
	entry->has_begun = 1;
	if (related)
		memcpy(entry->related, related, ACTIVITY_SIZE);
	if (!is_again)
		note(ids, activity, HAS_BEGUN);
}

void span_ids_join(struct trace_ids *ids, const uint8_t *activity,
		   const struct span_identity *identity)
{
	struct trace_of *entry = find(ids, activity);

	if (!entry)
		return;
	memcpy(entry->trace, identity->trace, ACTIVITY_SIZE);
	entry->identity = *identity;
	memset(entry->related, 0, ACTIVITY_SIZE); /* its parent is no activity */
}

void trace_ids_free(struct trace_ids *ids)
{
	free(ids->sets);
	free(ids->filters[0]);
	free(ids->filters[1]);
	*ids = (struct trace_ids){ .sets = NULL };
}
