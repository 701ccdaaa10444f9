/* SPDX-License-Identifier: MIT */
/*
 * A recording, whose last two bytes choose options and a format: it is exported, and the
 * output is well-formed and has each event. Two zeros choose every format.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/common/cli/message.h"
#include "../../tools/export/export_sink.h"
#include "../../tools/export/perfetto/perfetto_tracks.h"
#include "../../tools/read/stream/stream.h"
#include "export_checks.h"
#include "fuzz.h"

/* Those that write one file. */
static const struct {
	exporter_open *open;
	export_check *check;
} formats[] = {
	{ perfetto_open, perfetto_check },
};

#define FILE_FORMATS (sizeof(formats) / sizeof(formats[0]))
#define FORMATS (FILE_FORMATS + 2) /* and OTLP in two encodings */

enum { IS_FLAT = 1, IS_BRIEF = 2, IS_LIVE = 4, ALL_OPTIONS = 7 };

static FILE *messages;

static void divert_messages(void)
{
	if (!messages)
		messages = fopen("/dev/null", "w");
	PROMISE(messages);
	message_divert(messages);
}

static void check_output(int fd, size_t format, const struct export_counts *expected)
{
	const off_t length = lseek(fd, 0, SEEK_END);
	uint8_t *output = malloc((size_t)length + 1);

	PROMISE(output && pread(fd, output, (size_t)length, 0) == length);
	formats[format].check(output, (size_t)length, expected);
	free(output);
}

/* Times of two clocks end a trace: then what is there must be well-formed, and is not all. */
static void export_file(char **paths, size_t format, struct export_options options)
{
	struct stream stream = STREAM_INIT("export");
	int status, fd = memfd_create("output", MFD_CLOEXEC);
	struct export_counts counts;
	struct export_sink sink;
	struct exporter *exporter;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.output = path;
	exporter = formats[format].open(&options, &status);
	PROMISE(fd >= 0 && exporter);
	export_sink_init(&sink, exporter, &stream);
	PROMISE(!stream_begin(&stream));
	status = stream_files(&stream, paths, &sink.sink);
	PROMISE(status == EXIT_ALL_WORKED || status == EXIT_FAILED);
	export_sink_free(&sink);
	counts = (struct export_counts){ .events = stream.events, .lost = stream.lost_before };
	check_output(fd, format, &counts);
	stream_free(&stream);
	close(fd);
}

static void export(char **paths, size_t format, uint8_t chosen)
{
	const struct export_options options = {
		.is_flat = !!(chosen & IS_FLAT),
		.is_brief = !!(chosen & IS_BRIEF),
		.is_live = !!(chosen & IS_LIVE),
	};

	if (format < FILE_FORMATS)
		export_file(paths, format, options);
	else
		otlp_check(paths, format == FILE_FORMATS, &options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], *paths[] = { path, NULL };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t options;

	if (size < 2 || size > 4096)
		return close(fd);
	PROMISE(fd >= 0 && write(fd, data, size - 2) == (ssize_t)size - 2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	divert_messages();
	options = data[size - 2];
	if (options)
		export(paths, data[size - 1] % FORMATS, options & ALL_OPTIONS);
	for (size_t i = 0; !options && i < FORMATS * (ALL_OPTIONS + 1); i++)
		export(paths, i % FORMATS, (uint8_t)(i / FORMATS));
	close(fd);
	return 0;
}
