/* SPDX-License-Identifier: MIT */
/* Finds numbers by keys: slots in a row, of which the first free one ends each search. */
#include "key_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "memory.h"

#define SLOTS_LEAST 16u

uint64_t hash_odd[2] = { 0x9fb21c651e98df25u, 0xd6e8feb86659fd93u };

/* It runs before any table has a key. */
__attribute__((constructor)) static void choose_numbers(void)
{
	const unsigned long random = getauxval(AT_RANDOM);

	if (random)
		memcpy(hash_odd, (const void *)random, sizeof(hash_odd));
	hash_odd[0] |= 1;
	hash_odd[1] |= 1;
}

/* Both halves of the product: no bit of a factor has a place that an odd number leaves alone. */
static uint64_t fold(uint64_t one, uint64_t other)
{
	const uint64_t high = (one >> 32) * (other >> 32);
	const uint64_t low = (uint64_t)(uint32_t)one * (uint32_t)other;
	const uint64_t cross = (one >> 32) * (uint32_t)other;
	const uint64_t middle = (uint64_t)(uint32_t)one * (other >> 32) + (low >> 32) +
				(uint32_t)cross;

	return (high + (cross >> 32) + (middle >> 32)) ^ (middle << 32 | (uint32_t)low);
}

/*
 * The hash is wyhash: two words at a time, each with a random number that no recording
 * knows, are the factors of a product of 128 bits.
 */
uint64_t hash_bytes(const void *bytes, size_t length)
{
	uint64_t hash = fold(hash_odd[0] ^ length, hash_odd[1]), part[2];
	const char *at = bytes;

	for (; length > sizeof(part); length -= sizeof(part), at += sizeof(part)) {
		memcpy(part, at, sizeof(part));
		hash = fold(part[0] ^ hash_odd[0], part[1] ^ hash);
	}
	memset(part, 0, sizeof(part));
	if (length)
		memcpy(part, at, length);
	hash = fold(part[0] ^ hash_odd[0], part[1] ^ hash);
	return fold(hash, hash_odd[1]);
}

static struct key_slot *slot_at(const struct key_table *table, uint32_t at)
{
	return &table->slots[at & (table->size - 1)];
}

static struct key_slot *free_slot(const struct key_table *table, uint64_t key)
{
	uint32_t at = (uint32_t)hash_number(key);

	while (slot_at(table, at)->number)
		at++;
	return slot_at(table, at);
}

static void grow(struct key_table *table)
{
	const struct key_table old = *table;

	table->size = old.size ? old.size * 2 : SLOTS_LEAST;
	table->slots = xcalloc(table->size, sizeof(*table->slots));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.slots[i].number)
			*free_slot(table, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void key_table_add(struct key_table *table, uint64_t key, uint32_t number)
{
	if (table->count >= table->size / 2)
		grow(table);
	table->count++;
	*free_slot(table, key) = (struct key_slot){ key, number + 1 };
}

void key_table_set(struct key_table *table, uint64_t key, uint32_t number)
{
	const uint32_t known = key_table_find(table, key);

	if (known != KEY_UNKNOWN)
		key_table_remove(table, key, known);
	key_table_add(table, key, number);
}

/* Slots behind it move up, so that none is free between a key and its first slot. */
void key_table_remove(struct key_table *table, uint64_t key, uint32_t number)
{
	const uint32_t mask = table->size - 1;
	uint32_t hole = (uint32_t)hash_number(key);

	while (slot_at(table, hole)->key != key ||
	       slot_at(table, hole)->number != number + 1)
		hole++;
	for (uint32_t at = hole + 1; slot_at(table, at)->number; at++) {
		const uint32_t home = (uint32_t)hash_number(slot_at(table, at)->key);

		if (((at - home) & mask) < at - hole)
			continue;
		*slot_at(table, hole) = *slot_at(table, at);
		hole = at;
	}
	slot_at(table, hole)->number = 0;
	table->count--;
}

void key_table_clear(struct key_table *table)
{
	if (table->size > SLOTS_LEAST && table->count < table->size / 8)
		key_table_free(table);
	else if (table->count)
		memset(table->slots, 0, table->size * sizeof(*table->slots));
	table->count = 0;
}

void key_table_free(struct key_table *table)
{
	free(table->slots);
	*table = (struct key_table){ .slots = NULL };
}
