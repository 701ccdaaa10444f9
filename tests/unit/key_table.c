/* SPDX-License-Identifier: MIT */
/* The tool's hash table against simple models: growth, removal, and keys that collide. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/key_table.h"
#include "common/cli/memory.h"

static uint64_t seed = 88172645463325252;

static uint32_t random_below(uint32_t count)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 32) % count);
}

/* How many numbers the key has; each must be marked once in the model. */
static uint32_t count_numbers(const struct key_table *table, uint64_t key, uint8_t *model)
{
	uint32_t steps = 0, found, count = 0;

	for (; (found = key_table_next(table, key, &steps)) != KEY_UNKNOWN; count++) {
		assert_int_equal(model[found], 1);
		model[found]++;
	}
	return count;
}

static void an_empty_table_has_no_key(void **state)
{
	struct key_table table = { .count = 0 };

	(void)state;
	assert_int_equal(key_table_find(&table, 0), KEY_UNKNOWN);
	key_table_clear(&table);
	key_table_free(&table);
	assert_int_equal(key_table_find(&table, 0), KEY_UNKNOWN);
}

/* Keys as recordings have them, and as one that wants to do harm could. */
static uint64_t row_key(int row, uint32_t i)
{
	switch (row) {
	case 0:
		return i;
	case 1:
		return (uint64_t)i << 32;
	case 2:
		return (uint64_t)i << 48 | (i & 1);
	case 3:
		return i * 0x9e3779b97f4a7c15u;
	default:
		return UINT64_MAX - i * 4096ull;
	}
}

#define KEYS 10000u

static void a_growing_table_finds_all_keys_and_no_other(void **state)
{
	(void)state;
	for (int row = 0; row < 5; row++) {
		struct key_table table = { .count = 0 };

		for (uint32_t i = 0; i < KEYS; i++)
			key_table_add(&table, row_key(row, i), i);
		assert_int_equal(table.count, KEYS);
		assert_true(table.size >= 2 * KEYS && table.size <= 4 * KEYS);
		for (uint32_t i = 0; i < KEYS; i++)
			assert_int_equal(key_table_find(&table, row_key(row, i)), i);
		for (uint32_t i = KEYS; i < 2 * KEYS; i++)
			assert_int_equal(key_table_find(&table, row_key(row, i)),
					 KEY_UNKNOWN);
		key_table_free(&table);
	}
}

/* How far the farthest key is from its place. */
static uint32_t longest_search(const struct key_table *table)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < table->size; i++) {
		const uint32_t home = (uint32_t)hash_number(table->slots[i].key);
		const uint32_t steps = (i - home) & (table->size - 1);

		if (table->slots[i].number && steps > longest)
			longest = steps;
	}
	return longest;
}

/* A plain table would put these rows into one slot, or beside each other. */
static void regular_keys_do_not_meet(void **state)
{
	(void)state;
	for (int row = 0; row < 5; row++) {
		struct key_table table = { .count = 0 };

		for (uint32_t i = 0; i < KEYS; i++)
			key_table_add(&table, row_key(row, i), i);
		assert_true(longest_search(&table) < 200);
		key_table_free(&table);
	}
}

#define MANY 1000u

static void numbers_of_one_key_are_all_found(void **state)
{
	struct key_table table = { .count = 0 };
	uint8_t model[MANY];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		key_table_add(&table, 7, i);
		key_table_add(&table, i + 8, MANY + i);
	}
	memset(model, 1, sizeof(model));
	assert_int_equal(count_numbers(&table, 7, model), MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(key_table_find(&table, i + 8), MANY + i);
	for (uint32_t i = 0; i < MANY; i += 2)
		key_table_remove(&table, 7, i);
	memset(model, 1, sizeof(model));
	assert_int_equal(count_numbers(&table, 7, model), MANY / 2);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(model[i], 1 + i % 2);
	key_table_free(&table);
}

#define ACTIONS 200000

