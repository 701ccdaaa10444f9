/* SPDX-License-Identifier: MIT */
/* The text of the running kernel, read with the library. */
#include "support.h"

#include <errno.h>
#include <string.h>

#include <userevents/decode/status.h>
#include <userevents/status_set.h>

static int find(const char *name, struct ue_status *status,
		struct ue_status_entry *entry)
{
	const char *text = read_file("user_events_status");
	struct ue_status_entry next;
	int found = 0, result;

	ue_status_begin(status, text, strlen(text));
	while ((result = ue_status_next(status, &next)) > 0)
		if (next.name_length == strlen(name) &&
		    !memcmp(next.name, name, next.name_length)) {
			*entry = next;
			found = 1;
		}
	assert_int_equal(result, 0);
	return found;
}

static void an_event_and_its_listener(void **state)
{
	struct ue_status_entry entry;
	struct ue_status status;
	struct ue_event event;
	const char *name;

	(void)state;
	ue_event_init(&event, unique("status u32 a"), 0);
	name = name_of(event.definition);
	assert_int_equal(ue_register(session, &event), 0);
	assert_true(find(name, &status, &entry));
	assert_int_equal(entry.users, 0);
	assert_int_equal(status.abi, ue_abi(session));
	assert_int_equal(status.max, is_status_page() ? 32768 : 0);
	assert_true(status.active >= 1);
	listen_to(&event);
	assert_true(find(name, &status, &entry));
	assert_int_equal(entry.users, UE_USER_FTRACE);
	assert_int_equal(status.busy, 1);
	if (is_status_page())
		assert_true(entry.status_bit > 0);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

#define EVENTS 70 /* more than a word has bits */
static struct ue_event events[EVENTS];

static void register_events(void)
{
	for (int i = 0; i < EVENTS; i++) {
		ue_event_init(&events[i], unique("any u32 a"), 0);
		assert_int_equal(ue_register(session, &events[i]), 0);
	}
}

static void without_status_bits_no_event_can_be_added(void)
{
	struct ue_status_set set = { 0 };

	for (int i = 0; i < EVENTS; i++)
		assert_int_equal(ue_status_set_add(&set, &events[i]), -EOPNOTSUPP);
	assert_int_equal(ue_status_set_any(&set), -EOPNOTSUPP);
}

/* Returns how many are in the set. */
static int test_each(const struct ue_status_set *set, const int *is_in)
{
	int count = 0;

	for (int i = 0; i < EVENTS; i++) {
		listen_to(&events[i]);
		assert_int_equal(ue_status_set_any(set), is_in[i]);
		stop_listening(&events[i]);
		assert_int_equal(ue_status_set_any(set), 0);
		count += is_in[i];
	}
	return count;
}

static void many_events_are_tested_with_one_load(void **state)
{
	struct ue_status_set set = { 0 };
	int is_in[EVENTS], result;

	(void)state;
	register_events();
	if (is_status_page()) {
		for (int i = 0; i < EVENTS; i++) {
			result = ue_status_set_add(&set, &events[i]);
			assert_true(!result || result == -ERANGE);
			is_in[i] = !result;
		}
		assert_uint_in_range(test_each(&set, is_in), 1, 64);
	} else {
		without_status_bits_no_event_can_be_added();
	}
	assert_int_equal(ue_unregister(&events[0]), 0);
	assert_int_equal(ue_status_set_add(&set, &events[0]), -ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(an_event_and_its_listener),
		SESSION_TEST(many_events_are_tested_with_one_load),
	};

	return RUN_TESTS(tests, argc, argv);
}
