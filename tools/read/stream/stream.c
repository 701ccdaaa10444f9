/* SPDX-License-Identifier: MIT */
/* Chooses the source of events. */
#include "stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/records/ring_record.h"
#include "read/input/open_input.h"

const char *ring_argument(char **arguments)
{
	return *arguments && !arguments[1] && ring_is_at(*arguments) ? *arguments : NULL;
}

static const char *why_neither(const char *name)
{
	if (!access(name, F_OK) && !is_file_at(name))
		return "it is a directory; name a file in it";
	if (!is_file_at(name))
		return strchr(name, '/') ? "there is no such file" :
					   "there is no such file here, and none in PATH";
	if (!access(name, X_OK))
		return xprintf("the program here is ./%s", name);
	if (access(name, R_OK))
		return "this user may not read it; ask its owner, or use root";
	return "it is a file of another kind; recordings are for \"userevents decode\"";
}

int operand_check(const char *verb, char **arguments)
{
	if (!*arguments || ring_argument(arguments) || program_exists(*arguments))
		return 0;
	message("cannot %s: \"%s\" is neither a ring nor a program: %s", verb, *arguments,
		why_neither(*arguments));
	return EXIT_FAILED;
}

int stream_begin(struct stream *stream)
{
	struct filter *filter = &stream->filter;

	if ((stream->from && time_limit_parse(stream->from, 0, &filter->from)) ||
	    (stream->to && time_limit_parse(stream->to, 1, &filter->to)) ||
	    filter_is_empty(filter) || filter_begin(filter))
		return EXIT_WRONG_USAGE;
	return 0;
}

static int has_watch_options(const struct recording *recording)
{
	return recording->pids.count || recording->definitions.count || recording->duration ||
	       recording->tracefs || recording->has_all_processes;
}

static int has_relative_times(const struct filter *filter)
{
	return time_limit_is_relative(&filter->from) || time_limit_is_relative(&filter->to);
}

static int check(const struct stream *stream, const struct usage *usage, char **arguments)
{
	if (stream->is_run && stream->is_watch)
		return options_complain(usage, "--run and --watch exclude each other");
	if (!stream->is_watch && has_watch_options(&stream->recording))
		return options_complain(usage, "--pid, --all, --register, --duration and "
					"--tracefs are for --watch");
	if (stream->is_run && !*arguments)
		return options_complain(usage, "no program is given");
	if ((stream->is_run || stream->is_watch) && has_relative_times(&stream->filter))
		return options_complain(usage, "of live events, --from and %s are dates or "
					"seconds", filter_until(&stream->filter));
	if (!stream->is_run && !stream->is_watch && !*arguments)
		return options_complain(usage, "no source is given: recordings, --run or "
					"--watch");
	return 0;
}

int stream_read(struct stream *stream, const struct usage *usage, char **arguments,
		struct sink *sink)
{
	int status = stream_begin(stream);

	if (!status)
		status = check(stream, usage, arguments);
	if (status)
		return status;
	if (stream->is_run)
		return stream_program(stream, arguments, sink);
	if (!stream->is_watch)
		return stream_files(stream, arguments, sink);
	return ring_argument(arguments) ? stream_ring(stream, *arguments, sink) :
					  stream_kernel(stream, arguments, sink);
}

char *const *stream_inputs(const struct stream *stream, char **arguments)
{
	const int is_program = stream->is_run ||
			       (stream->is_watch && !ring_argument(arguments));

	return is_program ? NULL : arguments;
}

void stream_free(struct stream *stream)
{
	filter_free(&stream->filter);
	event_kinds_free(&stream->kinds);
}

/*
 * Reads recordings to find the times of their first and last event.
 *
 * "-10s" is before the end of a recording, and only its reader knows when that is. So it is
 * read twice. This one renders nothing, which is most of the work. A stream on standard
 * input becomes an unnamed file first, and takes its place.
 */

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
