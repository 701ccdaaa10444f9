/* SPDX-License-Identifier: MIT */
/*
 * Parses the files "hist" of events.
 *
 * The kernel puts texts of events there as they are, so a text may look like any part of the
 * file. A wrong text then shows in the place of a right one, but nothing worse happens.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "kernel/tracefs/hist_file.h"
#include "synth.h"

struct reading {
	struct tracepoint *event;
	const char *trigger;
	char *followed;	    /* the field that max and change follow; NULL: a time */
	struct hist_state *state;
};

/* Numbers */

/* The kernel prints all numbers unsigned. */
static char *number_text(const struct reading *reading, const char *name, const char *text)
{
	struct event_field field;

	if (name && !event_field_of(reading->event, name, &field) &&
	    field.kind == FIELD_NUMBER && field.is_signed)
		return xprintf("%lld", (long long)strtoull(text, NULL, 10));
	return xstrdup(text);
}

static int is_number(const struct reading *reading, const char *name, const char *text)
{
	struct event_field field;

	return !event_field_of(reading->event, name, &field) &&
	       field.kind == FIELD_NUMBER && *text && !text[strspn(text, "-0123456789")];
}

/* A text without the blanks around it. */
static char *trimmed(const char *text, size_t length)
{
	while (length && isspace((unsigned char)*text))
		text++, length--;
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return xstrndup(text, length);
}

static char *value_text(const struct reading *reading, const char *name, const char *text,
			size_t length)
{
	AUTO_FREE char *value = trimmed(text, length);

	return number_text(reading, name, value);
}

/* The trigger's parts */

/* The text of a list behind a word, such as "keys=", and its length; 0: there is none. */
static size_t list_of(const char *trigger, const char *word, const char *end,
		      const char **list)
{
	const char *at = strstr(trigger, word);

	*list = at ? at + strlen(word) : "";
	return strcspn(*list, end);
}

/* The field behind the variable in "onmax($VARIABLE)". */
static char *find_followed(const char *trigger)
{
	const char *variable, *assigned, *field;
	size_t length = list_of(trigger, "onmax($", ")", &variable);
	AUTO_FREE char *assignment;

	if (!length)
		length = list_of(trigger, "onchange($", ")", &variable);
	assignment = xprintf("%.*s=", (int)length, variable);
	length = length ? list_of(trigger, assignment, ",:", &field) : 0;
	assigned = length ? field : "";
	return xstrndup(assigned, length);
}

/* Lines */

static void add_field(const struct reading *reading, struct saved_value *saved,
		      const char *name, const char *value, size_t length)
{
	struct saved_field field = { .name = xstrdup(name) };

	field.value = value_text(reading, name, value, length);
	field.is_number = is_number(reading, name, field.value);
	saved->fields = xgrow(saved->fields, saved->count, sizeof(field));
	saved->fields[saved->count++] = field;
}

/* Split "NAME: VALUE  NAME: VALUE" by the names of a list, "NAME,NAME". */
static void split(const struct reading *reading, const char *text, const char *names,
		  size_t names_length, struct saved_value *saved)
{
	char *list = xstrndup(names, names_length), *rest = list, *name;
	const char *value = text;

	while (value && (name = strsep(&rest, ","))) {
		AUTO_FREE char *label = xprintf("%.*s:", (int)strcspn(name, "."), name),
			       *next = NULL;
		const char *at = strstr(value, label), *end = NULL;

		if (at && rest)
			next = xprintf(" %.*s:", (int)strcspn(rest, ".,"), rest);
		value = at ? at + strlen(label) : NULL;
		end = next ? strstr(value, next) : NULL;
		if (!value)
			break;
		add_field(reading, saved, name, value,
			  end ? (size_t)(end - value) : strlen(value));
	}
	free(list);
}

static void free_fields(struct saved_value *saved)
{
	for (size_t i = 0; i < saved->count; i++) {
		free(saved->fields[i].name);
		free(saved->fields[i].value);
	}
	free(saved->fields);
	saved->fields = NULL;
	saved->count = 0;
}

/* "id:   1, shard:   2" as "id=1, shard=2". */
static char *key_text(const struct reading *reading, const char *text, size_t length)
{
	const char *keys;
	size_t keys_length = list_of(reading->trigger, "keys=", ":", &keys);
	struct saved_value fields = { 0 };
	char *copy = xstrndup(text, length), *key = xstrdup("");

	split(reading, copy, keys, keys_length, &fields);
	for (size_t i = 0; i < fields.count; i++) {
		char *value = fields.fields[i].value, *shown;
		size_t end = strlen(value);

		if (i + 1 < fields.count && end && value[end - 1] == ',')
			end--;
		value[end] = '\0';
		shown = value_text(reading, fields.fields[i].name, value, end);
		xappend(&key, "%s%s=%s", i ? ", " : "", fields.fields[i].name, shown);
		free(shown);
	}
	free_fields(&fields);
	free(copy);
	return key;
}

