/* SPDX-License-Identifier: MIT */
/* Makes histograms of a field. */
#include "field_hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/text/json_text.h"

static int take(struct sink *sink, struct event *event)
{
	struct field_hist *hist = (struct field_hist *)sink;
	struct value number, group = { .type = VALUE_NONE };

	if (!named_events_has(&hist->events, event->kind) ||
	    !asked_field_get(&hist->field, event, &number))
		return 0;
	if (!value_is_number(&number)) {
		hist->not_numbers++;
		hist->type = number.type;
		return 0;
	}
	if (hist->set.by)
		asked_field_get(hist->set.by, event, &group);
	histogram_add(histogram_set_find(&hist->set, &group), &number);
	return 0;
}

void field_hist_begin(struct field_hist *hist, const char *event)
{
	*hist = (struct field_hist){ .sink = { .take = take } };
	named_events_begin(&hist->events, event);
}

/* Without a number there is no histogram. */
static int complain(const struct field_hist *hist, const struct event_kinds *kinds)
{
	const char *field = hist->field.field.text;

	if (named_events_report(&hist->events, kinds) || asked_field_report(&hist->field))
		return 1;
	if (hist->not_numbers)
		message("cannot make a histogram of %s: it is %s, not a number, in %" PRIu64
			" of the events that have it; \"userevents stat --by %s\" counts "
			"its values",
			field, value_type_name(hist->type), hist->not_numbers, field);
	else
		message("cannot make a histogram of %s: it is not finite in any of %" PRIu64
			" event%s", field, hist->field.found,
			hist->field.found == 1 ? "" : "s");
	return 1;
}

static void put_left_out(uint64_t count, const char *why, struct bytes *to)
{
	char text[100];

	if (count)
		bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "  %" PRIu64
						     " event%s left out: %s\n", count,
						     count == 1 ? "" : "s", why));
}

static void put_text(const struct field_hist *hist, uint64_t not_finite, struct bytes *to)
{
	struct value event = { .type = VALUE_TEXT, .text = hist->events.globs.items[0] };

	event.length = strlen(event.text);
	value_put(&event, to);
	bytes_add(to, " ", 1);
	bytes_add(to, hist->field.field.text, strlen(hist->field.field.text));
	bytes_add(to, "\n", 1);
	put_left_out(hist->field.missing, "they do not have the field", to);
	put_left_out(hist->not_numbers, "it is not a number", to);
	put_left_out(not_finite, "it is infinite, or not a number (nan)", to);
	histogram_set_put(&hist->set, UNIT_NONE, to);
}

static void put_json(const struct field_hist *hist, uint64_t not_finite, struct bytes *to)
{
	json_open(to, NULL, '{');
	json_string(to, "event", hist->events.globs.items[0]);
	json_string(to, "field", hist->field.field.text);
	json_count(to, "missing", hist->field.missing);
	json_count(to, "notNumbers", hist->not_numbers);
	json_count(to, "notFinite", not_finite);
	histogram_set_json(&hist->set, to);
	json_close(to, '}');
	bytes_add(to, "\n", 1);
}

int field_hist_print(const struct field_hist *hist, const struct event_kinds *kinds,
		     int is_json)
{
	struct histogram sum = histogram_set_sum(&hist->set);
	const uint64_t not_finite = sum.not_finite, count = sum.count;
	struct bytes out = { .length = 0 };

	histogram_free(&sum);
	if (!count)
		return complain(hist, kinds);
	if (is_json)
		put_json(hist, not_finite, &out);
	else
		put_text(hist, not_finite, &out);
	bytes_print(&out);
	bytes_free(&out);
	histogram_set_report(&hist->set);
	return 0;
}

void field_hist_free(struct field_hist *hist)
{
	named_events_free(&hist->events);
	asked_field_free(&hist->field);
	histogram_set_free(&hist->set);
}
