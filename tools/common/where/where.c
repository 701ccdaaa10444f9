/* SPDX-License-Identifier: MIT */
/* Evaluates expressions. */
#include "where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "expression.h"

/* Values */

static int order_holds(int order, enum where_operator operator)
{
	switch (operator) {
	case WHERE_EQUAL:
		return order == 0;
	case WHERE_UNEQUAL:
		return order != 0;
	case WHERE_LESS:
		return order < 0;
	case WHERE_AT_MOST:
		return order <= 0;
	case WHERE_GREATER:
		return order > 0;
	default:
		return order >= 0;
	}
}

static int is_nan(const struct value *value)
{
	return value->type == VALUE_FLOAT && isnan(value->number);
}

int number_holds(const struct value *number, enum where_operator operator,
		 const struct value *with)
{
	if (operator == WHERE_BITS)
		return (number->whole & with->whole) != 0;
	/* it has no order, and is equal to the word nan only */
	if (is_nan(number) || is_nan(with))
		return is_nan(number) && is_nan(with) ? operator == WHERE_EQUAL :
							operator == WHERE_UNEQUAL;
	return order_holds(value_compare(number, with), operator);
}

static int is_equality(enum where_operator operator)
{
	return operator == WHERE_EQUAL || operator == WHERE_UNEQUAL;
}

static int bytes_hold(const struct value *value, enum where_operator operator,
		      const void *bytes, size_t length)
{
	return (value->length == length && (!length || !memcmp(value->text, bytes, length))) ==
	       (operator == WHERE_EQUAL);
}

int text_holds(const struct value *value, enum where_operator operator, const char *text,
	       size_t length)
{
	/* as the kernel, whose globs know no NUL */
	if (operator == WHERE_GLOB)
		return text_matches(text, value->text,
				    value->length ? strnlen(value->text, value->length) : 0);
	return bytes_hold(value, operator, text, length);
}

/* Fields */

/* The value of a field; 0 without one. */
static int comparison_field(struct comparison *comparison, struct event *event,
			    struct value *value)
{
	const struct field_step *step = comparison->field.steps;

	/* an event without the bytes "level" has no field of this name: that is found sooner */
	if (!comparison->field.count ||
	    (comparison->named && event->info &&
	     !memmem(event->bytes, event->length, step->name, step->length)))
		return 0;
	return field_get(&comparison->field, event, value);
}

/* Why a value cannot be compared, and the fix; NULL if it can. */
static const char *mismatch(const struct comparison *comparison, const struct value *value)
{
	const struct literal *literal = &comparison->literal;
	const enum where_operator operator = comparison->operator;

	switch (value->type) {
	case VALUE_TEXT:
		if (operator != WHERE_GLOB && literal->number.type > VALUE_BOOLEAN)
			return "write the text in quotes";
		return operator == WHERE_GLOB || is_equality(operator) ? NULL :
			"text is compared with ==, != or ~";
	case VALUE_BYTES:
		if (!is_equality(operator))
			return "bytes are compared with == or !=";
		return literal->is_hex ? NULL : "write the bytes in hex, \"00ff\"";
	case VALUE_COMPOUND:
		return "name an element, as a[0], or a member, as a.b";
	case VALUE_BOOLEAN:
		if (literal->number.type == VALUE_NONE)
			return "write true or false, without quotes";
		return NULL;
	default:
		if (operator == WHERE_GLOB)
			return "~ compares text";
		if (!literal_number(literal, value))
			return value->spelling == SPELT_TIME ? "write seconds since 1970, or a "
							       "date, '2026-01-31T12:00Z'" :
			       value->spelling == SPELT_ERRNO ? errno_hint(literal) :
								number_hint(literal);
		return operator == WHERE_BITS && (value->type == VALUE_FLOAT ||
						  literal_number(literal, value)->type == VALUE_FLOAT) ?
			"& takes whole numbers" : NULL;
	}
}

static const char *type_of(const struct literal *literal, enum where_operator operator)
{
	if (operator == WHERE_GLOB)
		return "a glob";
	return literal->number.type == VALUE_NONE ? "text" :
						    value_type_name(literal->number.type);
}

