/* SPDX-License-Identifier: MIT */
/*
 * A recording, whose last two bytes choose how large a file may become: it is exported to CTF,
 * and the trace has each event and loss, or those up to then. Two zeros choose each limit.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../tools/common/cli/message.h"
#include "../../tools/export/ctf/ctf_stream.h"
#include "../../tools/export/export_sink.h"
#include "../../tools/read/stream/stream.h"
#include "export_checks.h"
#include "fuzz.h"

/* In bytes: none; too small for the metadata; too small for the stream, or for packets. */
static const uint32_t limits[] = { 0, 8192, 16384, 65536, 98304, 196608 };

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

/* The trace is a directory in this one. */
static char folder[64];

static void remove_folder(void)
{
	rmdir(folder);
}

static void prepare(void)
{
	const char *parent = getenv("TMPDIR");
	FILE *messages;

	if (*folder)
		return;
	snprintf(folder, sizeof(folder), "%s/fuzz-ctf.XXXXXX", parent ? parent : "/tmp");
	messages = fopen("/dev/null", "w");
	PROMISE(mkdtemp(folder) && messages && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	message_divert(messages);
	atexit(remove_folder);
}

static void remove_trace(const char *path)
{
	static const char *const files[] = { "metadata", "stream" };
	char file[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, files[i]);
		unlink(file);
	}
	PROMISE(!rmdir(path) || access(path, F_OK));
}

/* Returns the limit before. */
static struct rlimit limit_files(uint32_t limit)
{
	struct rlimit before, now;

	PROMISE(!getrlimit(RLIMIT_FSIZE, &before));
	now = before;
	if (limit)
		now.rlim_cur = limit;
	PROMISE(!setrlimit(RLIMIT_FSIZE, &now));
	return before;
}

static int (*real_end)(struct exporter *exporter);
static int result_of_end;

static int end(struct exporter *exporter)
{
	result_of_end = real_end(exporter);
	return result_of_end;
}

/* Whether all was written. */
static int write_trace(char **paths, const char *path, struct export_counts *written)
{
	const struct export_options options = { .output = path };
	struct stream stream = STREAM_INIT("export");
	struct export_sink sink;
	struct exporter *exporter;
	int status;

	exporter = ctf_export_open(&options, &status);
	PROMISE(exporter);
	real_end = exporter->end;
	exporter->end = end;
	export_sink_init(&sink, exporter, &stream);
	PROMISE(!stream_begin(&stream));
	stream_files(&stream, paths, &sink.sink);
	*written = (struct export_counts){ .events = stream.events, .lost = sink.lost };
	export_sink_free(&sink);
	stream_free(&stream);
	return !result_of_end;
}

static void check(char **paths, uint32_t limit)
{
	struct export_counts written, found;
	struct rlimit before = limit_files(limit);
	char path[96];
	int is_all;

	snprintf(path, sizeof(path), "%s/trace", folder);
	is_all = write_trace(paths, path, &written);
	PROMISE(!setrlimit(RLIMIT_FSIZE, &before));
	found = (struct export_counts){ .events = 0 };
	if (!access(path, F_OK))
		ctf_read(path, &found);
	PROMISE(found.events <= written.events && found.lost <= written.lost);
	PROMISE(!is_all || (found.events == written.events && found.lost == written.lost));
	PROMISE(limit || is_all);
	remove_trace(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], *paths[] = { path, NULL };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (size < 2 || size > 4096)
		return close(fd);
	PROMISE(fd >= 0 && write(fd, data, size - 2) == (ssize_t)size - 2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	prepare();
	check(paths, limits[data[size - 1] % LIMITS]);
	for (size_t i = 1; !data[size - 2] && !data[size - 1] && i < LIMITS; i++)
		check(paths, limits[i]);
	close(fd);
	return 0;
}
