/* SPDX-License-Identifier: MIT */
/* Finds the fields and the keys of a synthetic event in the two events that it is made of. */
#include "synth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

int wish_refuse(const struct synth_wish *wish, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	message("cannot create %s: %s", wish->name, text);
	return -1;
}

/* Fields */

static int complain_of_field(const struct pair_parts *parts, const struct listed_event *event,
			     const char *name)
{
	struct words names = { 0 };
	const char *near;

	event_field_names(event, &names);
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	if (near)
		return wish_refuse(parts->wish, "%s:%s has no field \"%s\"; did you mean \"%s\"?",
			      event->system, event->name, name, near);
	return wish_refuse(parts->wish, "%s:%s has no field \"%s\"", event->system, event->name,
		      name);
}

/* Find a field that histograms can copy. */
int pair_parts_find(const struct pair_parts *parts, const struct listed_event *event,
		    const char *name, struct event_field *field)
{
	if (event_field_find(event, name, field))
		return complain_of_field(parts, event, name);
	if (field->kind == FIELD_OTHER)
		return wish_refuse(parts->wish, "the field \"%s\" of %s:%s is neither a "
			      "number nor a text, and the kernel copies nothing else", name,
			      event->system, event->name);
	if (field->kind == FIELD_TEXT && !event_field_text_works(event))
		return wish_refuse(parts->wish, "the field \"%s\" of %s:%s is a text, which this "
			      "kernel does not know of user events; Linux 6.4 does", name,
			      event->system, event->name);
	return 0;
}

/* A name without "from." or "to.", which neither event has. */
static int complain_of_both(const struct pair_parts *parts, const char *name)
{
	struct words names = { 0 };
	const char *near;

	words_add(&names, "elapsed");
	event_field_names(parts->from, &names);
	event_field_names(parts->to, &names);
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	return wish_refuse(parts->wish, "neither %s:%s nor %s:%s has a field \"%s\"%s%s%s",
			   parts->from->system, parts->from->name, parts->to->system,
			   parts->to->name, name, near ? "; did you mean \"" : "",
			   near ? near : "", near ? "\"?" : "");
}

static int is_in(const struct listed_event *event, const char *name)
{
	struct event_field field;

	return !event_field_find(event, name, &field);
}

#define ELAPSED "elapsed"

/* The kernel has one unit for a histogram, so two would be printed in the same one. */
static int check_unit(const struct pair_parts *parts, enum part_source source)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->items[i].source >= NANOSECONDS && parts->items[i].source != source)
			return wish_refuse(parts->wish, "the kernel measures one event either "
					   "in elapsed.ns or in elapsed.us, not in both");
	return 0;
}

static int find_elapsed(const struct pair_parts *parts, const char *unit, struct part *part)
{
	if (!*unit || !strcmp(unit, ".ns"))
		part->source = NANOSECONDS;
	else if (!strcmp(unit, ".us"))
		part->source = MICROSECONDS;
	else
		return wish_refuse(parts->wish, "\"" ELAPSED "%s\" has no unit of the kernel; write "
			      ELAPSED ".ns or " ELAPSED ".us", unit);
	part->type = (struct event_field){ .size = 8 };
	return check_unit(parts, part->source);
}

/* An expression: elapsed.us, from.FIELD, to.FIELD, or FIELD of the stop or else the start. */
static int find_source(const struct pair_parts *parts, const char *text, struct part *part)
{
	const size_t length = strlen(ELAPSED);

	if (!strncmp(text, ELAPSED, length) && (!text[length] || text[length] == '.'))
		return find_elapsed(parts, text + length, part);
	part->source = !is_in(parts->to, text) && is_in(parts->from, text) ? FROM : TO;
	part->field = text;
	if (!strncmp(text, "from.", 5) || !strncmp(text, "to.", 3)) {
		part->source = *text == 'f' ? FROM : TO;
		part->field = strchr(text, '.') + 1;
	} else if (!is_in(parts->from, text) && !is_in(parts->to, text)) {
		return complain_of_both(parts, text);
	}
	return pair_parts_find(parts, part->source == FROM ? parts->from : parts->to, part->field,
		    &part->type);
}

static const char *type_of(const struct event_field *field, char text[12])
{
	if (field->kind == FIELD_TEXT)
		return "char";
	snprintf(text, 12, "%c%u", field->is_signed ? 's' : 'u', field->size * 8);
	return text;
}

/* The kernel takes two fields of one name, also of one of its own, and reads one. */
static int check_name(const struct pair_parts *parts, const char *name)
{
	if (!strncmp(name, "common_", strlen("common_")))
		return wish_refuse(parts->wish,
				   "the field's name \"%s\" begins with \"common_\", "
				   "as those of the kernel do",
				   name);
	for (size_t i = 0; i < parts->count; i++)
		if (!strcmp(parts->items[i].name, name))
			return wish_refuse(parts->wish, "two fields are called \"%s\"",
					   name);
	return 0;
}

/* word: NAME=EXPRESSION, or an expression that names the field. */
static int add_part(struct pair_parts *parts, const char *word)
{
	const char *equals = strchr(word, '='), *expression = equals ? equals + 1 : word;
	const char *dot = strchr(expression, '.');
	struct part part = { .source = TO };
	int result;

	if (find_source(parts, expression, &part))
		return -1;
	if (equals)
		part.name = xstrndup(word, (size_t)(equals - word));
	else if (part.field)
		part.name = xstrdup(part.field);
	else
		part.name = xstrndup(word, dot ? (size_t)(dot - word) : strlen(word));
	result = check_name(parts, part.name);
	parts->items = xgrow(parts->items, parts->count, sizeof(part));
	parts->items[parts->count++] = part;
	return result;
}

static int add_parts(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->wish->fields.count; i++)
		if (add_part(parts, parts->wish->fields.items[i]))
			return -1;
	return 0;
}

char *pair_parts_definition(const struct pair_parts *parts)
{
	char *text = xstrdup(parts->wish->name), type[12];

	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];

		xappend(&text, "%s %s %s%s", i ? ";" : "", type_of(&part->type, type),
			part->name, part->type.kind == FIELD_TEXT ? "[]" : "");
	}
	return text;
}

/* Keys */

static int add_key(struct pair_parts *parts, const char *word)
{
	const char *equals = strchr(word, '=');
	AUTO_FREE char *from =
		equals ? xstrndup(word, (size_t)(equals - word)) : xstrdup(word);
	const char *to = equals ? equals + 1 : word;
	struct event_field a, b;
	int result = pair_parts_find(parts, parts->from, from, &a) ||
		     pair_parts_find(parts, parts->to, to, &b);

	if (!result && (a.kind != b.kind || (a.kind == FIELD_NUMBER && a.size != b.size) ||
			a.is_signed != b.is_signed))
		result = wish_refuse(parts->wish, "the key \"%s\" has different types in the two "
				"events, so the kernel finds no pair", word);
	xappend(&parts->keys[0], "%s%s", parts->keys[0] ? "," : "", from);
	xappend(&parts->keys[1], "%s%s", parts->keys[1] ? "," : "", to);
	return result ? -1 : 0;
}

static int add_keys(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->wish->keys.count; i++)
		if (add_key(parts, parts->wish->keys.items[i]))
			return -1;
	return 0;
}

int pair_parts_make(struct pair_parts *parts)
{
	return add_parts(parts) || add_keys(parts) ? -1 : 0;
}

void pair_parts_free(struct pair_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free(parts->items[i].name);
	free(parts->items);
	free(parts->keys[0]);
	free(parts->keys[1]);
}
