/* SPDX-License-Identifier: MIT */
/*
 * Finds the fields and events that a question names: a field, with similar names if no
 * event has it; events whose names match a glob; the starts and ends of pairs. Numbers
 * the values of a field, and counts processes.
 */
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

/* Finds the numbers of values. */

/* A copy of a value, whose text is to be freed. */
static struct value value_keep(const struct value *value)
{
	struct value kept = *value;

	if (value->type != VALUE_TEXT && value->type != VALUE_BYTES)
		return kept;
	kept.text = xmalloc(value->length);
	if (value->length)
		memcpy((char *)kept.text, value->text, value->length);
	return kept;
}

static uint64_t key_of(uint32_t space, const struct value *value)
{
	return value_hash(value) + space;
}

int groups_are_full(const struct group_table *table)
{
	const uint32_t least = table->most > GROUPS_COUNTED ? table->most : GROUPS_COUNTED;

	return !table->is_fixed && table->count >= least;
}

uint32_t group_find(struct group_table *table, uint32_t space, const struct value *value)
{
	const uint64_t key = key_of(space, value);
	uint32_t steps = 0, found;

	table->compound += value->type == VALUE_COMPOUND;
	while ((found = key_table_next(&table->by_value, key, &steps)) != KEY_UNKNOWN) {
		struct group *group = &table->groups[found];

		if (group->space != space || value_compare(&group->value, value))
			continue;
		group->count++;
		return found;
	}
	if (table->is_fixed)
		return GROUP_OTHERS;
	table->groups = xgrow(table->groups, table->count, sizeof(*table->groups));
	table->groups[table->count] = (struct group){ space, 1, table->shed, value_keep(value) };
	key_table_add(&table->by_value, key, table->count);
	return table->count++;
}

/* Fewer groups */

static void free_value(struct group *group)
{
	if (group->value.type == VALUE_TEXT || group->value.type == VALUE_BYTES)
		free((char *)group->value.text);
}

/* Keep those whose number in the list is not GROUP_OTHERS; they get new numbers there. */
static void renumber(struct group_table *table, uint32_t *numbers)
{
	const uint32_t count = table->count;

	table->count = 0;
	key_table_clear(&table->by_value);
	for (uint32_t i = 0; i < count; i++) {
		struct group *group = &table->groups[i];

		if (numbers[i] == GROUP_OTHERS) {
			free_value(group);
			continue;
		}
		key_table_add(&table->by_value, key_of(group->space, &group->value), table->count);
		table->groups[table->count] = *group;
		numbers[i] = table->count++;
	}
}

struct scored {
	double score;
	uint32_t number;
};

/* The highest first; of equal ones, those that appeared first. */
static int by_score(const void *one, const void *other)
{
	const struct scored *a = one, *b = other;

	if (a->score != b->score)
		return (a->score < b->score) - (a->score > b->score);
	return (a->number > b->number) - (a->number < b->number);
}

uint32_t *groups_keep(struct group_table *table, uint32_t most, const double *scores)
{
	AUTO_FREE struct scored *scored = NULL;
	uint32_t *numbers;

	if (table->count <= most)
		return NULL;
	scored = xcalloc(table->count, sizeof(*scored));
	numbers = xcalloc(table->count, sizeof(*numbers));
	for (uint32_t i = 0; i < table->count; i++)
		scored[i] = (struct scored){ scores ? scores[i] : (double)table->groups[i].count,
					     i };
	qsort(scored, table->count, sizeof(*scored), by_score);
	for (uint32_t i = most; i < table->count; i++)
		numbers[scored[i].number] = GROUP_OTHERS;
	renumber(table, numbers);
	return numbers;
}

uint32_t *groups_shed(struct group_table *table)
{
	const uint32_t count = table->count;
	struct group *groups = table->groups;
	uint64_t *counts = xcalloc(count, sizeof(*counts)), most = 0;
	uint32_t *numbers;

	for (uint32_t i = 0; i < count; i++)
		counts[i] = groups[i].count + groups[i].error;
	numbers = groups_keep(table, count / 2, NULL);
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i] == GROUP_OTHERS && counts[i] > most)
			most = counts[i];
	table->shed = most > table->shed ? most : table->shed;
	free(counts);
	return numbers;
}

void groups_fix(struct group_table *table)
{
	table->is_fixed = 1;
	table->compound = 0;
	table->unseen = table->shed;
	table->shed = 0;
	for (uint32_t i = 0; i < table->count; i++)
		table->groups[i].count = table->groups[i].error = 0;
}

/* More than 0. */
static uint64_t least_count(const struct group_table *table)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < table->count; i++)
		if (table->groups[i].count < least)
			least = table->groups[i].count;
	return least ? least : 1;
}

void groups_report(const struct group_table *table, const struct field *by, uint64_t others)
{
	if (others)
		message("\"(others)\" has %llu event%s, as %s has more values than %u; "
			"--groups N shows more", (unsigned long long)others,
			others == 1 ? "" : "s", by->text, table->most);
	if (table->shed)
		message("cannot count each value of %s, of which there are too many: a row may "
			"have up to %llu more event%s, which are in \"(others)\"", by->text,
			(unsigned long long)table->shed, PLURAL(table->shed));
	if (table->unseen >= least_count(table))
		message("cannot tell that these values of %s have most: another may have up to "
			"%llu event%s, which are in \"(others)\"", by->text,
			(unsigned long long)table->unseen, PLURAL(table->unseen));
	if (table->compound)
		message("cannot group %llu event%s by %s: it is an array or a struct there; "
			"%s[0] or %s.NAME is a part of it", (unsigned long long)table->compound,
			table->compound == 1 ? "" : "s", by->text, by->text, by->text);
}

void groups_free(struct group_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free_value(&table->groups[i]);
	free(table->groups);
	key_table_free(&table->by_value);
	*table = (struct group_table){ .most = 0 };
}

/* Counts different processes. */

int seen_processes_add(struct seen_processes *sets, uint32_t set, uint32_t pid)
{
	const uint64_t key = (uint64_t)set << 32 | pid;

	if (key_table_find(&sets->table, key) != KEY_UNKNOWN)
		return 0;
	if (sets->table.count >= SEEN_PROCESSES_MAX)
		return -1;
	key_table_add(&sets->table, key, 0);
	return 1;
}

void seen_processes_join(struct seen_processes *sets, const uint32_t *to, uint32_t count,
			 void (*counted)(void *context, uint32_t set), void *context)
{
	AUTO(key_table_free) struct key_table old = sets->table;

	sets->table = (struct key_table){ .size = 0 };
	for (uint32_t i = 0; i < old.size; i++) {
		const uint32_t set = (uint32_t)(old.slots[i].key >> 32);
		const uint32_t pid = (uint32_t)old.slots[i].key;

		if (!old.slots[i].number)
			continue;
		if (seen_processes_add(sets, set < count ? to[set] : set, pid) > 0 && set < count)
			counted(context, to[set]);
	}
}

void seen_processes_free(struct seen_processes *sets)
{
	key_table_free(&sets->table);
}
