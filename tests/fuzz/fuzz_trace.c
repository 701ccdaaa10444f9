/* SPDX-License-Identifier: MIT */
/*
 * A trace.dat, read mostly by libtracecmd, which trusts its files: reading ends, and
 * every record can be read and rendered.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/read/input/open_input.h"
#include "../support/json_check.h"
#include "fuzz.h"

static const char magic[] = "\x17\x08\x44tracing";
static char out[1 << 20];

static void look_at(const struct record *record)
{
	const struct ue_record_layout *format = &record->tracepoint->format;
	struct ue_render_opts opts = { .size = sizeof(opts), .sample = &record->sample };
	size_t common = format->common_size;
	uint8_t *copy = malloc(record->length ? record->length : 1);
	ptrdiff_t length;

	PROMISE(copy);
	memcpy(copy, record->bytes, record->length);
	if (common > record->length)
		common = record->length;
	length = ue_record_to_json(format, copy + common, record->length - common, &opts,
				   out, sizeof(out));
	PROMISE(length >= 0);
	PROMISE((size_t)length >= sizeof(out) || !json_wrong(out, (size_t)length));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input;
	struct record record;
	size_t count = 0;
	char path[64];
	int fd, result;

	/* the target perf tests other formats */
	if (size < sizeof(magic) || memcmp(data, magic, sizeof(magic) - 1))
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	PROMISE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = input_open(&input, path);
	while (!result && (result = input_next(&input, &record)) > 0) {
		PROMISE(++count <= size);
		look_at(&record);
		result = 0;
	}
	PROMISE(!result == !*input.problem);
	input_close(&input);
	close(fd);
	return 0;
}
