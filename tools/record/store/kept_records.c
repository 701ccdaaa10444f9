/* SPDX-License-Identifier: MIT */
/* Keeps records in a circle of memory. */
#include "kept_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define RECORD_MOST ((size_t)64 << 10)

void kept_records_open(struct kept_records *kept, uint64_t size,
		       void (*drop)(void *context, const uint8_t *record), void *context)
{
	if (size > SIZE_MAX / 2)
		memory_is_short();
	*kept = (struct kept_records){
		.at = xmalloc((size_t)size & ~(size_t)7),
		.size = (size_t)size & ~(size_t)7,
		.whole = xmalloc(RECORD_MOST),
		.drop = drop,
		.context = context,
	};
}

static size_t size_of(const uint8_t *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	return header.size;
}

/* A record in one piece. */
static const uint8_t *record_at(struct kept_records *kept, size_t place)
{
	const uint8_t *record = kept->at + place;
	size_t size = size_of(record), first = kept->size - place;

	if (size <= first)
		return record;
	memcpy(kept->whole, record, first);
	memcpy(kept->whole + first, kept->at, size - first);
	return kept->whole;
}

static void drop_oldest(struct kept_records *kept)
{
	const uint8_t *record = record_at(kept, kept->begin);
	size_t size = size_of(record);

	kept->drop(kept->context, record);
	kept->begin = (kept->begin + size) % kept->size;
	kept->length -= size;
}

static void add_one(struct kept_records *kept, const uint8_t *record, size_t size)
{
	size_t end, first;

	while (kept->size - kept->length < size)
		drop_oldest(kept);
	end = (kept->begin + kept->length) % kept->size;
	first = kept->size - end < size ? kept->size - end : size;
	memcpy(kept->at + end, record, first);
	memcpy(kept->at, record + first, size - first);
	kept->length += size;
}

void kept_records_add(struct kept_records *kept, const uint8_t *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t size = size_of(bytes + at);

		add_one(kept, bytes + at, size);
		at += size;
	}
}

const uint8_t *kept_records_next(struct kept_records *kept, size_t *distance)
{
	const uint8_t *record;

	if (*distance == kept->length)
		return NULL;
	record = record_at(kept, (kept->begin + *distance) % kept->size);
	*distance += size_of(record);
	return record;
}

void kept_records_empty(struct kept_records *kept)
{
	while (kept->length)
		drop_oldest(kept);
	kept->begin = 0;
}

void kept_records_free(struct kept_records *kept)
{
	free(kept->at);
	free(kept->whole);
	*kept = (struct kept_records){ 0 };
}

/* Keeps the kernel's records of control groups. */

/* A machine that begins groups all the time never says that they ended. */
#define BYTES_MOST ((size_t)32 << 20)

/* The body after the header: the id, then the path. */
#define PATH_AT (sizeof(struct perf_event_header) + 8)

/*
 * Take any record of perf; those of other types are ignored, as are those that were taken
 * already, and those beyond 32 MB, since the last turn.
 */
static void known_groups_take(struct known_groups *known, const uint8_t *record)
{
	struct group_records *groups = &known->now;
	struct perf_event_header header;
	uint64_t id;

	memcpy(&header, record, sizeof(header));
	if (header.type != PERF_RECORD_CGROUP || header.size <= PATH_AT ||
	    groups->records.length + header.size > BYTES_MOST)
		return;
	memcpy(&id, record + sizeof(header), sizeof(id));
	if (key_table_find(&groups->places, id) != KEY_UNKNOWN)
		return;
	key_table_set(&groups->places, id, (uint32_t)(groups->records.length / 8));
	bytes_add(&groups->records, record, header.size);
}

static void free_records(struct group_records *groups)
{
	bytes_free(&groups->records);
	key_table_free(&groups->places);
}

void known_groups_turn(struct known_groups *known)
{
	free_records(&known->before);
	known->before = known->now;
	known->now = (struct group_records){ .places = { .slots = NULL } };
}

static const char *find(const struct group_records *groups, uint64_t id)
{
	uint32_t place = key_table_find(&groups->places, id);

	if (place == KEY_UNKNOWN)
		return NULL;
	return (const char *)groups->records.at + (size_t)place * 8 + PATH_AT;
}

const char *known_groups_find(const struct known_groups *known, uint64_t id)
{
	const char *path = find(&known->now, id);

	return path ? path : find(&known->before, id);
}

/* Some are in both. The later name counts. */
static void known_groups_write(const struct known_groups *known, struct bytes *bytes)
{
	bytes_add(bytes, known->before.records.at, known->before.records.length);
	bytes_add(bytes, known->now.records.at, known->now.records.length);
}

static void known_groups_free(struct known_groups *known)
{
	free_records(&known->now);
	free_records(&known->before);
	*known = (struct known_groups){ .now = { .places = { .slots = NULL } } };
}

/* Learns names from records, and makes records of them. */

void known_names_take(struct known_names *names, const uint8_t *record, size_t time_at)
{
	struct perf_event_header header;
	uint64_t time;

	thread_names_take(&names->threads, record, time_at);
	known_groups_take(&names->groups, record);
	memcpy(&header, record, sizeof(header));
	if (header.size < sizeof(header) + time_at)
		return;
	memcpy(&time, record + header.size - time_at, sizeof(time));
	perf_code_take(&names->code, record, header.size, time, HOST_IS_BIG_ENDIAN);
}

void known_names_take_all(struct known_names *names, const struct bytes *records,
			  size_t time_at)
{
	struct perf_event_header header;

	for (size_t at = 0; at < records->length; at += header.size) {
		memcpy(&header, records->at + at, sizeof(header));
		known_names_take(names, records->at + at, time_at);
	}
}

static void add_name(const struct thread_name *thread, uint64_t id, struct bytes *bytes)
{
	struct {
		uint32_t pid;
		uint32_t tid;
		char name[THREAD_NAME_SIZE];
	} content = { thread->pid, thread->tid, "" };
	uint64_t who;

	memcpy(&who, &content, sizeof(who));
	memcpy(content.name, thread->name, sizeof(content.name));
	made_record_add(bytes, PERF_RECORD_COMM, &content, sizeof(content), who, id);
}

void known_names_write(const struct known_names *names, uint64_t id, struct bytes *bytes)
{
	for (uint32_t i = 0; i < names->threads.count; i++) {
		const struct thread_name *thread = &names->threads.threads[i];

		if (thread_name_counts(&names->threads, thread) && *thread->name)
			add_name(thread, id, bytes);
	}
	known_groups_write(&names->groups, bytes);
	code_records_add(&names->code, id, bytes);
}

void known_names_free(struct known_names *names)
{
	thread_names_free(&names->threads);
	known_groups_free(&names->groups);
	code_maps_free(&names->code);
}
