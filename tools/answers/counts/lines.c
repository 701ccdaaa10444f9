/* SPDX-License-Identifier: MIT */
/* Prints each event. */
#include "context.h"

static struct printer *of(struct sink *sink)
{
	return &((struct lines *)sink)->printer;
}

static int begin(struct sink *sink)
{
	printer_begin(of(sink));
	return 0;
}

static int take(struct sink *sink, struct event *event)
{
	return printer_print(of(sink), event->record, event->info ? &event->reader : NULL);
}

/* Write the text before waiting for more events; without a reader, end. */
static int flush(struct sink *sink)
{
	return printer_flush(of(sink));
}

static void begin_file(struct sink *sink, const char *path)
{
	printer_begin_file(of(sink), path);
}

static void end_file(struct sink *sink)
{
	printer_end_file(of(sink));
}

static void drop_part(struct sink *sink)
{
	printer_drop_part(of(sink));
}

static int end(struct sink *sink)
{
	int failed = printer_end(of(sink));

	return printer_report(of(sink)) || failed ? -1 : 0;
}

void lines_gap(struct sink *sink)
{
	printer_gap(of(sink));
}

int lines_init(struct lines *lines, const struct print_options *options)
{
	*lines = (struct lines){
		.sink = { .begin = begin, .take = take, .wait = flush,
			  .drop_part = drop_part, .end = end },
	};
	if (print_options_apply(options, &lines->printer))
		return -1;
	if (lines->printer.format == PRINT_PERF_DECODE) {
		lines->sink.begin_file = begin_file;
		lines->sink.end_file = end_file;
	}
	return 0;
}
