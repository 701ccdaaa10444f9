/* SPDX-License-Identifier: MIT */
/* Makes names of fields unique. */
#include "field_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "exported_event.h"

/* Most events have few names: their keys are compared. Others get a table. */
#define NAMES_COMPARED 12

/*
 * A name is known by a key of 8 bytes alone. Names that collide cost one of them a number,
 * which does no harm.
 */
struct unique_name {
	uint64_t key;
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
 * Inline, as each field of each event comes by here. No two short names of digits and
 * letters differ by the lengths in the key: "a#1034" is not "a#11034".
 */
static uint64_t key_of(const struct unique_names *names, struct clean_text name)
{
	uint64_t key = names->open[names->depth] ^ name.length * 0x9e3779b97f4a7c15u;

	for (size_t at = 0; at + 8 < name.length; at += 8)
		key = mixed(key ^ load64(name.at + at));
	return key ^ end_of(name);
}

static inline struct unique_name *find(const struct unique_names *names, uint64_t key)
{
	struct unique_name *item = names->items, *end = item + names->count;
	uint32_t at;

	if (names->table.count) {
		at = key_table_find(&names->table, key);
		return at == KEY_UNKNOWN ? NULL : &item[at];
	}
	while (item < end && item->key != key)
		item++;
	return item < end ? item : NULL;
}

static void grow(struct unique_names *names)
{
	names->room = names->room ? 2 * names->room : NAMES_COMPARED;
	names->items = xrealloc(names->items, names->room * sizeof(*names->items));
}

/* Others may move. */
static inline void add(struct unique_names *names, uint64_t key, uint32_t count)
{
	if (names->count == names->room)
		grow(names);
	names->items[names->count++] = (struct unique_name){ key, count };
	if (names->count <= NAMES_COMPARED)
		return;
	for (uint32_t i = names->table.count; i < names->count; i++)
		key_table_add(&names->table, names->items[i].key, i);
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
				 struct unique_name *known)
{
	struct clean_text made;
	uint64_t key;

	do {
		made = numbered(names, name, ++known->count);
		key = key_of(names, made);
	} while (find(names, key));
	add(names, key, 1);
	return made;
}

struct clean_text unique_name(struct unique_names *names, struct clean_text name)
{
	const uint64_t key = key_of(names, name);
	struct unique_name *known = find(names, key);

	if (known)
		return another(names, name, known);
	add(names, key, 1);
	return name;
}

void unique_names_begin(struct unique_names *names)
{
	if (names->table.count)
		key_table_clear(&names->table);
	names->count = 0;
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

void unique_names_save(const struct unique_names *names, struct bytes *to)
{
	bytes_add_u64(to, names->scopes);
	for (uint32_t i = 0; i < names->count; i++) {
		bytes_add_u64(to, names->items[i].key);
		bytes_add_u32(to, names->items[i].count);
	}
}

static void restore(struct unique_names *names, const uint8_t *saved)
{
	uint64_t key;
	uint32_t count;

	memcpy(&key, saved, sizeof(key));
	memcpy(&count, saved + sizeof(key), sizeof(count));
	add(names, key, count);
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
	free(names->items);
	key_table_free(&names->table);
	bytes_free(&names->made);
}

/* Finds the processes of events, and their containers. */

/* The kernel's paths are shorter; a recording may give one of any length to every process. */
#define CGROUP_MOST 4095

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

/* The names as the samples have them, which are compared with every event. */
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

static uint64_t origin_key(const struct ue_sample *sample)
{
	const uint32_t pid = sample->present & UE_META_PID ? sample->pid : 0;
	const char *cgroup = sample_cgroup(sample);

	return hash_bytes(cgroup, strnlen(cgroup, CGROUP_MOST)) ^ hash_number(pid);
}

/* A process's name changes with its first thread's, as exec(2) does it. */
static int is_renamed(const struct kept_origin *kept, const struct ue_sample *sample)
{
	const int is_first_thread = !(sample->present & UE_META_TID) ||
				    sample->tid == sample->pid;

	return is_first_thread && strcmp(kept->comm, sample_comm(sample));
}

static inline int is_of(const struct kept_origin *kept, const struct ue_sample *sample)
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

static void free_parts(struct kept_origin *kept)
{
	free(kept->comm);
	free(kept->cgroup);
	free((char *)kept->origin.comm);
	free((char *)kept->origin.cgroup);
	free((char *)kept->origin.container_id);
	free((char *)kept->origin.pod_uid);
}

static void forget(struct origins *origins)
{
	for (uint32_t i = 0; i < origins->count; i++) {
		free_parts(origins->items[i]);
		free(origins->items[i]);
	}
	origins->count = 0;
	origins->last = NULL;
	key_table_clear(&origins->table);
}

static struct kept_origin *add_origin(struct origins *origins,
				      const struct ue_sample *sample)
{
	struct kept_origin *kept;

	if (origins->count == ORIGINS_MAX)
		forget(origins);
	kept = xcalloc(1, sizeof(*kept));
	keep(origins, kept, sample);
	origins->items = xgrow(origins->items, origins->count, sizeof(*origins->items));
	origins->items[origins->count] = kept;
	key_table_add(&origins->table, origin_key(sample), origins->count++);
	return kept;
}

/* It is another origin then, with a number of its own. */
static void rename_origin(struct origins *origins, struct kept_origin *kept,
			  const struct ue_sample *sample)
{
	struct kept_origin renamed;

	keep(origins, &renamed, sample);
	free_parts(kept);
	*kept = renamed;
}

static struct kept_origin *find_origin(struct origins *origins, const struct ue_sample *sample)
{
	const uint64_t key = origin_key(sample);
	uint32_t steps = 0, found;

	while ((found = key_table_next(&origins->table, key, &steps)) != KEY_UNKNOWN) {
		struct kept_origin *kept = origins->items[found];

		if (!is_of(kept, sample))
			continue;
		if (is_renamed(kept, sample))
			rename_origin(origins, kept, sample);
		return kept;
	}
	return add_origin(origins, sample);
}

const struct origin *origin_find(struct origins *origins, const struct ue_sample *sample)
{
	if (!origins->last || !is_of(origins->last, sample) ||
	    is_renamed(origins->last, sample))
		origins->last = find_origin(origins, sample);
	return &origins->last->origin;
}

void origins_free(struct origins *origins)
{
	forget(origins);
	free(origins->items);
	key_table_free(&origins->table);
	*origins = (struct origins){ .count = 0 };
}
