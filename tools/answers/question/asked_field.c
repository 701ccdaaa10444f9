/* SPDX-License-Identifier: MIT */
/* Reads a field of events, and knows similar names if there is no such field. */
#include "asked_field.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"

int asked_field_parse(struct asked_field *asked, const char *text)
{
	*asked = (struct asked_field){ .found = 0 };
	return field_parse_word(&asked->field, text);
}

/* Names of fields, with structs around them: "client.port" */

static void add_name(struct asked_field *asked, const char *name, size_t length)
{
	if (asked->name_count >= FIELD_NAMES_MAX)
		return;
	asked->names = xgrow(asked->names, asked->name_count, sizeof(*asked->names));
	asked->names[asked->name_count++] = xstrndup(name, length);
}

static void add_classic(struct asked_field *asked, const struct tracepoint *tracepoint)
{
	const struct ue_record_layout *format = &tracepoint->format;

	for (uint32_t i = 0; i < format->field_count; i++)
		add_name(asked, format->fields[i].name, format->fields[i].name_length);
}

#define PATH_MAX_LENGTH 256

struct path {
	char text[PATH_MAX_LENGTH];
	size_t length;
	size_t lengths[UE_READER_DEPTH_MAX + 1]; /* at each depth */
};

/* Append a name without attributes; 0 if it is too long. */
static int extend(struct path *path, const struct ue_item *item)
{
	const char *end = memchr(item->name, ';', item->name_length);
	const size_t length = end ? (size_t)(end - item->name) : item->name_length;

	path->length = path->lengths[item->depth];
	if (path->length + length + 2 > sizeof(path->text))
		return 0;
	if (path->length)
		path->text[path->length++] = '.';
	memcpy(path->text + path->length, item->name, length);
	path->length += length;
	return 1;
}

/* Elements of arrays have no name of their own. */
static void add_eventheader(struct asked_field *asked, struct ue_reader *reader)
{
	const struct ue_item *item = ue_reader_item(reader);
	struct path path = { .length = 0 };
	int kind;

	ue_reader_rewind(reader);
	kind = ue_reader_next(reader);
	while (kind > 0) {
		const int is_named = kind != UE_ITEM_STRUCT_END && kind != UE_ITEM_ARRAY_END &&
				     item->depth < UE_READER_DEPTH_MAX && extend(&path, item);

		if (is_named)
			add_name(asked, path.text, path.length);
		if (is_named && kind == UE_ITEM_STRUCT_BEGIN)
			path.lengths[item->depth + 1] = path.length;
		kind = kind == UE_ITEM_ARRAY_BEGIN || (kind == UE_ITEM_STRUCT_BEGIN && !is_named) ?
			       ue_reader_next_sibling(reader) : ue_reader_next(reader);
	}
}

static void learn_names(struct asked_field *asked, struct event *event)
{
	const uint32_t number = event->kind->number, old = asked->kinds;

	if (number >= old) {
		asked->kinds = number < 32 ? 64 : number * 2;
		asked->is_known = xrealloc(asked->is_known, asked->kinds);
		memset(asked->is_known + old, 0, asked->kinds - old);
	}
	if (asked->is_known[number])
		return;
	asked->is_known[number] = 1;
	if (event->info)
		add_eventheader(asked, &event->reader);
	else if (!event->record->tracepoint->is_bare)
		add_classic(asked, event->record->tracepoint);
}

int asked_field_get(struct asked_field *asked, struct event *event, struct value *value)
{
	if (field_get(&asked->field, event, value)) {
		asked->found++;
		return 1;
	}
	asked->missing++;
	learn_names(asked, event);
	return 0;
}

static const char *nearest_name(const struct asked_field *asked)
{
	const char *near = nearest(asked->field.text, asked->names, asked->name_count,
				   sizeof(*asked->names));

	/* null in all events */
	return near && !strcmp(near, asked->field.text) ? NULL : near;
}

int asked_field_report(const struct asked_field *asked)
{
	const char *near = nearest_name(asked);

	if (asked->found || !asked->missing)
		return 0;
	message("cannot use the field %s: none of %llu event%s has a value of it%s%s%s",
		asked->field.text, (unsigned long long)asked->missing,
		asked->missing == 1 ? "" : "s", near ? "; did you mean \"" : "",
		near ? near : "", near ? "\"?" : "");
	return 1;
}

void asked_field_free(struct asked_field *asked)
{
	for (uint32_t i = 0; i < asked->name_count; i++)
		free(asked->names[i]);
	free(asked->names);
	free(asked->is_known);
	field_free(&asked->field);
	*asked = (struct asked_field){ .found = 0 };
}

/* Recognizes events whose name matches a glob. */

