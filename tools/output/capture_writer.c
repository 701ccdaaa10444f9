/* SPDX-License-Identifier: MIT */
/* Writes capture files. */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "capture_writer.h"
#include "records/capture_file.h"

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)

int capture_writer_begin(struct capture_writer *writer, struct outfile *out)
{
	struct capture_file_header header = {
		.order = CAPTURE_FILE_ORDER, .version = CAPTURE_FILE_VERSION,
	};

	*writer = (struct capture_writer){ .out = out };
	memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof(header.magic));
	return outfile_write(out, &header, sizeof(header));
}

static void make_room(struct capture_writer *writer, uint32_t index)
{
	for (; writer->indexes <= index; writer->indexes++) {
		writer->is_defined = xgrow(writer->is_defined, writer->indexes, 1);
		writer->is_defined[writer->indexes] = 0;
	}
}

/* Add a record: head, which takes the size, then content. */
static void add(struct bytes *bytes, void *record, size_t size, const void *content,
		size_t length)
{
	struct capture_file_head *head = record;
	size_t begin = bytes->length;

	head->size = (uint32_t)((size + length + 7) & ~(size_t)7);
	bytes_add(bytes, record, size);
	bytes_add(bytes, content, length);
	bytes_pad(bytes, begin);
}

static void define(struct capture_writer *writer, const struct ue_captured *event)
{
	size_t length = strlen(event->definition);
	struct capture_file_definition record = {
		.head.kind = CAPTURE_FILE_DEFINITION,
		.index = event->index,
		.length = (uint32_t)length,
	};

	make_room(writer, event->index);
	writer->is_defined[event->index] = 1;
	add(&writer->bytes, &record, sizeof(record), event->definition, length + 1);
}

int capture_writer_write(struct capture_writer *writer, const struct ue_captured *event)
{
	struct capture_file_event record = {
		.head.kind = CAPTURE_FILE_EVENT,
		.index = event->index,
		.pid = (uint32_t)event->pid,
		.time = event->real_time,
		.clock_time = event->time,
		.length = (uint32_t)event->length,
		.tid = (uint32_t)event->tid,
		.cpu = event->cpu,
		.lost = event->lost,
	};

	strncpy(record.comm, event->thread, sizeof(record.comm) - 1);
	if (event->index >= writer->indexes || !writer->is_defined[event->index])
		define(writer, event);
	add(&writer->bytes, &record, sizeof(record), event->bytes, event->length);
	return writer->bytes.length < AT_ONCE ? 0 : capture_writer_flush(writer);
}

int capture_writer_flush(struct capture_writer *writer)
{
	const size_t length = writer->bytes.length;

	writer->bytes.length = 0;
	return length ? outfile_write_records(writer->out, writer->bytes.at, length) : 0;
}

void capture_writer_free(struct capture_writer *writer)
{
	bytes_free(&writer->bytes);
	free(writer->is_defined);
}
