/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "capture_file.h"
#include "cli/message.h"

static const char zeros[8];

static uint32_t padding(size_t length)
{
	return (uint32_t)(-length & 7);
}

int capture_file_open(struct capture_file *file, const char *path)
{
	*file = (struct capture_file){ .out = { .fd = -1, .path = path, .shown = path } };
	return outfile_open(&file->out);
}

int capture_file_begin(struct capture_file *file)
{
	struct capture_file_header header = {
		.order = CAPTURE_FILE_ORDER, .version = CAPTURE_FILE_VERSION,
	};

	memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof(header.magic));
	if (outfile_empty(&file->out))
		return -1;
	return outfile_write(&file->out, &header, sizeof(header));
}

static int make_room(struct capture_file *file, uint32_t index)
{
	uint32_t indexes = file->indexes ? file->indexes : 64;
	uint8_t *larger;

	while (indexes <= index)
		indexes *= 2;
	if (indexes == file->indexes)
		return 0;
	larger = realloc(file->is_defined, indexes);
	if (!larger) {
		message("There is no memory left.");
		return -1;
	}
	memset(larger + file->indexes, 0, indexes - file->indexes);
	file->is_defined = larger;
	file->indexes = indexes;
	return 0;
}

static int define(struct capture_file *file, const struct ue_captured *event)
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

	if (make_room(file, event->index))
		return -1;
	file->is_defined[event->index] = 1;
	return outfile_write_pieces(&file->out, pieces, 3);
}

int capture_file_write(struct capture_file *file, const struct ue_captured *event,
		       int64_t time, const void *bytes, size_t length)
{
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
		{ (void *)bytes, length },
		{ (void *)zeros, padding(length) },
	};
	int is_defined = event->index < file->indexes && file->is_defined[event->index];

	if (!is_defined && define(file, event))
		return -1;
	return outfile_write_pieces(&file->out, pieces, 3);
}

int capture_file_close(struct capture_file *file)
{
	free(file->is_defined);
	file->is_defined = NULL;
	return outfile_close(&file->out);
}
