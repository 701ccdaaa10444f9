/* SPDX-License-Identifier: MIT */
/*
 * Reads recordings to find the times of their first and last event.
 *
 * "-10s" is before the end of a recording, and only its reader knows when that is. So it is
 * read twice. This one renders nothing, which is most of the work. A stream on standard
 * input becomes an unnamed file first, and takes its place.
 */
#include "time_span.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/message.h"
#include "read/input/open_input.h"

static void take_clock(struct time_span *span, int64_t time)
{
	if (!span->has_clock || time < span->clock_first)
		span->clock_first = time;
	if (!span->has_clock || time > span->clock_last)
		span->clock_last = time;
	span->has_clock = 1;
}

static void take_wall(struct time_span *span, int64_t time)
{
	if (!span->has_wall || time < span->first)
		span->first = time;
	if (!span->has_wall || time > span->last)
		span->last = time;
	span->has_wall = 1;
}

static void read_times(const char *path, struct time_span *span)
{
	struct record record;
	struct input input;

	if (!input_open(&input, path)) {
		while (input_next(&input, &record) > 0) {
			if (!(record.sample.present & UE_META_TIME))
				continue;
			if (record.sample.is_wall_clock)
				take_wall(span, record.sample.time);
			else
				take_clock(span, record.sample.time);
		}
	}
	input_close(&input);
}

static int replace_standard_input(struct source *source)
{
	int result = source_spool(source);

	if (!result && (dup2(source->fd, STDIN_FILENO) < 0 ||
			lseek(STDIN_FILENO, 0, SEEK_SET) < 0))
		result = -errno;
	if (result)
		message("cannot read standard input twice, as times that depend on its events "
			"need: %s", strerror(-result));
	return result ? -1 : 0;
}

/* A file that cannot be opened is reported by the next reader. */
static int make_rereadable(const char *path)
{
	struct source source;
	int result = 0;

	if (source_open(&source, path))
		return 0;
	if (!source_is_lasting(&source)) {
		if (!strcmp(path, "-")) {
			result = replace_standard_input(&source);
		} else {
			message("cannot read %s twice, as times that depend on its events "
				"need; save it as a file", path);
			result = -1;
		}
	}
	source_close(&source);
	return result;
}

int filter_resolve_times(struct filter *filter, char **paths)
{
	struct time_span span = { 0 };

	if (!time_limit_is_relative(&filter->from) && !time_limit_is_relative(&filter->to))
		return 0;
	for (; *paths; paths++) {
		if (make_rereadable(*paths))
			return -1;
		read_times(*paths, &span);
	}
	time_limit_resolve(&filter->from, &span, NULL);
	time_limit_resolve(&filter->to, &span, &filter->from);
	return 0;
}
