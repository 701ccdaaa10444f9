/* SPDX-License-Identifier: MIT */
/* The tables of top: rows and open activities against simple models, and their limits. */
#include "test.h"

#include <stdlib.h>

#include "answers/top/top.h"

static uint64_t seed = 88172645463325252;

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32);
}

/* Activities */

static const struct event_kind kind = { .shown = "Shop:Started" };

static void take(struct activities *activities, const struct event_kind *of, uint32_t id,
		 int opcode, int64_t time)
{
	uint8_t bytes[16] = { (uint8_t)id, (uint8_t)(id >> 8), (uint8_t)(id >> 16), 1 };
	const struct ue_event_info info = {
		.activity_id = bytes, .opcode = (uint8_t)opcode,
	};
	const struct record record = {
		.sample = { .present = UE_META_TIME, .time = time, .pid = id },
	};
	struct event event = { .record = &record, .kind = of, .info = &info };

	activity_table_take(activities, &event);
}

static void put_start(struct activities *activities, uint32_t id, int64_t time)
{
	take(activities, &kind, id, UE_OPCODE_ACTIVITY_START, time);
}

static void put_stop(struct activities *activities, uint32_t id, int64_t time)
{
	take(activities, &kind, id, UE_OPCODE_ACTIVITY_STOP, time);
}

#define IDS 300

static void starts_and_stops_in_any_order_agree_with_a_model(void **state)
{
	struct activities activities = { .count = 0 };
	uint64_t ended = 0, without_start = 0, restarted = 0;
	uint32_t open = 0;
	int is_open[IDS] = { 0 };

	(void)state;
	for (int i = 0; i < 200000; i++) {
		const uint32_t id = random32() % IDS;

		if (random32() % 2) {
			put_start(&activities, id, i);
			restarted += (uint64_t)is_open[id];
			open += !is_open[id];
			is_open[id] = 1;
		} else {
			put_stop(&activities, id, i);
			ended += (uint64_t)is_open[id];
			without_start += !is_open[id];
			open -= (uint32_t)is_open[id];
			is_open[id] = 0;
		}
		assert_int_equal(activities.pairs.count, open);
	}
	assert_int_equal(activities.ended, ended);
	assert_int_equal(activities.pairs.without_start, without_start);
	assert_int_equal(activities.pairs.repeated, restarted);
	assert_int_equal(activities.count, 1);
	assert_int_equal(activities.rows[0]->open, open);
	assert_int_equal(activities.rows[0]->durations.count, ended);
	activity_table_free(&activities);
}

static void a_duration_is_from_the_last_start_to_the_end(void **state)
{
	struct activities activities = { .count = 0 };

	(void)state;
	put_start(&activities, 7, 100);
	put_start(&activities, 7, 150);
	put_stop(&activities, 7, 200);
	assert_true(value_as_double(&activities.rows[0]->durations.greatest) == 50);
	put_start(&activities, 7, 100);
	put_stop(&activities, 7, 90); /* another processor's clock */
	assert_true(value_as_double(&activities.rows[0]->durations.least) == 50);
	assert_int_equal(activities.pairs.negative, 1);
	put_start(&activities, 7, 0);
	put_stop(&activities, 7, INT64_MAX);
	assert_int_equal(activities.rows[0]->durations.greatest.whole, INT64_MAX);
	put_start(&activities, 7, INT64_MIN);
	put_stop(&activities, 7, INT64_MAX); /* no number */
	put_start(&activities, 7, INT64_MAX);
	put_stop(&activities, 7, INT64_MIN);
	assert_int_equal(activities.pairs.negative, 3);
	assert_int_equal(activities.rows[0]->durations.count, 2);
	assert_int_equal(activities.rows[0]->open, 0);
	activity_table_free(&activities);
}

