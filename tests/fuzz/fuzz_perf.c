/* SPDX-License-Identifier: MIT */
/*
 * A recording, as a file and as a stream: reading ends, and every record renders. The
 * records of the two may differ, as a stream cannot be read from its end.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/read/input/open_input.h"
#include "../support/json_check.h"
#include "fuzz.h"

static char out[1 << 20];

static void look_at(const struct record *record)
{
	const struct ue_record_layout *format = &record->tracepoint->format;
	struct ue_render_opts opts = { .size = sizeof(opts), .sample = &record->sample };
	size_t common = format->common_size;
	ptrdiff_t length;

	if (record->tracepoint->is_bare)
		return; /* the reader has a target of its own */
	if (common > record->length)
		common = record->length;
	length = ue_record_to_json(format, record->bytes + common,
				   record->length - common, &opts, out, sizeof(out));
	PROMISE(length >= 0);
	PROMISE((size_t)length >= sizeof(out) || !json_wrong(out, (size_t)length));
}

static void read_all(const char *path, size_t size)
{
	struct input input;
	struct record record;
	size_t count = 0;
	int result = input_open(&input, path);

	if (!result)
		while ((result = input_next(&input, &record)) > 0) {
			/* 65536 bytes of records in one of compressed ones */
			PROMISE(++count <= size * 8192);
			look_at(&record);
		}
	PROMISE(!result == !*input.problem);
	input_close(&input);
}

static void write_to(int fd, const uint8_t *data, size_t size)
{
	PROMISE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int pipes[2], fd;

	if (size > 4096)
		return 0; /* always fits a pipe */
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	write_to(fd, data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path, size);
	close(fd);
	PROMISE(!pipe2(pipes, O_CLOEXEC));
	write_to(pipes[1], data, size);
	close(pipes[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipes[0]);
	read_all(path, size);
	close(pipes[0]);
	return 0;
}
