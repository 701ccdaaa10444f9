/* SPDX-License-Identifier: MIT */
/* Parses what the kernel prints of its histograms. */
#include "hist_file.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"
#include "kernel/control/instance.h"

#define SECTION "# event histogram\n#\n# trigger info: "
#define TOTALS "\nTotals:\n"
#define HITS " } hitcount:"
/* The kernel pads texts to so many bytes, so what follows one is not nearer. */
#define TEXT_WIDTH 50

struct text {
	const char *at, *end;
};

/* Words */

static size_t left_of(const struct text *text)
{
	return (size_t)(text->end - text->at);
}

static int take(struct text *text, const char *word)
{
	const size_t length = strlen(word);

	if (left_of(text) < length || memcmp(text->at, word, length))
		return -1;
	text->at += length;
	return 0;
}

static void take_blanks(struct text *text)
{
	while (text->at < text->end && *text->at == ' ')
		text->at++;
}

static int take_number(struct text *text, uint64_t *number)
{
	const char *begin;

	take_blanks(text);
	*number = 0;
	for (begin = text->at; text->at < text->end; text->at++) {
		const unsigned int digit = (unsigned char)*text->at - (unsigned int)'0';

		if (digit > 9)
			break;
		if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)digit, number))
			return -1;
	}
	return text->at == begin ? -1 : 0;
}

static const char *find(const struct text *text, const char *word)
{
	return memmem(text->at, left_of(text), word, strlen(word));
}

static const char *find_last(const struct text *text, const char *word)
{
	struct text rest = *text;
	const char *last = NULL, *found;

	while ((found = find(&rest, word))) {
		last = found;
		rest.at = found + 1;
	}
	return last;
}

/* Cells */

/* 2^k has the numbers above 2^(k-1); 0 is in the least one. */
static int take_power(struct text *text, struct hist_cell *cell)
{
	uint64_t power;

	if (take(text, "~ 2^") || take_number(text, &power) || power > 64)
		return -1;
	take_blanks(text);
	cell->low = power ? ((uint64_t)1 << (power - 1)) + 1 : 0;
	cell->high = power == 64 ? UINT64_MAX : (uint64_t)1 << power;
	return 0;
}

static int take_whole(struct text *text, struct hist_cell *cell)
{
	if (take_number(text, &cell->low))
		return -1;
	cell->high = cell->low;
	return 0;
}

static int take_bucket(struct text *text, struct hist_cell *cell)
{
	if (take(text, "~ "))
		return take_whole(text, cell);
	if (take_number(text, &cell->low) || take(text, "-"))
		return -1;
	return take_number(text, &cell->high);
}

/* Blanks at its end cannot be told from those of the kernel. */
static int take_text(struct text *text, struct hist_cell *cell, const char *behind)
{
	struct text rest = *text;
	const char *end;

	if (left_of(&rest) < TEXT_WIDTH)
		return -1;
	rest.at += TEXT_WIDTH;
	end = behind ? find(&rest, behind) : text->end;
	if (!end)
		return -1;
	cell->text = text->at;
	text->at = end;
	while (end > cell->text && end[-1] == ' ')
		end--;
	cell->length = (size_t)(end - cell->text);
	return 0;
}

static int take_cell(struct text *text, const struct hist_key *key, struct hist_cell *cell,
		     const struct hist_key *next)
{
	char *behind = next ? xprintf(", %s: ", next->name) : NULL;
	int result;

	*cell = (struct hist_cell){ .low = 0 };
	result = take(text, key->name) || take(text, ": ") ? -1 :
		 key->kind == HIST_TEXT	  ? take_text(text, cell, behind) :
		 key->kind == HIST_BUCKET ? take_bucket(text, cell) :
		 key->kind == HIST_POWER  ? take_power(text, cell) :
					    take_whole(text, cell);
	if (!result && behind)
		result = take(text, ", ");
	free(behind);
	return result;
}

/* Entries */

/*
 * The end of an entry that begins here: a line's end behind its hit count. keys: set to
 * the part between the braces.
 */
static int split_entry(struct text *text, struct text *keys, uint64_t *hits)
{
	struct text rest = *text;

	while ((rest.at = find(&rest, HITS))) {
		keys->end = rest.at;
		rest.at += strlen(HITS);
		if (!take_number(&rest, hits) && (rest.at == rest.end || *rest.at == '\n')) {
			text->at = rest.at + (rest.at < rest.end);
			return 0;
		}
	}
	return -1;
}