static int complain(const struct where *where, const struct comparison *comparison,
		    const struct event *event, const struct value *value, const char *fix)
{
	const struct literal *literal = &comparison->literal;
	const char *property = property_name(comparison->named);

	message("cannot compare field \"%s%s\" of %s with %s: it is %s; %s%s%s",
		where_side_text(comparison->side), comparison->field.text, event->kind->shown,
		type_of(literal, comparison->operator), value_type_name(value->type), fix,
		*property ? "; the property is meta." : "", property);
	message_caret(where->text, literal->at);
	return -1;
}

static int field_holds(const struct where *where, const struct comparison *comparison,
		       const struct event *event, const struct value *value)
{
	const struct literal *literal = &comparison->literal;
	const char *fix = literal->is_null ? NULL : mismatch(comparison, value);

	if (literal->is_null)
		return comparison->operator == WHERE_UNEQUAL;
	if (fix)
		return complain(where, comparison, event, value, fix);
	if (value->type == VALUE_TEXT)
		return text_holds(value, comparison->operator, literal->text, literal->length);
	if (value->type == VALUE_BYTES)
		return bytes_hold(value, comparison->operator, literal->hex.at,
				  literal->hex.length);
	return number_holds(value, comparison->operator, literal_number(literal, value));
}

/* Properties */

/* The value becomes PROVIDER:EVENT. */
static void add_group(const struct event_kind *kind, struct value *value,
		      struct bytes *scratch)
{
	scratch->length = 0;
	bytes_put(scratch, kind->group);
	bytes_add(scratch, ":", 1);
	bytes_add(scratch, value->text, value->length);
	value->text = (const char *)scratch->at;
	value->length = scratch->length;
}

/* The time by the clock that is asked for; 0 if the recording does not have that. */
static int take_clock(const struct record *record, const struct property_literal *literal,
		      struct value *time)
{
	if (!record->sample.is_wall_clock == !literal->is_wall_clock)
		return 1;
	if (literal->is_wall_clock || !record->has_clock_time)
		return 0;
	time->whole = record->clock_time;
	return 1;
}

/* 1, 0, or -1 for an event without it. */
static int property_holds(struct where *where, struct comparison *comparison,
			  const struct event *event)
{
	const struct property_literal *literal = &comparison->of_property;
	const enum property property = literal->property;
	struct bytes *scratch = &comparison->field.scratch;
	struct value value;

	if (!property || !property_get(property, event, &value, scratch))
		return -1;
	if (property == PROPERTY_TIME && !take_clock(event->record, literal, &value)) {
		where->is_incomparable = 1;
		return -1;
	}
	if (literal->has_group)
		add_group(event->kind, &value, scratch);
	if (value.type == VALUE_TEXT)
		return literal->value.type == VALUE_TEXT ?
			       text_holds(&value, comparison->operator, literal->value.text,
					  literal->value.length) : -1;
	return value_is_number(&value) && value_is_number(&literal->value) ?
		       number_holds(&value, comparison->operator, &literal->value) : -1;
}

/* All of it */

/* 1, 0, or -1 after a message. */
static int holds(struct where *where, struct comparison *comparison, struct event *event)
{
	struct value value = { .type = VALUE_NONE };
	int result;

	if (comparison_field(comparison, event, &value)) {
		result = field_holds(where, comparison, event, &value);
		return result < 0 ? result : result != comparison->is_negated;
	}
	if (value.is_null && comparison->literal.is_null)
		return (comparison->operator == WHERE_EQUAL) != comparison->is_negated;
	result = property_holds(where, comparison, event);
	return result >= 0 && result != comparison->is_negated;
}

/* Reports names in an expression that no event had. */

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
	struct value value = { .type = VALUE_NONE };

	return comparison_field(comparison, event, &value) || value.is_null ||
	       (property && property_get(property, event, &value, &comparison->field.scratch));
}

/* side: that of the event in a pair. */
static void look(struct where *where, struct event *event, enum where_side side)
{
	for (uint32_t i = 0; i < where->count; i++) {
		struct comparison *comparison = &where->comparisons[i];

		if (comparison->is_found || (comparison->side && comparison->side != side) ||
		    !(comparison->is_duration || has_it(comparison, event)))
			continue;
		comparison->is_found = 1;
		where->missing--;
	}
	if (where->missing && is_new(where, event->kind))
		add_names(where, event);
}

/* Mark names that this event has, and remember those of its fields if some are missing. */
static void where_look(struct where *where, struct event *event)
{
	look(where, event, WHERE_EITHER);
}

