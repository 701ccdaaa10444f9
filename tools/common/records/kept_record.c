/* SPDX-License-Identifier: MIT */
/* Keeps copies of records. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

static void *copy(uint8_t **end, const void *bytes, size_t length)
{
	uint8_t *begin = *end;

	if (length)
		memcpy(begin, bytes, length);
	*end += length;
	return begin;
}

/* A name that the sample has, with its NUL. */
static size_t name_length(const struct ue_sample *sample, uint32_t which, const char *name)
{
	return sample->present & which && name ? strlen(name) + 1 : 0;
}

/*
 * The reader may forget names as soon as another record gives a thread or a group its own. A
 * fault while the record is read leaves the copy empty.
 */
size_t record_keep(struct kept_record *kept, const struct record *record, const void *more,
		   size_t length, const char **copied)
{
	const struct ue_sample *sample = &record->sample;
	const size_t comm = name_length(sample, UE_META_COMM, sample->comm);
	const size_t cgroup = name_length(sample, UE_META_CGROUP, sample->cgroup);
	const size_t program = record->program ? strlen(record->program) + 1 : 0;
	const size_t frames = record->frame_count * sizeof(*record->frames);
	const size_t names = comm + cgroup + program;
	const size_t size = frames + record->length + names + length + 1;
	uint8_t *const memory = xmalloc(size), *end = memory;

	kept->memory = NULL;
	kept->record = *record;
	kept->record.frames = copy(&end, record->frames, frames); /* first: aligned */
	kept->record.bytes = copy(&end, record->bytes, record->length);
	if (comm)
		kept->record.sample.comm = copy(&end, sample->comm, comm);
	if (cgroup)
		kept->record.sample.cgroup = copy(&end, sample->cgroup, cgroup);
	if (program)
		kept->record.program = copy(&end, record->program, program);
	if (length)
		*copied = copy(&end, more, length);
	tracepoint_keep(record->tracepoint);
	kept->memory = memory;
	return size;
}

void record_drop(struct kept_record *kept)
{
	if (kept->memory)
		tracepoint_release(kept->record.tracepoint);
	free(kept->memory);
	kept->memory = NULL;
}
