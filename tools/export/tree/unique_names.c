/* SPDX-License-Identifier: MIT */
/* Makes names of fields unique. */
#include "unique_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cli/memory.h"

#define SLOTS_LEAST 64u

/*
 * A name is known by a key of 8 bytes alone. Names that collide cost one of them a number,
 * which does no harm. Most events have few names: their keys are in a list. Only the names of
 * others get a table.
 */
struct unique_name {
	uint64_t key;
	uint64_t event; /* that it is of; another one: the slot is free */
	uint32_t count; /* the number of the last one made of it */
};

static uint64_t load32(const char *at)
{
	uint32_t part;

	memcpy(&part, at, sizeof(part));
	return part;
}

static uint64_t load64(const char *at)
{
	uint64_t part;

	memcpy(&part, at, sizeof(part));
	return part;
}

/* The last bytes of a name of which the first ones were hashed, or of a short one. */
static uint64_t end_of(struct clean_text name)
{
	const unsigned char *at = (const unsigned char *)name.at;

	if (name.length >= 8)
		return load64(name.at + name.length - 8);
	if (name.length >= 4)
		return load32(name.at) << 32 | load32(name.at + name.length - 4);
	if (!name.length)
		return 0;
	return (uint64_t)at[0] << 16 | (uint64_t)at[name.length / 2] << 8 | at[name.length - 1];
}

static uint64_t mixed(uint64_t key)
{
	key = (key ^ key >> 32) * 0x9fb21c651e98df25u;
	return key ^ key >> 28;
}

/*
 * Without a call, as each field of each event comes by here. No two short names of digits and
 * letters differ by what lengths make of the key: "a#1034" is not "a#11034".
 */
static uint64_t key_of(const struct unique_names *names, struct clean_text name)
{
	uint64_t key = names->open[names->depth] ^ name.length * 0x9e3779b97f4a7c15u;

	for (size_t at = 0; at + 8 < name.length; at += 8)
		key = mixed(key ^ load64(name.at + at));
	return key ^ end_of(name);
}

/* The table */

static struct unique_name *find(const struct unique_names *names, uint64_t key)
{
	size_t at = hash_slot(&names->seed, key, 0, names->slot_count);

	while (names->slots[at].event == names->event && names->slots[at].key != key)
		at = (at + 1) & (names->slot_count - 1);
	return &names->slots[at];
}

static void grow(struct unique_names *names)
{
	struct unique_name *old = names->slots;
	const size_t count = names->slot_count;

	names->slot_count = count ? 2 * count : SLOTS_LEAST;
	names->slots = xcalloc(names->slot_count, sizeof(*names->slots));
	for (size_t i = 0; i < count; i++)
		if (old[i].event == names->event)
			*find(names, old[i].key) = old[i];
	free(old);
}

/* The key's slot; count is 0 if it is new. */
static struct unique_name *slot_of(struct unique_names *names, uint64_t key)
{
	struct unique_name *slot = find(names, key);

	if (slot->event != names->event) {
		*slot = (struct unique_name){ .key = key, .event = names->event };
		names->used++;
	}
	return slot;
}

/* Room for the name and for one that is made of it. */
static void make_room(struct unique_names *names)
{
	if (names->used + 2 > names->slot_count / 2)
		grow(names);
}

static struct clean_text numbered(struct unique_names *names, struct clean_text name,
				  uint32_t number)
{
	char text[16];
	const int length = snprintf(text, sizeof(text), "#%u", number);

	names->made.length = 0;
	bytes_add(&names->made, name.at, name.length);
	bytes_add(&names->made, text, (size_t)length);
	return (struct clean_text){ (const char *)names->made.at, names->made.length };
}

/* There may be a field "a#2", too. */
static struct clean_text another(struct unique_names *names, struct clean_text name,
				 struct unique_name *slot)
{
	struct clean_text made;
	struct unique_name *other;

	do {
		made = numbered(names, name, ++slot->count);
		other = slot_of(names, key_of(names, made));
	} while (other->count);
	other->count = 1;
	return made;
}

static struct clean_text name_by_table(struct unique_names *names, struct clean_text name,
				       uint64_t key)
{
	struct unique_name *slot;

	make_room(names);
	slot = slot_of(names, key);
	if (slot->count)
		return another(names, name, slot);
	slot->count = 1;
	return name;
}

/* The list */

/* Succeeds if the key is new, and there is room for it. */
static int add_to_list(struct unique_names *names, uint64_t key)
{
	if (names->is_table || names->used == NAMES_LISTED)
		return 0;
	for (size_t i = 0; i < names->used; i++)
		if (names->list[i] == key)
			return 0;
	names->list[names->used++] = key;
	return 1;
}

static void move_to_table(struct unique_names *names)
{
	const size_t listed = names->used;

	names->is_table = 1;
	names->used = 0;
	for (size_t i = 0; i < listed; i++) {
		make_room(names);
		slot_of(names, names->list[i])->count = 1;
	}
}

struct clean_text unique_name(struct unique_names *names, struct clean_text name)
{
	const uint64_t key = key_of(names, name);

	if (add_to_list(names, key))
		return name;
	if (!names->is_table)
		move_to_table(names);
	return name_by_table(names, name, key);
}

void unique_names_begin(struct unique_names *names)
{
	if (!names->event++)
		names->seed = hash_seed();
	names->used = 0;
	names->is_table = 0;
	names->scopes = 0;
	names->depth = 0;
	names->open[0] = 0;
}

void unique_names_enter(struct unique_names *names)
{
	names->open[++names->depth] = ++names->scopes * 0xd6e8feb86659fd93u;
}

void unique_names_leave(struct unique_names *names)
{
	names->depth--;
}

/* Saving: the number of scopes; of each name its key and a count */

#define SAVED_SIZE (sizeof(uint64_t) + sizeof(uint32_t))

static void save(struct bytes *to, uint64_t key, uint32_t count)
{
	bytes_add_u64(to, key);
	bytes_add_u32(to, count);
}

void unique_names_save(const struct unique_names *names, struct bytes *to)
{
	bytes_add_u64(to, names->scopes);
	for (size_t i = 0; !names->is_table && i < names->used; i++)
		save(to, names->list[i], 1);
	for (size_t i = 0; names->is_table && i < names->slot_count; i++)
		if (names->slots[i].event == names->event)
			save(to, names->slots[i].key, names->slots[i].count);
}

static void restore(struct unique_names *names, const uint8_t *saved)
{
	uint64_t key;
	uint32_t count;

	memcpy(&key, saved, sizeof(key));
	memcpy(&count, saved + sizeof(key), sizeof(count));
	if (count == 1 && add_to_list(names, key))
		return;
	if (!names->is_table)
		move_to_table(names);
	make_room(names);
	slot_of(names, key)->count = count;
}

void unique_names_restore(struct unique_names *names, const void *saved, size_t length)
{
	const uint8_t *at = saved, *end = at + length;

	memcpy(&names->scopes, at, sizeof(names->scopes));
	for (at += sizeof(names->scopes); at < end; at += SAVED_SIZE)
		restore(names, at);
}

void unique_names_free(struct unique_names *names)
{
	free(names->slots);
	bytes_free(&names->made);
}
