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
