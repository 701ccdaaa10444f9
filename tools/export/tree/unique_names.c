/* SPDX-License-Identifier: MIT */
/* Makes names of fields unique. */
#include "unique_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "exported_event.h"
#include "origins.h"

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

/* Finds the processes of events, and their containers. */

/* The kernel's paths are shorter; a recording may give one of any length to every process. */
#define CGROUP_MOST 4095

#define TABLE_SIZE (2 * ORIGINS_MAX)

/* Containers */

#define CONTAINER_DIGITS 64
#define UID_LENGTH 36
#define PLAIN_UID_DIGITS 32 /* of a static pod: a hash */

static size_t hex_length(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

/*
 * The last run of 64 digits: "/docker/DIGITS", "cri-containerd-DIGITS.scope", and whatever
 * other runtimes put around it. To be freed.
 */
static char *container_of(const char *cgroup)
{
	const char *found = NULL;

	while (*cgroup) {
		const size_t length = hex_length(cgroup);

		if (length == CONTAINER_DIGITS)
			found = cgroup;
		cgroup += length ? length : 1;
	}
	return found ? xstrndup(found, CONTAINER_DIGITS) : xstrdup("");
}

static int is_uid(const char *text)
{
	for (int i = 0; i < UID_LENGTH; i++) {
		const int is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != '-' && text[i] != '_' : !hex_length(text + i))
			return 0;
	}
	return !hex_length(text + UID_LENGTH);
}

/*
 * "pod" and a UID in a part of the path below kubepods; systemd's slices have '_' in place
 * of '-', as that separates their own parts. To be freed.
 */
static char *pod_of(const char *cgroup)
{
	const char *found = strstr(cgroup, "kubepods");
	char *uid;

	for (found = found ? found + 8 : ""; (found = strstr(found, "pod")); found += 3) {
		if (hex_length(found + 3) == PLAIN_UID_DIGITS)
			return xstrndup(found + 3, PLAIN_UID_DIGITS);
		if (!is_uid(found + 3))
			continue;
		uid = xstrndup(found + 3, UID_LENGTH);
		for (char *c = uid; *c; c++)
			*c = *c == '_' ? '-' : *c;
		return uid;
	}
	return xstrdup("");
}

/* The table */

/* As the samples have them, which are compared with every event. */
struct kept_origin {
	struct origin origin;
	char *comm, *cgroup;
};

static const char *sample_cgroup(const struct ue_sample *sample)
{
	return sample->present & UE_META_CGROUP ? sample->cgroup : "";
}

static const char *sample_comm(const struct ue_sample *sample)
{
	return sample->present & UE_META_COMM ? sample->comm : "";
}

static size_t origin_slot_of(const struct origins *origins, uint32_t pid, const char *cgroup)
{
	const uint64_t key = hash_text(&origins->seed, cgroup, strnlen(cgroup, CGROUP_MOST));

	return hash_slot(&origins->seed, key, pid, TABLE_SIZE);
}

/* A process's name changes with its first thread's, as exec(2) does it. */
static int is_renamed(const struct kept_origin *kept, const struct ue_sample *sample)
{
	const int is_first_thread = !(sample->present & UE_META_TID) ||
				    sample->tid == sample->pid;

	return is_first_thread && strcmp(kept->comm, sample_comm(sample));
}

static int is_of(const struct kept_origin *kept, const struct ue_sample *sample)
{
	const struct origin *origin = &kept->origin;

	return origin->has_pid == !!(sample->present & UE_META_PID) &&
	       (!origin->has_pid || origin->pid == sample->pid) &&
	       !strncmp(kept->cgroup, sample_cgroup(sample), CGROUP_MOST);
}

static void keep(struct origins *origins, struct kept_origin *kept,
		 const struct ue_sample *sample)
{
	struct origin *origin = &kept->origin;

	kept->comm = xstrdup(sample_comm(sample));
	kept->cgroup = xstrndup(sample_cgroup(sample), CGROUP_MOST);
	origin->serial = ++origins->serials;
	origin->has_pid = !!(sample->present & UE_META_PID);
	origin->pid = origin->has_pid ? sample->pid : 0;
	origin->comm = clean_copy(kept->comm);
	origin->cgroup = clean_copy(kept->cgroup);
	origin->container_id = container_of(origin->cgroup);
	origin->pod_uid = pod_of(origin->cgroup);
}

static void forget(struct origins *origins)
{
	for (uint32_t i = 0; i < origins->count; i++) {
		struct kept_origin *kept = origins->items[i];

		free(kept->comm);
		free(kept->cgroup);
		free((char *)kept->origin.comm);
		free((char *)kept->origin.cgroup);
		free((char *)kept->origin.container_id);
		free((char *)kept->origin.pod_uid);
		free(kept);
	}
	origins->count = 0;
	origins->last = NULL;
	if (origins->table)
		memset(origins->table, 0, TABLE_SIZE * sizeof(*origins->table));
}

/* At the place in the table where the search ended. */
static struct kept_origin *add(struct origins *origins, size_t at,
			       const struct ue_sample *sample)
{
	struct kept_origin *kept = xcalloc(1, sizeof(*kept));

	keep(origins, kept, sample);
	origins->items = xgrow(origins->items, origins->count, sizeof(*origins->items));
	origins->items[origins->count++] = kept;
	origins->table[at] = origins->count;
	return kept;
}

static struct kept_origin *find_origin(struct origins *origins, const struct ue_sample *sample)
{
	const uint32_t pid = sample->present & UE_META_PID ? sample->pid : 0;
	size_t at = origin_slot_of(origins, pid, sample_cgroup(sample));

	for (; origins->table[at]; at = (at + 1) & (TABLE_SIZE - 1)) {
		struct kept_origin *kept = origins->items[origins->table[at] - 1];

		if (is_of(kept, sample))
			return is_renamed(kept, sample) ? add(origins, at, sample) : kept;
	}
	return add(origins, at, sample);
}

const struct origin *origin_find(struct origins *origins, const struct ue_sample *sample)
{
	if (origins->last && is_of(origins->last, sample) &&
	    !is_renamed(origins->last, sample))
		return &origins->last->origin;
	if (!origins->table) {
		origins->table = xcalloc(TABLE_SIZE, sizeof(*origins->table));
		origins->seed = hash_seed();
	}
	if (origins->count == ORIGINS_MAX)
		forget(origins);
	origins->last = find_origin(origins, sample);
	return &origins->last->origin;
}

void origins_free(struct origins *origins)
{
	forget(origins);
	free(origins->items);
	free(origins->table);
	*origins = (struct origins){ .count = 0 };
}
