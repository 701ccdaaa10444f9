/* SPDX-License-Identifier: MIT */
/* Finds the processes of events, and their containers. */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

#include "exported_event.h"
#include "common/cli/memory.h"

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

static size_t slot_of(const struct origins *origins, uint32_t pid, const char *cgroup)
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

static struct kept_origin *find(struct origins *origins, const struct ue_sample *sample)
{
	const uint32_t pid = sample->present & UE_META_PID ? sample->pid : 0;
	size_t at = slot_of(origins, pid, sample_cgroup(sample));

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
	origins->last = find(origins, sample);
	return &origins->last->origin;
}

void origins_free(struct origins *origins)
{
	forget(origins);
	free(origins->items);
	free(origins->table);
	*origins = (struct origins){ .count = 0 };
}