static void look_at_pair(struct where *where, const struct where_pair *pair)
{
	look(where, pair->start, WHERE_START);
	if (pair->stop)
		look(where, pair->stop, WHERE_STOP);
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

/* A name of pairs where single events are selected, or of the other event of the pair. */
static const char *pair_hint(const struct where *where, const struct comparison *comparison,
			     int is_name)
{
	const char *text = comparison->field.text;

	if (comparison->side == WHERE_START && is_name)
		return "; stops have it";
	if (comparison->side == WHERE_STOP && is_name)
		return "; starts have it";
	if (!where->is_of_pairs && (!strcmp(text, "duration") || !strncmp(text, "start.", 6) ||
				    !strncmp(text, "stop.", 5)))
		return "; \"latency --where\" selects pairs, by duration and fields of start "
		       "and stop";
	return "";
}

static void report_field(const struct where *where, const struct comparison *comparison)
{
	const char *text = comparison->field.text, *near, *hint;
	char *last = xstrndup(text, strlen(text)), *name = strrchr(last, '.');
	const char *property = property_name(comparison->named);

	name = name ? name + 1 : last;
	name[strcspn(name, "[")] = '\0';
	near = nearest(name, where->names, where->name_count, sizeof(*where->names));
	hint = pair_hint(where, comparison, near && !strcmp(near, name));
	if (near && (*hint || !strcmp(near, name)))
		near = NULL;
	message("no event has a field \"%s%s\"%s%s%s%s%s%s", where_side_text(comparison->side),
		text, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
		*property ? "; its value is not one of the property " : "", property, hint);
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

/* Pairs */

static int complain_about_sides(const struct where *where, const struct comparison *comparison,
				const struct where_pair *pair)
{
	const char *name = comparison->field.text;

	message("cannot compare field \"%s\": %s and %s have different values of it; write "
		"start.%s or stop.%s", name, pair->start->kind->shown, pair->stop->kind->shown,
		name, name);
	message_caret(where->text, comparison->at);
	return -1;
}

/* The event that has the field, or the start: 0, or -1 after a message. */
static int find_side(const struct where *where, struct comparison *comparison,
		     const struct where_pair *pair, struct event **event)
{
	struct value of_start, of_stop;
	AUTO_FREE char *text = NULL;
	int is_equal;

	*event = comparison->side == WHERE_STOP ? pair->stop : pair->start;
	if (comparison->side || !pair->stop ||
	    !comparison_field(comparison, pair->stop, &of_stop))
		return 0;
	*event = pair->stop;
	/* texts may be in memory of the field that is used again */
	text = of_stop.length ? xstrndup(of_stop.text, of_stop.length) : NULL;
	of_stop.text = text;
	is_equal = !comparison_field(comparison, pair->start, &of_start) ||
		   !value_compare(&of_start, &of_stop);
	return is_equal ? 0 : complain_about_sides(where, comparison, pair);
}

static int holds_of_pair(struct where *where, struct comparison *comparison,
			 const struct where_pair *pair)
{
	const struct value duration = { .type = VALUE_SIGNED, .whole = pair->duration };
	struct event *event;

	if (comparison->is_duration)
		return pair->has_duration &&
		       number_holds(&duration, comparison->operator,
				    &comparison->of_property.value) != comparison->is_negated;
	if (find_side(where, comparison, pair, &event))
		return -1;
	return event ? holds(where, comparison, event) : 0;
}

/* Whether the pair passes or, if pair is NULL, the event; -1 after a message. */
static int passes(struct where *where, struct event *event, const struct where_pair *pair)
{
	uint32_t at = 0;

	while (at < WHERE_FAILS) {
		struct comparison *comparison = &where->comparisons[at];
		const int result = pair ? holds_of_pair(where, comparison, pair) :
					  holds(where, comparison, event);

		if (result < 0)
			return -1;
		at = comparison->on[result];
	}
	return at == WHERE_PASSES;
}

int where_passes(struct where *where, struct event *event)
{
	where->events++;
	if (where->missing)
		where_look(where, event);
	return passes(where, event, NULL);
}

int where_passes_pair(struct where *where, const struct where_pair *pair)
{
	where->events++;
	if (where->missing)
		look_at_pair(where, pair);
	return passes(where, NULL, pair);
}