void named_events_begin(struct named_events *named, const char *glob)
{
	*named = (struct named_events){ .found = 0 };
	words_add(&named->globs, glob);
}

static int8_t *match_of(struct named_events *named, uint32_t number)
{
	const uint32_t old = named->kinds;

	if (number >= old) {
		named->kinds = number < 32 ? 64 : number * 2;
		named->matches = xrealloc(named->matches, named->kinds);
		memset(named->matches + old, 0, named->kinds - old);
	}
	return &named->matches[number];
}

int named_events_has(struct named_events *named, const struct event_kind *kind)
{
	int8_t *match = match_of(named, kind->number);

	if (!*match)
		*match = event_kind_matches(kind, &named->globs) ? 1 : -1;
	named->found += *match > 0;
	return *match > 0;
}

/* Kinds of events that did not pass the filter are known, too. */
static int is_any(const struct event_kinds *kinds, const struct words *globs)
{
	for (uint32_t i = 0; i < kinds->count; i++)
		if (event_kind_matches(kinds->items[i], globs))
			return 1;
	return 0;
}

int named_events_report(const struct named_events *named, const struct event_kinds *kinds,
			const char *filters)
{
	const char *glob = named->globs.items[0];
	const char *near = named->found ? NULL : event_kinds_nearest(kinds, glob);

	if (named->found)
		return 0;
	if (is_any(kinds, &named->globs))
		message("cannot use an event \"%s\": there are such, and none passes %s", glob,
			filters);
	else if (near)
		message("cannot find an event \"%s\": there is none; did you mean \"%s\"?", glob,
			near);
	else
		message("cannot find an event \"%s\": there is none; \"userevents stat\" lists "
			"those that are there", glob);
	return 1;
}

void named_events_free(struct named_events *named)
{
	free(named->globs.items);
	free(named->matches);
	*named = (struct named_events){ .found = 0 };
}

/* Chooses the starts and ends of pairs by the words of the command line. */

int pair_options_check(const struct pair_options *options, const struct usage *usage)
{
	if (!!options->key + options->by_activity + options->by_thread > 1)
		return options_complain(usage, "--key, --activity and --thread exclude each "
					"other");
	if (!options->start != !options->end)
		return options_complain(usage, "--start and --stop need each other");
	return 0;
}

static int field_of(void *context, struct event *event, struct value *key)
{
	struct asked_pairs *asked = context;

	if (!asked_field_get(&asked->field, event, key) || key->type == VALUE_COMPOUND)
		return 0;
	if (asked->field.field.is_of_property)
		asked->with_property = event->kind;
	else
		asked->with_field = event->kind;
	return 1;
}

/* An event that both name is both only if they are the same; otherwise it is an end. */
static int role_by_name(void *context, struct event *event)
{
	struct asked_pairs *asked = context;
	const int is_end = named_events_has(&asked->end, event->kind);
	const int is_start = named_events_has(&asked->start, event->kind);

	return (is_end ? PAIR_END : 0) |
	       (is_start && (asked->is_same || !is_end) ? PAIR_START : 0);
}

int asked_pairs_begin(struct asked_pairs *asked, const struct pair_options *options,
		      struct pairs *pairs)
{
	*asked = (struct asked_pairs){
		.has_names = options->start != NULL,
		.is_same = options->start && !strcmp(options->start, options->end),
	};
	if (options->start) {
		named_events_begin(&asked->start, options->start);
		named_events_begin(&asked->end, options->end);
	}
	pairs->key = options->key ? PAIR_BY_FIELD : options->by_activity ? PAIR_BY_ACTIVITY :
		     options->by_thread ? PAIR_BY_THREAD : PAIR_BY_EITHER;
	pairs->asked = asked;
	pairs->role = options->start ? role_by_name : NULL;
	pairs->field = field_of;
	return options->key ? asked_field_parse(&asked->field, options->key) : 0;
}

int asked_pairs_report(const struct asked_pairs *asked, const struct event_kinds *kinds,
		       const char *filters)
{
	return (asked->has_names && (named_events_report(&asked->start, kinds, filters) ||
				     named_events_report(&asked->end, kinds, filters))) ||
	       (asked->field.field.text && asked_field_report(&asked->field));
}

void asked_pairs_warn(const struct asked_pairs *asked)
{
	const char *key = asked->field.field.text;

	if (asked->with_field && asked->with_property)
		message("cannot find a field \"%s\" in %s: its property %s was taken, and the field "
			"of %s; --key meta.%s takes the property of both", key,
			asked->with_property->shown, key, asked->with_field->shown, key);
}

void asked_pairs_free(struct asked_pairs *asked)
{
	named_events_free(&asked->start);
	named_events_free(&asked->end);
	asked_field_free(&asked->field);
}
