/* SPDX-License-Identifier: MIT */
/* Learns names from records, and makes records of them. */
#include "known_names.h"

#include <linux/perf_event.h>
#include <string.h>

#include "made_record.h"

void known_names_take(struct known_names *names, const uint8_t *record, size_t time_at)
{
	thread_names_take(&names->threads, record, time_at);
	known_groups_take(&names->groups, record);
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
	for (size_t i = 0; i < names->threads.room; i++) {
		const struct thread_name *thread = &names->threads.threads[i];

		if (thread_name_counts(&names->threads, thread) && *thread->name)
			add_name(thread, id, bytes);
	}
	known_groups_write(&names->groups, bytes);
}

void known_names_free(struct known_names *names)
{
	thread_names_free(&names->threads);
	known_groups_free(&names->groups);
}
