/* SPDX-License-Identifier: MIT */
/* Makes keys of attributes unique, in a time that is linear in their length. */
#include "attribute_keys.h"

#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "output/put_text.h"

#define SIZE_FIRST 64u

struct key_slot {
	uint64_t hash;
	uint32_t generation;
	uint32_t list;
	uint32_t at, length; /* in keys->text */
	uint32_t count;	     /* the suffix that was used last */
};

/* Attributes of our own that are always first, so that fields never take their names. */
static const char *const own_prefixes[] = { "eventheader.", "userevents.", "thread.id" };

static int is_own(struct clean_text name)
{
	for (size_t i = 0; i < sizeof(own_prefixes) / sizeof(own_prefixes[0]); i++) {
		const size_t length = strlen(own_prefixes[i]);

		if (name.length >= length && !memcmp(name.at, own_prefixes[i], length))
			return own_prefixes[i][length - 1] == '.' || name.length == length;
	}
	return 0;
}

static uint64_t mix(uint64_t number)
{
	number = (number ^ (number >> 32)) * 0xd6e8feb86659fd93u;
	return number ^ (number >> 32);
}

/* An address is not the same in each run, so names cannot be chosen to have one hash. */
static uint64_t hash_of(uint32_t list, struct clean_text name)
{
	uint64_t hash = mix((uintptr_t)own_prefixes ^ ((uint64_t)list << 32 | name.length));
	uint64_t eight;
	const char *at = name.at;
	size_t left = name.length;

	for (; left >= 8; at += 8, left -= 8) {
		memcpy(&eight, at, sizeof(eight));
		hash = mix(hash ^ eight);
	}
	eight = 0;
	if (left)
		memcpy(&eight, at, left);
	return mix(hash ^ eight);
}

static int is_of(const struct attribute_keys *keys, const struct key_slot *slot,
		 uint64_t hash, uint32_t list, struct clean_text name)
{
	return slot->hash == hash && slot->list == list && slot->length == name.length &&
	       !memcmp(keys->text.at + slot->at, name.at, name.length);
}

/* The slot of this name, or the free one where it belongs. */
static struct key_slot *find(const struct attribute_keys *keys, uint64_t hash, uint32_t list,
			     struct clean_text name)
{
	uint32_t i = (uint32_t)hash & (keys->size - 1);

	while (keys->slots[i].generation == keys->generation &&
	       !is_of(keys, &keys->slots[i], hash, list, name))
		i = (i + 1) & (keys->size - 1);
	return &keys->slots[i];
}

static void move(struct attribute_keys *keys, const struct key_slot *slot)
{
	uint32_t i = (uint32_t)slot->hash & (keys->size - 1);

	while (keys->slots[i].generation == keys->generation)
		i = (i + 1) & (keys->size - 1);
	keys->slots[i] = *slot;
}

/* At most half of the slots are used. */
static void make_room(struct attribute_keys *keys)
{
	struct key_slot *old = keys->slots;
	const uint32_t size = keys->size;

	if (keys->used < size / 2)
		return;
	keys->size = size ? 2 * size : SIZE_FIRST;
	keys->slots = xcalloc(keys->size, sizeof(*keys->slots));
	for (uint32_t i = 0; i < size; i++)
		if (old[i].generation == keys->generation)
			move(keys, &old[i]);
	free(old);
}

/* The text is copied first: it may be of a mapped file, and reading that may end here. */
static struct key_slot *insert(struct attribute_keys *keys, uint32_t list,
			       struct clean_text name)
{
	const uint32_t at = (uint32_t)keys->text.length;
	const uint64_t hash = hash_of(list, name);
	struct key_slot *slot;

	bytes_add(&keys->text, name.at, name.length);
	make_room(keys);
	slot = find(keys, hash, list, name);
	*slot = (struct key_slot){
		.hash = hash, .generation = keys->generation, .list = list, .at = at,
		.length = (uint32_t)name.length, .count = 1,
	};
	keys->used++;
	return slot;
}

static int is_used(const struct attribute_keys *keys, uint32_t list, struct clean_text name)
{
	return find(keys, hash_of(list, name), list, name)->generation == keys->generation;
}

/*
 * Each suffix of a name is tried once in an event, so that many equal names take no longer
 * than as many others.
 */
static struct clean_text add_again(struct attribute_keys *keys, uint32_t list,
				   struct clean_text name, uint32_t *count)
{
	struct bytes *candidate = &keys->candidate;
	struct clean_text text;

	candidate->length = 0;
	bytes_add(candidate, name.at, name.length);
	do {
		candidate->length = name.length;
		bytes_add(candidate, "#", 1);
		put_number(candidate, ++*count, 1, ' ');
		text = (struct clean_text){ (char *)candidate->at, candidate->length };
	} while (is_used(keys, list, text));
	return text;
}

struct clean_text attribute_keys_add(struct attribute_keys *keys, uint32_t list,
				     struct clean_text name)
{
	struct key_slot *slot;
	struct clean_text text;
	uint32_t count;

	if (!name.length)
		name = (struct clean_text){ "_", 1 };
	make_room(keys);
	slot = find(keys, hash_of(list, name), list, name);
	if (slot->generation != keys->generation) {
		slot = insert(keys, list, name);
		if (list || !is_own(name))
			return name;
	}
	count = slot->count;
	text = add_again(keys, list, name, &count);
	slot->count = count;
	insert(keys, list, text);
	return text;
}

void attribute_keys_begin(struct attribute_keys *keys)
{
	keys->text.length = 0;
	keys->used = 0;
	keys->lists = 0;
	if (++keys->generation)
		return;
	memset(keys->slots, 0, keys->size * sizeof(*keys->slots));
	keys->generation = 1;
}

uint32_t attribute_keys_list(struct attribute_keys *keys)
{
	return ++keys->lists;
}

void attribute_keys_save(const struct attribute_keys *keys, struct bytes *to)
{
	for (uint32_t i = 0; i < keys->size; i++) {
		const struct key_slot *slot = &keys->slots[i];

		if (slot->generation != keys->generation || slot->list)
			continue;
		bytes_add_u32(to, slot->length);
		bytes_add(to, keys->text.at + slot->at, slot->length);
	}
}

void attribute_keys_restore(struct attribute_keys *keys, const uint8_t *saved, size_t length)
{
	uint32_t each;

	for (const uint8_t *end = saved + length; saved < end; saved += each) {
		memcpy(&each, saved, sizeof(each));
		saved += sizeof(each);
		insert(keys, 0, (struct clean_text){ (const char *)saved, each });
	}
}

void attribute_keys_free(struct attribute_keys *keys)
{
	free(keys->slots);
	bytes_free(&keys->text);
	bytes_free(&keys->candidate);
	*keys = (struct attribute_keys){ 0 };
}
