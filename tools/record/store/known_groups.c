/* SPDX-License-Identifier: MIT */
/* Keeps the kernel's records of control groups. */
#include "known_groups.h"

#include <linux/perf_event.h>
#include <stdlib.h>

/* A machine that begins groups all the time never says that they ended. */
#define BYTES_MOST ((size_t)32 << 20)

/* The body after the header: the id, then the path. */
#define PATH_AT (sizeof(struct perf_event_header) + 8)

void known_groups_take(struct known_groups *known, const uint8_t *record)
{
	struct group_records *groups = &known->now;
	struct perf_event_header header;
	uint64_t id;

	memcpy(&header, record, sizeof(header));
	if (header.type != PERF_RECORD_CGROUP || header.size <= PATH_AT ||
	    groups->records.length + header.size > BYTES_MOST)
		return;
	memcpy(&id, record + sizeof(header), sizeof(id));
	if (id_map_find(&groups->places, id) != NO_EVENT)
		return;
	id_map_set(&groups->places, id, groups->records.length / 8);
	bytes_add(&groups->records, record, header.size);
}

static void free_records(struct group_records *groups)
{
	bytes_free(&groups->records);
	free(groups->places.ids);
}

void known_groups_turn(struct known_groups *known)
{
	free_records(&known->before);
	known->before = known->now;
	known->now = (struct group_records){ .places = { .ids = NULL } };
}

static const char *find(const struct group_records *groups, uint64_t id)
{
	uint32_t place = id_map_find(&groups->places, id);

	return place == NO_EVENT ? NULL :
		(const char *)groups->records.at + (size_t)place * 8 + PATH_AT;
}

const char *known_groups_find(const struct known_groups *known, uint64_t id)
{
	const char *path = find(&known->now, id);

	return path ? path : find(&known->before, id);
}

/* Some are in both. The later name counts. */
void known_groups_write(const struct known_groups *known, struct bytes *bytes)
{
	bytes_add(bytes, known->before.records.at, known->before.records.length);
	bytes_add(bytes, known->now.records.at, known->now.records.length);
}

void known_groups_free(struct known_groups *known)
{
	free_records(&known->now);
	free_records(&known->before);
	*known = (struct known_groups){ .now = { .places = { .ids = NULL } } };
}
