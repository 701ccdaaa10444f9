/* SPDX-License-Identifier: MIT */
/* The tables of top, of events that come a few at a time. */
#include "top_sink.h"

#include <stdlib.h>

#include "../../tools/common/cli/memory.h"
#include "answers/top/top.h"

#define EVENTS_OF_REFRESH 64

struct showing {
	struct sink sink;
	struct top top;
	uint64_t taken;
};

static void refresh(struct top *top)
{
	top->refreshes++;
	collect_refresh(&top->collected, 0.25);
	for (int i = 0; i < VIEWS; i++)
		lines_copy(&top->lines[i], (enum view_kind)i, &top->collected);
	top->total = top->collected.total;
	top->bytes = top->collected.bytes;
}

static int take(struct sink *sink, struct event *event)
{
	struct showing *showing = (struct showing *)sink;

	collect_event(&showing->top.collected, event);
	if (!(++showing->taken % EVENTS_OF_REFRESH))
		refresh(&showing->top);
	return 0;
}

struct sink *top_sink_begin(void)
{
	struct showing *showing = xcalloc(1, sizeof(*showing));

	showing->sink.take = take;
	showing->sink.fd = -1;
	showing->top.source = TOP_RUN;
	showing->top.source_name = "program";
	choices_begin(&showing->top.choices);
	return &showing->sink;
}

static void print(struct top *top)
{
	for (int i = 0; i < VIEWS; i++) {
		top->choices.view = (enum view_kind)i;
		frame_print(top);
	}
}

void top_sink_print(struct sink *sink, int is_json)
{
	struct top *top = &((struct showing *)sink)->top;

	refresh(top);
	if (is_json)
		frame_print_json(top);
	else
		print(top);
	collect_free(&top->collected);
	for (int i = 0; i < VIEWS; i++)
		lines_free(&top->lines[i]);
	bytes_free(&top->text);
	free(sink);
}