static int parse_entry(struct text *text, const struct hist_shape *shape,
		       struct hist_entry *entry)
{
	struct text keys = *text;

	if (take(&keys, "{ ") || split_entry(text, &keys, &entry->hits))
		return -1;
	for (size_t i = 0; i < shape->count; i++)
		if (take_cell(&keys, &shape->keys[i], &entry->keys[i],
			      i + 1 < shape->count ? &shape->keys[i + 1] : NULL))
			return -1;
	return keys.at == keys.end ? 0 : -1;
}

static int parse_entries(struct text text, const struct hist_shape *shape, size_t section,
			 struct hist_table *table)
{
	while (text.at < text.end) {
		struct hist_entry entry = { .section = section };

		if (*text.at == '\n') {
			text.at++;
			continue;
		}
		if (parse_entry(&text, shape, &entry))
			return -1;
		table->entries = xgrow(table->entries, table->count, sizeof(entry));
		table->entries[table->count++] = entry;
	}
	return 0;
}

/* Sections */

static int take_total(struct text *text, const char *name, uint64_t *sum)
{
	uint64_t number;

	if (take(text, name) || take_number(text, &number) || take(text, "\n"))
		return -1;
	*sum += number;
	return 0;
}

/* The totals at the end of a section; entries: what is before. */
static int take_totals(const struct text *section, struct text *entries,
		       struct hist_table *table)
{
	struct text totals = *section;

	totals.at = find_last(section, TOTALS);
	if (!totals.at)
		return -1;
	*entries = (struct text){ section->at, totals.at };
	totals.at += strlen(TOTALS);
	return take_total(&totals, "    Hits: ", &table->hits) ||
	       take_total(&totals, "    Entries: ", &table->lines) ||
	       take_total(&totals, "    Dropped: ", &table->dropped) ? -1 : 0;
}

/* Its first lines, the second of which has a filter of any characters but no newline. */
static int take_head(struct text *section)
{
	const char *end;

	if (take(section, SECTION))
		return -1;
	end = find(section, "\n#\n\n");
	if (!end)
		return -1;
	section->at = end + strlen("\n#\n\n");
	return 0;
}

/* Cut the next section off: 1, 0 at the end, -1 if there is something else. */
static int next_section(struct text *text, struct text *section)
{
	struct text rest;

	while (text->at < text->end && *text->at == '\n')
		text->at++;
	if (text->at == text->end)
		return 0;
	*section = rest = *text;
	if (take(&rest, SECTION))
		return -1;
	rest.at = find(&rest, "\n" SECTION);
	section->end = text->at = rest.at ? rest.at + 1 : text->end;
	return take_head(section) ? -1 : 1;
}

int hist_file_parse(const char *at, size_t length, const struct hist_shape *shape,
		    size_t sections, struct hist_table *table)
{
	struct text text = { at, at + length }, section, entries;
	size_t count = 0;
	int result;

	*table = (struct hist_table){ .count = 0 };
	while ((result = next_section(&text, &section)) > 0) {
		if (count == sections || take_totals(&section, &entries, table) ||
		    parse_entries(entries, shape, count++, table))
			return -1;
	}
	return result || count != sections || table->lines != table->count ? -1 : 0;
}

int hist_file_totals(const char *at, size_t length, struct hist_table *tables,
		     size_t sections)
{
	struct text text = { at, at + length }, section, entries;
	size_t count = 0;
	int result;

	memset(tables, 0, sections * sizeof(*tables));
	while ((result = next_section(&text, &section)) > 0)
		if (count == sections || take_totals(&section, &entries, &tables[count++]))
			return -1;
	return result || count != sections ? -1 : 0;
}

void hist_table_free(struct hist_table *table)
{
	free(table->entries);
	*table = (struct hist_table){ .count = 0 };
}

/* Finds the fields that a histogram of the kernel is asked for, and the kernel's view of them. */

/* Fields of every event. */
static const struct {
	const char *name, *in_trigger;
	int is_signed;
} common[] = {
	{ "tid", "common_pid", 1 },
	{ "cpu", "common_cpu", 0 },
	{ "common_pid", "common_pid", 1 },
	{ "common_cpu", "common_cpu", 0 },
};

#define COMMON (sizeof(common) / sizeof(common[0]))

