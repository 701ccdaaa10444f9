/* SPDX-License-Identifier: MIT */
/* Reads both sides of a comparison: two recordings, or two parts of the same events. */
#include <inttypes.h>

#include "common/cli/message.h"
#include "common/where/where.h"
#include "compare.h"

struct sides {
	struct sink sink;
	struct comparison comparison;
	const struct compare_options *options;
	struct stream *stream;
	const struct usage *usage;
	int side; /* of the file that is read */
	struct where *split; /* or NULL */
	/* The field that is compared */
	struct named_events events;
	struct asked_field field;
	uint64_t not_numbers;
};

/* 0 or 1; -1 after a message. */
static int side_of(struct sides *sides, struct event *event)
{
	return sides->split ? where_passes(sides->split, event) : sides->side;
}

int compare_read(const struct compare_options *options, const struct stream *stream,
		 const struct usage *usage, char **arguments, const char *names[2],
		 compare_reader *read, void *context)
{
	int status = EXIT_ALL_WORKED;
	uint64_t events = 0;

	names[0] = "OTHERS";
	names[1] = options->split;
	if (options->split && options->is_compared)
		return options_complain(usage, "--compare and --split exclude each other");
	if (options->split)
		return read(context, COMPARE_SPLIT, arguments);
	if (stream->is_run || stream->is_watch || !arguments[0] || !arguments[1] || arguments[2])
		return options_complain(usage, "--compare takes two recordings, BEFORE and AFTER");
	for (int side = 0; side < 2 && status != EXIT_WRONG_USAGE; side++) {
		char *file[] = { arguments[side], NULL };
		const int one = read(context, side, file);

		status = status ? status : one;
		if (one && stream->events == events) { /* it was not read */
			names[1] = NULL;
			return one;
		}
		names[side] = file[0];
		events = stream->events;
	}
	return status;
}

int compare_stream(struct stream *stream, const struct usage *usage, int side, char **files,
		   struct sink *sink)
{
	return side == 1 ? stream_files(stream, files, sink) :
			   stream_read(stream, usage, files, sink);
}

static int read_events(void *context, int side, char **files)
{
	struct sides *sides = context;
	int status;

	sides->side = side;
	sides->comparison.is_split = side == COMPARE_SPLIT;
	if (side == COMPARE_SPLIT) {
		sides->split = where_parse(sides->options->split);
		if (!sides->split)
			return EXIT_WRONG_USAGE;
	}
	status = compare_stream(sides->stream, sides->usage, side, files, &sides->sink);
	if (sides->split && status != EXIT_WRONG_USAGE && where_report(sides->split) && !status)
		status = EXIT_FAILED;
	return status;
}

static void free_sides(struct sides *sides)
{
	comparison_free(&sides->comparison);
	where_free(sides->split);
	named_events_free(&sides->events);
	asked_field_free(&sides->field);
}

/* Events by name */

static int take_event(struct sink *sink, struct event *event)
{
	struct sides *sides = (struct sides *)sink;
	const int side = side_of(sides, event);

	if (side < 0)
		return -1;
	comparison_count(&sides->comparison, comparison_row(&sides->comparison, event->kind), side,
			 event->record);
	return 0;
}

int compare_events(const struct compare_options *options, struct stream *stream,
		   const struct usage *usage, char **arguments)
{
	struct sides sides = { .sink = { .take = take_event }, .options = options,
			       .stream = stream, .usage = usage };
	const char *names[2];
	const int status = compare_read(options, stream, usage, arguments, names, read_events, &sides);

	if (names[1] && sides.comparison.count && options->form)
		comparison_print_form(&sides.comparison, names, options->form);
	else if (names[1] && sides.comparison.count)
		comparison_put_events(&sides.comparison, names);
	free_sides(&sides);
	return status;
}

/* Values of a field */

static int take_value(struct sink *sink, struct event *event)
{
	struct sides *sides = (struct sides *)sink;
	struct value value;
	int side;

	if (!named_events_has(&sides->events, event->kind) ||
	    !asked_field_get(&sides->field, event, &value))
		return 0;
	if (!value_is_number(&value)) {
		sides->not_numbers++;
		return 0;
	}
	side = side_of(sides, event);
	if (side < 0)
		return -1;
	comparison_value(&sides->comparison, comparison_row(&sides->comparison, NULL), side,
			 event->record, &value);
	return 0;
}

/* Messages; 1 if there is no number. */
static int report(const struct sides *sides, const struct event_kinds *kinds)
{
	if (named_events_report(&sides->events, kinds, "--where, -e and the times") ||
	    asked_field_report(&sides->field))
		return 1;
	if (!sides->comparison.count)
		message("cannot compare %s: it is no number, or not finite",
			sides->field.field.text);
	else if (sides->field.missing || sides->not_numbers)
		message("%" PRIu64 " event%s left out: they do not have the field %s, or no number "
			"in it", sides->field.missing + sides->not_numbers,
			sides->field.missing + sides->not_numbers == 1 ? " is" : "s are",
			sides->field.field.text);
	return !sides->comparison.count;
}

int compare_field(const struct compare_options *options, struct stream *stream,
		  const struct usage *usage, char **arguments)
{
	struct sides sides = { .sink = { .take = take_value }, .options = options,
			       .stream = stream, .usage = usage };
	const char *names[2];
	int status;

	named_events_begin(&sides.events, arguments[0]);
	if (asked_field_parse(&sides.field, arguments[1]))
		return EXIT_WRONG_USAGE;
	status = compare_read(options, stream, usage, arguments + 2, names, read_events, &sides);
	if (status != EXIT_WRONG_USAGE && stream->events && report(&sides, &stream->kinds))
		status = EXIT_FAILED;
	if (names[1] && sides.comparison.count && options->form)
		comparison_print_form(&sides.comparison, names, options->form);
	else if (names[1] && sides.comparison.count)
		comparison_put_values(&sides.comparison, names, UNIT_NONE);
	free_sides(&sides);
	return status;
}