static void the_oldest_activities_beyond_the_limit_are_dropped_and_counted(void **state)
{
	struct activities activities = { .count = 0 };

	(void)state;
	for (uint32_t id = 0; id < PAIRS_MOST + 10; id++)
		put_start(&activities, id, 0);
	assert_int_equal(activities.pairs.count, PAIRS_MOST);
	assert_int_equal(activities.rows[0]->open, PAIRS_MOST);
	assert_int_equal(activities.pairs.dropped, 10);
	put_stop(&activities, 9, 1);
	assert_int_equal(activities.pairs.without_start, 1);
	put_stop(&activities, 10, 1);
	put_start(&activities, 0, 1);
	assert_int_equal(activities.pairs.count, PAIRS_MOST);
	assert_int_equal(activities.pairs.dropped, 10);
	activity_table_free(&activities);
}

static void events_beyond_the_limit_share_a_row(void **state)
{
	struct activities activities = { .count = 0 };
	struct event_kind one = { .shown = "Shop:Other" };

	(void)state;
	for (uint32_t i = 0; i < ACTIVITY_STARTS_MAX + 10; i++) {
		one.event = i;
		take(&activities, &one, i, UE_OPCODE_ACTIVITY_START, 0);
	}
	assert_int_equal(activities.count, ACTIVITY_STARTS_MAX);
	assert_string_equal(activities.rows[0]->name, "Shop:Other");
	assert_string_equal(activities.rows[ACTIVITY_STARTS_MAX - 1]->name, OTHERS);
	assert_int_equal(activities.rows[ACTIVITY_STARTS_MAX - 1]->open, 11);
	activity_table_free(&activities);
}

static void other_events_are_no_activities(void **state)
{
	struct activities activities = { .count = 0 };
	const struct record record = { .sample.present = UE_META_TIME };
	const struct ue_event_info info = { .opcode = UE_OPCODE_ACTIVITY_START };
	struct event event = { .record = &record, .kind = &kind, .info = &info };
	struct event classic = { .record = &record, .kind = &kind };

	(void)state;
	activity_table_take(&activities, &event);
	activity_table_take(&activities, &classic);
	take(&activities, &kind, 1, UE_OPCODE_REPLY, 0);
	assert_int_equal(activities.pairs.starts + activities.pairs.ends, 0);
	activity_table_free(&activities);
}

/* Rows */

static void rows_are_found_by_their_keys(void **state)
{
	struct table table = { .count = 0 };

	(void)state;
	for (uint64_t key = 0; key < 10000; key++)
		table_find(&table, key << 32 | key)->events = key;
	assert_int_equal(table.count, 10000);
	for (uint64_t key = 0; key < 10000; key++)
		assert_int_equal(table_find(&table, key << 32 | key)->events, key);
	table_free(&table);
}

static void rows_beyond_the_limit_are_one(void **state)
{
	struct table table = { .count = 0 };
	struct row *others;

	(void)state;
	for (uint64_t key = 0; key < TABLE_ROWS_MAX + 10; key++)
		table_find(&table, key)->events++;
	assert_int_equal(table.count, TABLE_ROWS_MAX);
	others = table_find(&table, OTHERS_KEY);
	assert_string_equal(others->name, OTHERS);
	assert_int_equal(others->events, 11);
	row_set_name(others, "one of them");
	assert_string_equal(others->name, OTHERS);
	assert_int_equal(table_find(&table, 5)->events, 1);
	table_free(&table);
}

static void rates_are_of_the_time_between_refreshes(void **state)
{
	struct table table = { .count = 0 };
	struct row *row = table_find(&table, 1);

	(void)state;
	row_set_name(row, "a\x1b[31m\xc2\x9b");
	assert_string_equal(row->name, "a?[31m??");
	row->events = 30;
	table_refresh(&table, 2);
	assert_true(row->rate == 15);
	row->events = 31;
	table_refresh(&table, 0.5);
	assert_true(row->rate == 2);
	table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_and_stops_in_any_order_agree_with_a_model),
		cmocka_unit_test(a_duration_is_from_the_last_start_to_the_end),
		cmocka_unit_test(the_oldest_activities_beyond_the_limit_are_dropped_and_counted),
		cmocka_unit_test(events_beyond_the_limit_share_a_row),
		cmocka_unit_test(other_events_are_no_activities),
		cmocka_unit_test(rows_are_found_by_their_keys),
		cmocka_unit_test(rows_beyond_the_limit_are_one),
		cmocka_unit_test(rates_are_of_the_time_between_refreshes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
