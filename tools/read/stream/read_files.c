/* SPDX-License-Identifier: MIT */
/* Reads recordings, and merges their events by time. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "read/input/open_input.h"
#include "stream.h"

struct opened {
	struct input input;
	struct record record;
	int has_record;
	int64_t doubt_until; /* as of input, when the stream took it */
};

struct files {
	struct stream *stream;
	struct sink *sink;
	struct opened *items;
	size_t count;
	int is_over; /* the sink wants no more, or failed */
};

/* Reading a mapped file raises SIGBUS if the file became shorter meanwhile. */
static sigjmp_buf unreadable;

static void on_fault(int number)
{
	siglongjmp(unreadable, number);
}

/* Events that are known to be missing. */
static void report_missing(const struct input *input)
{
	if (input->lost)
		message("%llu event%s %s lost when %s was recorded%s%s.",
			(unsigned long long)input->lost, PLURAL(input->lost), WERE(input->lost),
			input->shown, input->reasons ? ": " : "",
			input->reasons ? input->reasons : "");
	if (input->overwritten)
		message("%s keeps the newest events; %llu older one%s %s overwritten.",
			input->shown, (unsigned long long)input->overwritten,
			PLURAL(input->overwritten), WERE(input->overwritten));
	if (input->unfinished)
		message("%llu event%s of %s %s missing: the writer died before %s complete.",
			(unsigned long long)input->unfinished, PLURAL(input->unfinished),
			input->shown, input->unfinished == 1 ? "is" : "are",
			input->unfinished == 1 ? "it was" : "they were");
}

/* Samples that cannot be shown, or not in their place. */
static void report_unshown(const struct input *input)
{
	if (input->unknown)
		message("cannot show %llu sample%s of %s: it describes no event that %s to",
			(unsigned long long)input->unknown, PLURAL(input->unknown), input->shown,
			input->unknown == 1 ? "it belongs" : "they belong");
	if (input->others)
		message("%llu sample%s of %s %s not of tracepoints, and %s left out.",
			(unsigned long long)input->others, PLURAL(input->others), input->shown,
			input->others == 1 ? "is" : "are", WERE(input->others));
	if (input->bare)
		message("cannot show %llu sample%s of %s: the bytes of the event are not in it; "
			"record with perf record --raw-samples",
			(unsigned long long)input->bare, PLURAL(input->bare), input->shown);
	if (input->late)
		message("cannot put %llu event%s of %s in order: later ones were printed "
			"before they were read; %s", (unsigned long long)input->late,
			PLURAL(input->late), input->shown, source_is_lasting(&input->source) ?
			"the recorder marked them as complete too early" :
			"save the stream as a file, which is kept in order as a whole");
}

/* Report on an input at its end; 1 if events of it are missing. */
static int finish(struct input *input, int result)
{
	if (result < 0)
		message("cannot read all of %s: %s", input->shown, input->problem);
	report_missing(input);
	report_unshown(input);
	return result < 0 || input->unknown || input->lost || input->bare || input->late;
}

static void follow_doubt(struct files *files, struct opened *changed)
{
	changed->doubt_until = changed->input.doubt_until;
	files->stream->doubt_until = 0;
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].doubt_until > files->stream->doubt_until)
			files->stream->doubt_until = files->items[i].doubt_until;
}

/* Read up to the next record; 1 after a fault. */
static int advance(struct files *files, struct opened *file)
{
	const uint64_t lost = file->input.lost;
	int result = input_next(&file->input, &file->record);

	file->has_record = result > 0;
	files->stream->lost += file->input.lost - lost;
	count_lost_apart(files->stream, file->input.lost - lost,
			 file->has_record ? &file->record : NULL);
	if (file->doubt_until != file->input.doubt_until)
		follow_doubt(files, file);
	if (result > 0)
		return 0;
	return finish(&file->input, result);
}

static struct opened *earliest(struct opened *items, size_t count)
{
	struct opened *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (items[i].has_record &&
		    (!best || items[i].record.sample.time < best->record.sample.time))
			best = &items[i];
	return best;
}

/* All records of these files, by time. */
static int read_merged(struct files *files, struct opened *items, size_t count)
{
	struct opened *next;
	int result, failed = 0;

	for (size_t i = 0; i < count; i++)
		failed |= advance(files, &items[i]);
	while ((next = earliest(items, count))) {
		result = deliver(files->stream, files->sink, &next->record, NULL);
		if (result) {
			files->is_over = 1;
			return failed | (result < 0);
		}
		failed |= advance(files, next);
	}
	return failed;
}

static int read_apart(struct files *files)
{
	int failed = 0;

	for (size_t i = 0; i < files->count && !files->is_over; i++) {
		files->sink->begin_file(files->sink, files->items[i].input.path);
		if (files->items[i].input.kind)
			failed |= read_merged(files, &files->items[i], 1);
		files->sink->end_file(files->sink);
	}
	return failed;
}