/* A line "\tmax: VALUE  NAME: VALUE" below the entry of a key. */
static void add_saved(struct reading *reading, const char *key, const char *line)
{
	const char *value = strchr(line, ':') + 1, *names;
	size_t length = list_of(reading->trigger, ".save(", ")", &names), digits;
	struct hist_state *state = reading->state;
	struct saved_value saved = { .key = xstrdup(key) };

	value += strspn(value, " ");
	digits = strcspn(value, " ");
	saved.value = value_text(reading, reading->followed, value, digits);
	split(reading, value + digits, names, length, &saved);
	state->saved = xgrow(state->saved, state->saved_count, sizeof(*state->saved));
	state->saved[state->saved_count++] = saved;
}

static int is_saved_line(const char *line)
{
	return !strncmp(line, "\tmax:", strlen("\tmax:")) ||
	       !strncmp(line, "\tchanged:", strlen("\tchanged:"));
}

#define TRIGGERED "\ttriggered by event with key: { "

/* It stands behind the value, in the same line. */
static void take_snapshot(struct reading *reading, const char *line)
{
	const char *key = strstr(line, TRIGGERED) + strlen(TRIGGERED), *end = strstr(key, " }");

	free(reading->state->snapshot);
	reading->state->snapshot = key_text(reading, key,
					    end ? (size_t)(end - key) : strlen(key));
}

static char *take_line(struct hist_text *text)
{
	const char *begin = text->at;
	const char *end = memchr(begin, '\n', (size_t)(text->end - begin));

	text->at = end ? end + 1 : text->end;
	return xstrndup(begin, (size_t)((end ? end : text->end) - begin));
}

static void take_entries(struct reading *reading, struct hist_text text)
{
	struct hist_text keys;
	char *key = NULL, *line;
	uint64_t hits;

	while (text.at < text.end) {
		if (!hist_entry_take(&text, &keys, &hits)) {
			free(key);
			key = key_text(reading, keys.at, (size_t)(keys.end - keys.at));
			continue;
		}
		line = take_line(&text);
		if (key && is_saved_line(line)) {
			/* each action of the trigger repeats the line */
			add_saved(reading, key, line);
			free(key);
			key = NULL;
		} else if (strstr(line, TRIGGERED)) {
			take_snapshot(reading, line);
		}
		free(line);
	}
	free(key);
}

static const char *handler(const char *trigger)
{
	if (strstr(trigger, ":onmax("))
		return "max";
	return strstr(trigger, ":onchange(") ? "change" : "match";
}

static int by_value(const void *a, const void *b)
{
	const struct saved_value *x = a, *y = b;
	unsigned long long of_x = strtoull(x->value, NULL, 10);
	unsigned long long of_y = strtoull(y->value, NULL, 10);

	return of_x == of_y ? strcmp(x->key, y->key) : of_x < of_y ? 1 : -1;
}

void hist_state_parse(const char *trigger, const char *text, char *format,
		      struct hist_state *state)
{
	struct reading reading = {
		.event = tracepoint_new("", NULL, format, format ? strlen(format) : 0,
					HOST_IS_BIG_ENDIAN),
		.trigger = trigger,
		.followed = find_followed(trigger), .state = state,
	};
	struct hist_text entries;
	struct hist_table totals;

	*state = (struct hist_state){ .on = xstrdup(handler(trigger)) };
	if (!hist_file_find(text, trigger, &entries, &totals))
		take_entries(&reading, entries);
	state->hits = totals.hits;
	state->entries = totals.lines;
	state->dropped = totals.dropped;
	if (state->saved_count)
		qsort(state->saved, state->saved_count, sizeof(*state->saved), by_value);
	free(reading.followed);
	tracepoint_free(reading.event);
}

void hist_state_read(const struct found_trigger *trigger, struct hist_state *state)
{
	AUTO_FREE char *hist = xprintf("%s/hist", trigger->directory),
		       *text = read_file(hist, NULL);
	AUTO_FREE char *path = xprintf("%s/format", trigger->directory);
	AUTO_FREE char *format = read_file(path, NULL);

	hist_state_parse(trigger->text, text ? text : "", format, state);
}

void hist_state_free(struct hist_state *state)
{
	for (size_t i = 0; i < state->saved_count; i++) {
		free(state->saved[i].key);
		free(state->saved[i].value);
		free_fields(&state->saved[i]);
	}
	free(state->saved);
	free(state->on);
	free(state->snapshot);
	*state = (struct hist_state){ 0 };
}
