/* SPDX-License-Identifier: MIT */
/* Makes names of fields unique. */
#include "unique_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/memory.h"

#define SLOTS_LEAST 64u

/*
 * A name is known by a hash alone. Names that collide cost one of them a number, which does
 * no harm.
 */
struct unique_name {
	uint64_t hash;
	uint64_t event; /* that it is of; another one: the slot is free */
	uint32_t count; /* the number of the last one made of it */
};

static uint64_t mixed(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * 0x9fb21c651e98df25u;
	return hash ^ hash >> 28;
}

/* Eight bytes at a time, as each field of each event comes by here. */
static uint64_t hash_of(const struct unique_names *names, struct clean_text name)
{
	uint64_t hash = names->open[names->depth] ^ (uint64_t)name.length << 48, part;

	for (; name.length >= sizeof(part); name.at += sizeof(part)) {
		memcpy(&part, name.at, sizeof(part));
		hash = mixed(hash ^ part);
		name.length -= sizeof(part);
	}
	part = 0;
	if (name.length)
		memcpy(&part, name.at, name.length);
	return mixed(hash ^ part);
}

static struct unique_name *find(const struct unique_names *names, uint64_t hash)
{
	size_t at = hash & (names->slot_count - 1);

	while (names->slots[at].event == names->event && names->slots[at].hash != hash)
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
			*find(names, old[i].hash) = old[i];
	free(old);
}

/* The name's slot; count is 0 if it is new. */
static struct unique_name *slot_of(struct unique_names *names, struct clean_text name)
{
	const uint64_t hash = hash_of(names, name);
	struct unique_name *slot = find(names, hash);

	if (slot->event != names->event) {
		*slot = (struct unique_name){ .hash = hash, .event = names->event };
		names->used++;
	}
	return slot;
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
		other = slot_of(names, made);
	} while (other->count);
	other->count = 1;
	return made;
}

/* Room for the name and for one that is made of it. */
struct clean_text unique_name(struct unique_names *names, struct clean_text name)
{
	struct unique_name *slot;

	if (names->used + 2 > names->slot_count / 2)
		grow(names);
	slot = slot_of(names, name);
	if (slot->count)
		return another(names, name, slot);
	slot->count = 1;
	return name;
}

void unique_names_begin(struct unique_names *names)
{
	names->event++;
	names->used = 0;
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

void unique_names_free(struct unique_names *names)
{
	free(names->slots);
	bytes_free(&names->made);
}
