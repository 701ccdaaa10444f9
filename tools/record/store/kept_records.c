/* SPDX-License-Identifier: MIT */
/* Keeps records in a circle of memory, and makes those of code that is mapped. */
#include "kept_records.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cli/memory.h"
#include "common/stacks/stacks.h"

/* Makes records of the code that processes have mapped, as the kernel does when they map it. */

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1u << 14) /* Linux 5.12 */
#endif

/* The body of PERF_RECORD_MMAP2, before the path. */
struct mapped {
	uint32_t pid, tid;
	uint64_t begin, size, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, unused[3];
			uint8_t build_id[BUILD_ID_MOST];
		};
	};
	uint32_t rights, flags;
};

struct code_writer {
	struct bytes *bytes;
	uint64_t id;
};

static void set_misc(struct bytes *bytes, size_t record, uint16_t misc)
{
	memcpy(bytes->at + record + offsetof(struct perf_event_header, misc), &misc,
	       sizeof(misc));
}

static void add_map(void *context, uint64_t process, const struct code_map *map)
{
	const uint32_t pid = (uint32_t)process;
	const struct code_writer *writer = context;
	const struct module_identity *identity = &map->module->identity;
	struct mapped mapped = {
		.pid = pid, .tid = pid, .begin = map->begin, .size = map->end - map->begin,
		.offset = map->offset, .rights = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	const size_t record = writer->bytes->length;
	uint16_t misc = PERF_RECORD_MISC_USER;
	AUTO(bytes_free) struct bytes content = { 0 };
	uint64_t who;

	memcpy(&who, &mapped, sizeof(who));
	mapped.inode = identity->inode;
	if (identity->build_id_size) {
		mapped.build_id_size = identity->build_id_size;
		memset(mapped.unused, 0, sizeof(mapped.unused));
		memcpy(mapped.build_id, identity->build_id, sizeof(mapped.build_id));
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
	bytes_add(&content, &mapped, sizeof(mapped));
	bytes_add_text(&content, map->module->path);
	bytes_pad(&content, 0);
	if (content.length < UINT16_MAX - 64) {
		made_record_add(writer->bytes, PERF_RECORD_MMAP2, content.at, content.length, who,
				writer->id);
		set_misc(writer->bytes, record, misc);
	}
}

/* Add records of code that is mapped. */
static void code_records_add(const struct code_maps *code, uint64_t id,
			     struct bytes *bytes)
{
	struct code_writer writer = { bytes, id };

	code_maps_each(code, add_map, &writer);
}

void existing_code_add(struct bytes *bytes, uint64_t id)
{
	AUTO(close_directory) DIR *directory = opendir("/proc");
	AUTO(code_maps_free) struct code_maps code = { .count = 0 };
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			code_maps_read(&code, (uint32_t)strtoul(entry->d_name, NULL, 10));
	code_records_add(&code, id, bytes);
}

void existing_code_of(struct bytes *bytes, uint64_t id, uint32_t pid)
{
	AUTO(code_maps_free) struct code_maps code = { .count = 0 };

	code_maps_read(&code, pid);
	code_records_add(&code, id, bytes);
}

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