static int open_all(struct files *files, char **paths)
{
	int failed = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct input *input = &files->items[i].input;

		if (!input_open(input, paths[i]))
			continue;
		message("cannot read %s: %s", input->shown, input->problem);
		input_close(input);
		failed = 1;
	}
	return failed;
}

static int read_all(struct files *files, char **paths)
{
	int failed = open_all(files, paths);
	size_t opened = 0;

	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].input.kind || files->sink->begin_file) {
			files->stream->opened += !!files->items[i].input.kind;
			files->items[opened++] = files->items[i];
		}
	files->count = opened;
	if (sink_begin(files->sink))
		failed = 1;
	else
		failed |= files->sink->begin_file ? read_apart(files) :
				read_merged(files, files->items, files->count);
	for (size_t i = 0; i < files->count; i++)
		input_close(&files->items[i].input);
	return failed;
}

/* After a fault nothing is closed, as a function may have stopped anywhere. */
static int read_guarded(struct files *files, char **paths)
{
	if (!sigsetjmp(unreadable, 1))
		return read_all(files, paths);
	if (files->sink->drop_part)
		files->sink->drop_part(files->sink);
	message("cannot read all of a file: it became shorter while it was read");
	return 1;
}

/* Times that depend on the recordings. 0, or an exit status after a message. */
static int resolve_times(struct filter *filter, char **paths)
{
	if (sigsetjmp(unreadable, 1)) {
		message("cannot read a file: it became shorter while it was read");
		return EXIT_FAILED;
	}
	if (filter_resolve_times(filter, paths))
		return EXIT_FAILED;
	return filter_is_empty(filter) ? EXIT_WRONG_USAGE : 0;
}

static size_t count_of(char **words, const char *word)
{
	size_t count = 0;

	for (; *words; words++)
		count += !word || !strcmp(*words, word);
	return count;
}

/* Nothing can be answered without events, and none came. */
static int report_empty(const struct files *files)
{
	if (files->stream->sched_records && !files->sink->take_sched)
		return 1; /* report_sched() did */
	for (size_t i = 0; i < files->count; i++) {
		const struct input *input = &files->items[i].input;

		message("cannot %s: %s has no event%s%s", files->stream->verb,
			strcmp(input->path, "-") ? input->shown : "the standard input",
			input->why_empty ? ": " : "; \"userevents doctor\" finds out why none "
						  "came",
			input->why_empty ? input->why_empty : "");
	}
	return 1;
}

/* Whoever recorded them by -e may look for them. */
static void report_sched(const struct files *files)
{
	const uint64_t count = files->stream->sched_records;

	if (count && !files->sink->take_sched)
		message("%llu record%s of the scheduler %s no event%s here; -e 'sched:*' "
			"shows %s.", (unsigned long long)count, PLURAL(count),
			count == 1 ? "is" : "are", PLURAL(count),
			count == 1 ? "it" : "them");
}

static int read_files(struct files *files, char **paths)
{
	struct filter *filter = &files->stream->filter;
	int failed = read_guarded(files, paths);

	failed |= sink_end(files->sink) < 0;
	report_sched(files);
	failed |= failed || filter->read ? filter_report(filter, &files->stream->kinds) :
					   report_empty(files);
	return failed ? EXIT_FAILED : EXIT_ALL_WORKED;
}

int stream_files(struct stream *stream, char **paths, struct sink *sink)
{
	struct files files = { .stream = stream, .sink = sink };
	int status;

	if (count_of(paths, "-") > 1) {
		message("cannot %s: \"-\" is given more than once", stream->verb);
		return EXIT_WRONG_USAGE;
	}
	files.count = count_of(paths, NULL);
	files.items = xcalloc(files.count, sizeof(*files.items));
	signal(SIGBUS, on_fault);
	status = resolve_times(&stream->filter, paths);
	if (!status)
		status = read_files(&files, paths);
	signal(SIGBUS, SIG_DFL);
	free(files.items);
	return status;
}

static int is_lasting(const char *path)
{
	struct stat status;

	return strcmp(path, "-") && !stat(path, &status) && S_ISREG(status.st_mode);
}

int stream_is_lasting(const struct stream *stream, char **arguments)
{
	if (stream->is_run || stream->is_watch)
		return 0;
	while (*arguments && is_lasting(*arguments))
		arguments++;
	return !*arguments;
}

int stream_again(struct stream *stream, char **arguments, struct sink *sink)
{
	const uint64_t lost = stream->lost, events = stream->events;
	FILE *nowhere = fopen("/dev/null", "we");
	int is_same;

	message_divert(nowhere);
	stream_files(stream, arguments, sink);
	message_divert(NULL);
	if (nowhere)
		fclose(nowhere);
	stream->lost = lost;
	is_same = stream->events == 2 * events;
	stream->events = events;
	if (!is_same)
		message("cannot read the files a second time: they have changed meanwhile");
	return is_same ? 0 : -1;
}