static int find_common(const char *name, struct key_field *field)
{
	for (size_t i = 0; i < COMMON; i++) {
		if (strcmp(common[i].name, name))
			continue;
		*field = (struct key_field){
			.name = xstrdup(common[i].in_trigger),
			.is_signed = common[i].is_signed,
			.size = 4,
		};
		return 0;
	}
	return -1;
}

static const char *nearest_field(const struct tracepoint *tracepoint, const char *name)
{
	struct words names = { 0 };

	kernel_field_names(tracepoint, &names);
	words_add(&names, "tid");
	words_add(&names, "cpu");
	return nearest(name, names.items, names.count, sizeof(*names.items));
}

static int find_own(const struct tracepoint *tracepoint, const char *name,
		    struct kernel_field *field)
{
	return !kernel_field_find(tracepoint, name, strlen(name), kernel_version(),
				  field) && field->own;
}

static int complain_of_name(const struct tracepoint *tracepoint,
			    const struct listed_event *event, const char *name,
			    const char *verb)
{
	const char *near = nearest_field(tracepoint, name);

	if (tracepoint->format.is_eventheader)
		message("cannot %s \"%s\": the kernel does not know the fields of the EventHeader "
			"event %s; \"userevents hist\" and \"userevents latency\" do", verb, name,
			event->name);
	else if (near)
		message("cannot %s \"%s\": %s:%s has no such field; did you mean \"%s\"?", verb,
			name, event->system, event->name, near);
	else
		message("cannot %s \"%s\": %s:%s has no such field; its format is in tracefs, in "
			"events/%s/%s/format", verb, name, event->system, event->name,
			event->system, event->name);
	return -1;
}

/* Why the kernel cannot count by this field; NULL: it can. */
static const char *obstacle(const struct listed_event *event,
			    const struct kernel_field *field)
{
	const int is_text = kernel_field_is_copied_text(field) && !field->own->is_array;

	if (is_text && !strncmp(event->system, SYSTEM, strlen(SYSTEM)) &&
	    kernel_version() < 6004)
		return "it is a text of a user event, which kernels before 6.4 take for a number; "
		       "\"userevents stat\" and \"userevents latency\" take it for a text";
	if (is_text)
		return field->size ? NULL :
				     "it is a text whose length the kernel does not know";
	if (!field->is_number)
		return "it is neither an integer nor a text";
	if (field->own->format == UE_FORMAT_FLOAT)
		return "it is a floating point number, which the kernel cannot count; "
		       "\"userevents hist\" can";
	return NULL;
}

static int take_key(const struct listed_event *event, const struct kernel_field *found,
		const char *name, const char *verb, struct key_field *field)
{
	const char *why = obstacle(event, found);

	if (why) {
		message("cannot %s \"%s\": %s", verb, name, why);
		return -1;
	}
	field->name = xstrdup(name);
	field->is_text = !found->is_number;
	field->is_signed = found->is_number && found->is_signed;
	field->size = found->own->location ? 0 : found->size;
	return 0;
}

int key_field_exists(const struct listed_event *event, const char *name)
{
	struct tracepoint *tracepoint = event_format(event);
	struct kernel_field field;
	const int result = find_own(tracepoint, name, &field);

	tracepoint_free(tracepoint);
	return result;
}

int key_field_is_near(const struct listed_event *event, const char *name)
{
	struct tracepoint *tracepoint = event_format(event);
	const int result = nearest_field(tracepoint, name) != NULL;

	tracepoint_free(tracepoint);
	return result;
}

int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field)
{
	struct tracepoint *tracepoint = event_format(event);
	struct kernel_field found;
	int result;

	*field = (struct key_field){ .size = 0 };
	if (find_own(tracepoint, name, &found))
		result = take_key(event, &found, name, verb, field);
	else if (!find_common(name, field))
		result = 0;
	else
		result = complain_of_name(tracepoint, event, name, verb);
	tracepoint_free(tracepoint);
	return result;
}

char *key_field_declare(const struct key_field *field, const char *name)
{
	if (field->is_text && field->size)
		return xprintf("char %s[%u]", name, field->size);
	if (field->is_text)
		return xprintf("char %s[]", name);
	return xprintf("%c%u %s", field->is_signed ? 's' : 'u', field->size * 8, name);
}

int64_t key_field_signed(const struct key_field *field, uint64_t printed)
{
	const unsigned int unused = field->size && field->size < 8 ? 64 - field->size * 8 : 0;

	return (int64_t)(printed << unused) >> unused;
}

void key_field_free(struct key_field *field)
{
	free(field->name);
	*field = (struct key_field){ .size = 0 };
}
