/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "capture_writer.h"
#include "records/capture_file.h"

static const char zeros[8];

static uint32_t padding(size_t length)
{
	return (uint32_t)(-length & 7);
}

int capture_writer_open(struct capture_writer *writer, const char *path)
{
	*writer = (struct capture_writer){ .out = { .fd = -1, .path = path, .shown = path } };
	return outfile_open(&writer->out);
}

int capture_writer_begin(struct capture_writer *writer)
{
	struct capture_file_header header = {
		.order = CAPTURE_FILE_ORDER, .version = CAPTURE_FILE_VERSION,
	};

	memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof(header.magic));
	if (outfile_empty(&writer->out))
		return -1;
	return outfile_write(&writer->out, &header, sizeof(header));
}

static void make_room(struct capture_writer *writer, uint32_t index)
{
	uint32_t indexes = writer->indexes ? writer->indexes : 64;

	while (indexes <= index)
		indexes *= 2;
	if (indexes == writer->indexes)
		return;
	writer->is_defined = xrealloc(writer->is_defined, indexes);
	memset(writer->is_defined + writer->indexes, 0, indexes - writer->indexes);
	writer->indexes = indexes;
}

static int define(struct capture_writer *writer, const struct ue_captured *event)
{
	size_t length = strlen(event->definition);
	uint32_t pad = padding(length + 1);
	const struct capture_file_definition record = {
		.head = { (uint32_t)(sizeof(record) + length + 1 + pad),
			  CAPTURE_FILE_DEFINITION },
		.index = event->index,
		.length = (uint32_t)length,
	};
	const struct iovec pieces[] = {
		{ (void *)&record, sizeof(record) },
		{ (void *)event->definition, length + 1 },
		{ (void *)zeros, pad },
	};

	make_room(writer, event->index);
	writer->is_defined[event->index] = 1;
	return outfile_write_pieces(&writer->out, pieces, 3);
}

int capture_writer_write(struct capture_writer *writer, const struct ue_captured *event,
		       int64_t time)
{
	const size_t length = event->length;
	const struct capture_file_event record = {
		.head = { (uint32_t)(sizeof(record) + length + padding(length)),
			  CAPTURE_FILE_EVENT },
		.index = event->index,
		.pid = (uint32_t)event->pid,
		.time = time,
		.length = (uint32_t)length,
	};
	const struct iovec pieces[] = {
		{ (void *)&record, sizeof(record) },
		{ (void *)event->bytes, length },
		{ (void *)zeros, padding(length) },
	};
	int is_defined = event->index < writer->indexes && writer->is_defined[event->index];

	if (!is_defined && define(writer, event))
		return -1;
	return outfile_write_pieces(&writer->out, pieces, 3);
}

int capture_writer_close(struct capture_writer *writer)
{
	free(writer->is_defined);
	writer->is_defined = NULL;
	return outfile_close(&writer->out);
}
