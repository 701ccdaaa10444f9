/* SPDX-License-Identifier: MIT */
/* Reports names in an expression that no event had. */
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"

/* More names are not remembered. */
#define NAMES_MAX 256u

/* Names of fields */

static void add_name(struct where *where, const char *name, size_t length)
{
	const char *attributes = memchr(name, ';', length);

	if (attributes)
		length = (size_t)(attributes - name);
	for (uint32_t i = 0; i < where->name_count; i++)
		if (!strncmp(where->names[i], name, length) && !where->names[i][length])
			return;
	if (where->name_count == NAMES_MAX)
		return;
	where->names = xgrow(where->names, where->name_count, sizeof(*where->names));
	where->names[where->name_count++] = xstrndup(name, length);
}

static void add_format(struct where *where, const struct tracepoint *tracepoint)
{
	if (tracepoint->is_bare)
		return;
	for (uint32_t i = 0; i < tracepoint->format.field_count; i++)
		add_name(where, tracepoint->format.fields[i].name,
			 tracepoint->format.fields[i].name_length);
}

void where_describe(struct where *where, const struct tracepoint *tracepoint)
{
	if (tracepoint->format.is_eventheader) {
		where->has_eventheader = 1;
		return;
	}
	where->has_classic = 1;
	if (where->missing)
		add_format(where, tracepoint);
}

static void add_names(struct where *where, struct event *event)
{
	struct ue_reader reader;

	if (!event->info) {
		add_format(where, event->record->tracepoint);
		return;
	}
	reader = event->reader;
	ue_reader_rewind(&reader);
	while (ue_reader_next_field(&reader) > 0)
		add_name(where, ue_reader_item(&reader)->name,
			 ue_reader_item(&reader)->name_length);
}

static int is_new(struct where *where, const struct event_kind *kind)
{
	const uint32_t number = kind->number;

	if (number >= where->seen_room) {
		const uint32_t room = number * 2 + 64;

		where->seen = xrealloc(where->seen, room);
		memset(where->seen + where->seen_room, 0, room - where->seen_room);
		where->seen_room = room;
	}
	if (where->seen[number])
		return 0;
	where->seen[number] = 1;
	return 1;
}

static int has_it(struct comparison *comparison, struct event *event)
{
	const enum property property = comparison->of_property.property;
	struct value value;

	return comparison_field(comparison, event, &value) ||
	       (property && property_get(property, event, &value, &comparison->field.scratch));
}

void where_look(struct where *where, struct event *event)
{
	for (uint32_t i = 0; i < where->count; i++) {
		struct comparison *comparison = &where->comparisons[i];

		if (comparison->is_found || !has_it(comparison, event))
			continue;
		comparison->is_found = 1;
		where->missing--;
	}
	if (where->missing && is_new(where, event->kind))
		add_names(where, event);
}

/* Sentences */

/* Names of the same struct are reported once. */
static int is_reported(const struct where *where, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		if (!where->comparisons[i].is_found &&
		    !strcmp(where->comparisons[i].field.text,
			    where->comparisons[number].field.text))
			return 1;
	return 0;
}

static void report_field(const struct where *where, const struct comparison *comparison)
{
	const char *text = comparison->field.text, *near;
	char *last = xstrndup(text, strlen(text)), *name = strrchr(last, '.');
	const char *property = property_name(comparison->named);

	name = name ? name + 1 : last;
	name[strcspn(name, "[")] = '\0';
	near = nearest(name, where->names, where->name_count, sizeof(*where->names));
	if (near && !strcmp(near, name))
		near = NULL;
	message("no event has a field \"%s\"%s%s%s%s%s", text,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
		*property ? "; its value is not one of the property " : "", property);
	free(last);
}

static void report(const struct where *where, const struct comparison *comparison)
{
	const enum property property = comparison->of_property.property;

	if (!property)
		report_field(where, comparison);
	else if (property >= PROPERTY_LEVEL)
		message("no event has the property \"%s\", which events of EventHeader "
			"tracepoints have", property_name(property));
	else
		message("no event has the property \"%s\"", property_name(property));
}

int where_report(const struct where *where)
{
	const int knows_names = where->events ||
				(where->has_classic && !where->has_eventheader);

	if (where->is_incomparable)
		message("the times of events cannot be compared with those in the expression: "
			"one is a date, the other seconds of the recording's clock");
	for (uint32_t i = 0; knows_names && i < where->count; i++)
		if (!where->comparisons[i].is_found && !is_reported(where, i))
			report(where, &where->comparisons[i]);
	return where->is_incomparable || (knows_names && where->missing);
}
