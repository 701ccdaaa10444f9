/* SPDX-License-Identifier: MIT */
/* Makes records of the code that processes have mapped, as the kernel does when they map it. */
#include "kept_records.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cli/memory.h"
#include "common/stacks/stacks.h"

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

void code_records_add(const struct code_maps *code, uint64_t id, struct bytes *bytes)
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
