/* SPDX-License-Identifier: MIT */
/*
 * The hash table of the tool: it finds numbers by keys of 64 bits. A number is, for
 * example, the index of an item in an array of the caller. Several numbers may have one
 * key: texts are found by their hash, and the caller compares the texts that
 * key_table_next() yields.
 *
 * A recording chooses the keys. One that is made for it could have keys that all meet
 * in one place, and cost time in the square of their number. So each hash contains two
 * random numbers, which no recording knows: keys then meet as rarely as random ones,
 * whatever they are.
 */
#ifndef UE__TOOLS_COMMON_CLI_KEY_TABLE_H
#define UE__TOOLS_COMMON_CLI_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define KEY_UNKNOWN UINT32_MAX

struct key_slot {
	uint64_t key;
	uint32_t number; /* 1 higher; 0: the slot is free */
};

/* Zero it before the first use. At least half of the slots stay free. */
struct key_table {
	struct key_slot *slots;
	uint32_t size; /* a power of two, or 0 */
	uint32_t count;
};

extern uint64_t hash_odd[2]; /* random for each start of the tool */

/* Different for different numbers, and different in each run. */
static inline uint64_t hash_number(uint64_t number)
{
	number *= hash_odd[0];
	number ^= number >> 32;
	number *= hash_odd[1];
	return number ^ number >> 32;
}

uint64_t hash_bytes(const void *bytes, size_t length);

/*
 * The numbers with a key, one after another, then KEY_UNKNOWN. *steps is 0 at first. The
 * table must not change between two calls.
 */
static inline uint32_t key_table_next(const struct key_table *table, uint64_t key,
				      uint32_t *steps)
{
	const uint32_t home = (uint32_t)hash_number(key);

	while (table->size) {
		const struct key_slot *slot =
			&table->slots[(home + (*steps)++) & (table->size - 1)];

		if (!slot->number)
			break;
		if (slot->key == key)
			return slot->number - 1;
	}
	return KEY_UNKNOWN;
}

/* The number of a key that has at most one, or KEY_UNKNOWN. */
static inline uint32_t key_table_find(const struct key_table *table, uint64_t key)
{
	uint32_t steps = 0;

	return key_table_next(table, key, &steps);
}

/* Add a number, less than KEY_UNKNOWN, to those of the key. */
void key_table_add(struct key_table *table, uint64_t key, uint32_t number);
/* Make it the only number of a key that has at most one. */
void key_table_set(struct key_table *table, uint64_t key, uint32_t number);
/* The key has this number. */
void key_table_remove(struct key_table *table, uint64_t key, uint32_t number);
/* The time depends on the number of keys, also if there were more before. */
void key_table_clear(struct key_table *table);
void key_table_free(struct key_table *table);

#endif
