/* SPDX-License-Identifier: MIT */
/* Ids of spans, of activities as programs should use them, and as they should not. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "export/otlp/otlp_batch.h"

#define SPANS 1000000
#define ACTIVITIES 300000 /* so most are used again */

static uint64_t state;

/* xorshift64* */
static uint32_t draw(uint32_t most)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 32) % most;
}

struct activity {
	uint8_t id[ACTIVITY_SIZE];
};

/*
 * Near ones are mostly drawn, as of a program that runs, so that they lead to each
 * other.
 */
static struct activity activity_near(uint32_t at)
{
	const uint32_t spread = draw(4) ? 8 : ACTIVITIES;
	uint64_t parts[2] = { (at + draw(spread)) % ACTIVITIES + 1, 0 };
	struct activity activity;

	parts[1] = span_hash(parts, sizeof(parts[0]));
	memcpy(activity.id, parts, sizeof(activity.id));
	return activity;
}

static int by_id(const void *a, const void *b)
{
	return memcmp(((const struct span_identity *)a)->id,
		      ((const struct span_identity *)b)->id, SPAN_ID_SIZE);
}

static struct span_identity *find(struct span_identity *spans, const uint8_t *id)
{
	struct span_identity key;

	memcpy(key.id, id, SPAN_ID_SIZE);
	return bsearch(&key, spans, SPANS, sizeof(*spans), by_id);
}

static void make(struct trace_ids *ids, struct span_identity *spans)
{
	struct span_identity of_event;

	for (uint32_t i = 0; i < SPANS; i++) {
		const uint32_t at = i / 4 % ACTIVITIES;
		const struct activity one = activity_near(at), other = activity_near(at);
		const uint8_t *own = draw(2) ? one.id : NULL;
		const uint8_t *related = draw(5) ? other.id : own;

		span_ids_begin(ids, one.id, related, draw(1000), &spans[i]);
		if (!draw(3)) {
			span_ids_of(ids, one.id, NULL, &of_event);
			assert_memory_equal(of_event.id, spans[i].id, SPAN_ID_SIZE);
			assert_memory_equal(of_event.trace, spans[i].trace,
					    ACTIVITY_SIZE);
			span_ids_of(ids, other.id, one.id, &of_event);
		}
	}
}

/*
 * On the way up, each span has the mark of this way: one that has it already closes a
 * circle.
 */
static uint64_t count_circles(struct span_identity *spans)
{
	uint32_t *marks = calloc(SPANS, sizeof(*marks));
	uint64_t circles = 0;

	for (uint32_t i = 0; i < SPANS; i++)
		for (struct span_identity *at = &spans[i]; at && !marks[at - spans];) {
			struct span_identity *parent =
				at->has_parent ? find(spans, at->parent) : NULL;

			marks[at - spans] = i + 1;
			circles += parent && marks[parent - spans] == i + 1;
			at = parent;
		}
	free(marks);
	return circles;
}

static void a_million_spans_have_ids_of_their_own_and_no_circle(void **unused)
{
	struct span_identity *spans = calloc(SPANS, sizeof(*spans));
	uint64_t same = 0, with_parent = 0, own = 0;
	struct trace_ids ids = { .sets = NULL };

	(void)unused;
	state = 4711;
	make(&ids, spans);
	for (uint32_t i = 0; i < SPANS; i++) {
		with_parent += spans[i].has_parent;
		own += spans[i].has_parent &&
		       !memcmp(spans[i].id, spans[i].parent, SPAN_ID_SIZE);
	}
	qsort(spans, SPANS, sizeof(*spans), by_id);
	for (uint32_t i = 1; i < SPANS; i++)
		same += !by_id(&spans[i - 1], &spans[i]);
	print_message("%llu of %d spans have a parent\n", (unsigned long long)with_parent,
		      SPANS);
	assert_int_equal(same, 0);
	assert_int_equal(own, 0);
	assert_int_equal(count_circles(spans), 0);
	assert_true(with_parent > SPANS / 2);
	trace_ids_free(&ids);
	free(spans);
}

/*
 * As programs should: the id follows from the activity, so other exports name the same
 * parent.
 */
static void an_activity_that_is_used_once_has_the_id_of_its_bytes(void **unused)
{
	struct span_identity parent, child, again;
	struct trace_ids ids = { .sets = NULL };
	const struct activity one = { "one" }, other = { "other" };
	uint8_t id[SPAN_ID_SIZE];

	(void)unused;
	span_ids_begin(&ids, one.id, NULL, 1, &parent);
	span_ids_begin(&ids, other.id, one.id, 2, &child);
	span_id_of(one.id, id);
	assert_memory_equal(parent.id, id, SPAN_ID_SIZE);
	assert_true(child.has_parent);
	assert_memory_equal(child.parent, id, SPAN_ID_SIZE);
	assert_memory_equal(child.trace, one.id, ACTIVITY_SIZE);
	span_ids_begin(&ids, one.id, NULL, 1, &again);
	assert_memory_not_equal(again.id, id, SPAN_ID_SIZE);
	span_ids_begin(&ids, other.id, one.id, 2, &child);
	assert_memory_equal(child.parent, again.id, SPAN_ID_SIZE);
	trace_ids_free(&ids);
}

/* A start that is read before that of its parent, from another processor, say. */
static void a_parent_may_begin_later_and_have_one_itself(void **unused)
{
	struct span_identity child, parent, root;
	struct trace_ids ids = { .sets = NULL };
	const struct activity one = { "one" }, two = { "two" }, three = { "three" };

	(void)unused;
	span_ids_begin(&ids, one.id, two.id, 1, &child);
	span_ids_begin(&ids, two.id, three.id, 2, &parent);
	span_ids_begin(&ids, three.id, one.id, 3, &root);
	assert_memory_equal(child.parent, parent.id, SPAN_ID_SIZE);
	assert_true(parent.has_parent);
	assert_memory_equal(parent.parent, root.id, SPAN_ID_SIZE);
	assert_false(root.has_parent);
	trace_ids_free(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_activity_that_is_used_once_has_the_id_of_its_bytes),
		cmocka_unit_test(a_parent_may_begin_later_and_have_one_itself),
		cmocka_unit_test(a_million_spans_have_ids_of_their_own_and_no_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