/* Few keys of many slots, and a table that is as full as it gets. */
static void additions_and_removals_in_any_order_agree_with_a_model(void **state)
{
	(void)state;
	for (uint32_t keys = 7; keys < 2000; keys *= 6) {
		struct key_table table = { .count = 0 };
		uint32_t *model = xcalloc(keys, sizeof(*model)), count = 0;

		for (uint32_t i = 1; i < ACTIONS; i++) {
			const uint32_t key = random_below(keys);

			assert_int_equal(key_table_find(&table, key),
					 model[key] ? model[key] - 1 : KEY_UNKNOWN);
			if (model[key] && random_below(3)) {
				key_table_remove(&table, key, model[key] - 1);
				model[key] = 0;
				count--;
			} else {
				count += !model[key];
				key_table_set(&table, key, i);
				model[key] = i + 1;
			}
			assert_int_equal(table.count, count);
		}
		key_table_free(&table);
		free(model);
	}
}

static void a_cleared_table_is_empty_and_gives_memory_back(void **state)
{
	struct key_table table = { .count = 0 };

	(void)state;
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint64_t key = 0; key < KEYS; key++)
			key_table_add(&table, key, turn);
		key_table_clear(&table);
		assert_int_equal(table.count, 0);
		for (uint64_t key = 0; key < KEYS; key++)
			assert_int_equal(key_table_find(&table, key), KEY_UNKNOWN);
	}
	key_table_add(&table, 1, 2);
	key_table_clear(&table);
	assert_int_equal(key_table_find(&table, 1), KEY_UNKNOWN);
	key_table_add(&table, 3, 4);
	assert_int_equal(key_table_find(&table, 3), 4);
	assert_true(table.size < 64);
	key_table_free(&table);
}

static void add_new(struct key_table *table, uint64_t key, uint32_t number)
{
	assert_int_equal(key_table_find(table, key), KEY_UNKNOWN);
	key_table_add(table, key, number);
}

/* Texts that differ in any one byte, or only in their lengths. */
static void texts_have_different_hashes(void **state)
{
	char text[40];
	struct key_table table = { .count = 0 };
	uint32_t number = 0;

	(void)state;
	for (size_t length = 0; length <= sizeof(text); length++) {
		memset(text, 0, sizeof(text));
		add_new(&table, hash_bytes(text, length), number++);
		for (size_t at = 0; at < length; at++)
			for (int byte = 1; byte < 256; byte++) {
				text[at] = (char)byte;
				add_new(&table, hash_bytes(text, length), number++);
				text[at] = 0;
			}
	}
	key_table_free(&table);
}

/* Bits that an odd factor and a shift by 32 would cancel, in each pair of words. */
static void texts_made_to_meet_have_different_hashes(void **state)
{
	const uint64_t one[2] = { 0, 0 }, other[2] = { 1ull << 63, 1ull << 63 | 1ull << 31 };
	struct key_table table = { .count = 0 };
	uint64_t text[20];

	(void)state;
	for (uint32_t chosen = 0; chosen < 1024; chosen++) {
		for (int i = 0; i < 10; i++)
			memcpy(&text[2 * i], chosen >> i & 1 ? other : one, sizeof(one));
		add_new(&table, hash_bytes(text, sizeof(text)), chosen);
	}
	key_table_free(&table);
}

static void numbers_have_different_hashes(void **state)
{
	(void)state;
	for (uint64_t i = 1; i < KEYS; i++) {
		assert_true(hash_number(i) != hash_number(i - 1));
		assert_true(hash_number(i << 40) != hash_number((i - 1) << 40));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_has_no_key),
		cmocka_unit_test(a_growing_table_finds_all_keys_and_no_other),
		cmocka_unit_test(regular_keys_do_not_meet),
		cmocka_unit_test(numbers_of_one_key_are_all_found),
		cmocka_unit_test(additions_and_removals_in_any_order_agree_with_a_model),
		cmocka_unit_test(a_cleared_table_is_empty_and_gives_memory_back),
		cmocka_unit_test(texts_have_different_hashes),
		cmocka_unit_test(texts_made_to_meet_have_different_hashes),
		cmocka_unit_test(numbers_have_different_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
