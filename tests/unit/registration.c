/* SPDX-License-Identifier: MIT */
/* A registered event is found without a search of all events, even when memory is
 * short. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>

#include "state/registration.h"
#include "state/session.h"

#define EVENTS 20000

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

static int allocated, has_memory, refused;
static int until_refused; /* calls, the last of which is refused; 0: none */

void *__wrap_calloc(size_t count, size_t size)
{
	if ((!has_memory && count > 1) || (until_refused && !--until_refused)) {
		refused++;
		return NULL;
	}
	allocated++;
	return __real_calloc(count, size);
}

void __wrap_free(void *memory)
{
	allocated -= memory != NULL;
	__real_free(memory);
}

static struct ue__session session;
static struct ue_event events[EVENTS];
static char names[EVENTS][24];

static void add(int i)
{
	struct ue__registration *registration;
	struct ue__definition definition;

	snprintf(names[i], sizeof(names[i]), "event%d u32 a", i);
	assert_int_equal(ue_event_init(&events[i], names[i], 0), 0);
	assert_int_equal(ue__definition_parse(names[i], 0, &definition, NULL), 0);
	registration = ue__registration_make(&events[i], &definition);
	assert_non_null(registration);
	ue__registration_add(registration, &session, (uint64_t)i);
}

static struct ue__registration *by_event(int i)
{
	return ue__registration_with(UE__BY_EVENT, (uintptr_t)&events[i]);
}

/* By each key, and nothing but this one. */
static void is_found(int i)
{
	struct ue__registration *r = by_event(i);
	struct ue__registration *named =
		ue__registration_named(names[i], (uint32_t)strcspn(names[i], " "));

	assert_non_null(r);
	assert_int_equal(r->binding, i);
	assert_string_equal(r->wanted.definition, names[i]);
	assert_null(ue__registration_next(r, UE__BY_EVENT));
	assert_ptr_equal(ue__registration_with(UE__BY_WORD, (uintptr_t)events[i].word), r);
	assert_true(ue__word_is_used(events[i].word));
	assert_ptr_equal(named, r);
}

static void is_not_found(int i)
{
	assert_null(by_event(i));
	assert_false(ue__word_is_used(events[i].word));
}

static int count_of_session(void)
{
	int count = 0;

	for (struct ue__registration *r = session.registrations; r; r = r->next)
		count++;
	return count;
}

/* The average number of other events after each in its buckets must be less than this. */
static void buckets_are_short(size_t average)
{
	size_t behind[UE__KEYS] = { 0 };

	for (struct ue__registration *r = session.registrations; r; r = r->next)
		for (int key = 0; key < UE__KEYS; key++)
			for (struct ue__registration *s = r->same[key]; s; s = s->same[key])
				behind[key]++;
	for (int key = 0; key < UE__KEYS; key++)
		assert_true(behind[key] < average * EVENTS);
}

static void drop_every(int step)
{
	for (int i = 0; i < EVENTS; i += step)
		if (by_event(i))
			ue__registration_drop(by_event(i));
}

/* A writer may still be counting a loss in the memory of one. */
static void only_registrations_are_kept(void)
{
	assert_int_equal(allocated, EVENTS);
}

static void come_and_go(int count)
{
	for (int i = 0; i < count; i++)
		add(i);
	for (int i = 0; i < count; i++)
		is_found(i);
	assert_int_equal(count_of_session(), count);
	drop_every(3);
	for (int i = 0; i < count; i++) {
		if (i % 3)
			is_found(i);
		else
			is_not_found(i);
	}
	assert_int_equal(count_of_session(), count - (count + 2) / 3);
	drop_every(1);
	assert_int_equal(count_of_session(), 0);
	only_registrations_are_kept();
}

/* Runs first: no registration has left its memory yet. */
static void a_registration_without_memory_fails(void **state)
{
	struct ue__definition definition;

	(void)state;
	has_memory = 1;
	assert_int_equal(ue_event_init(&events[0], "event u32 a", 0), 0);
	assert_int_equal(ue__definition_parse("event u32 a", 0, &definition, NULL), 0);
	for (int nth = 1; nth <= 2; nth++) {
		until_refused = nth;
		assert_null(ue__registration_make(&events[0], &definition));
		assert_int_equal(until_refused, 0);
		assert_int_equal(allocated, 0);
	}
}

static void test_found(void **state)
{
	(void)state;
	has_memory = 1;
	for (int i = 0; i < EVENTS; i++)
		add(i);
	buckets_are_short(4);
	drop_every(1);
	come_and_go(EVENTS);
}

static void test_found_without_memory_to_grow(void **state)
{
	(void)state;
	has_memory = 0;
	refused = 0;
	come_and_go(1000);
	assert_true(refused);
}

/* One name is no other's beginning. */
static void found_by_name(void **state)
{
	struct ue__registration *r;

	(void)state;
	has_memory = 1;
	add(1);
	add(12);
	r = ue__registration_named("event1", 6);
	assert_non_null(r);
	assert_ptr_equal(r->event, &events[1]);
	assert_null(ue__registration_same_name(r));
	assert_null(ue__registration_named("event", 5));
	assert_null(ue__registration_named("event123", 8));
	drop_every(1);
	only_registrations_are_kept();
}

static void a_registration_counts_its_own_losses(void **state)
{
	struct ue__registration *r;

	(void)state;
	add(1);
	r = ue__registration_of(&events[1]);
	assert_ptr_equal(r, by_event(1));
	r->lost[UE_LOSS_OTHER] = 3;
	assert_int_equal(ue_event_losses(&events[1], UE_LOSS_OTHER), 3);
	drop_every(1);
	assert_int_equal(ue_event_losses(&events[1], UE_LOSS_OTHER), 0);
	assert_null(r->session);
	add(2);
	assert_ptr_equal(ue__registration_of(&events[2]), r);
	assert_int_equal(ue_event_losses(&events[2], UE_LOSS_OTHER), 0);
	drop_every(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_registration_without_memory_fails),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_found_without_memory_to_grow),
		cmocka_unit_test(found_by_name),
		cmocka_unit_test(a_registration_counts_its_own_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
