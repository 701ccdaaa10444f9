/* SPDX-License-Identifier: MIT */
/* Parses the kernel's text of its histograms. */
#include "hist_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

#define SECTION "# event histogram\n#\n# trigger info: "
#define TOTALS "\nTotals:\n"
#define HITS " } hitcount:"
/* The kernel pads texts to so many bytes, so the next one is not nearer. */
#define TEXT_WIDTH 50

/* Triggers */

/* The end of such a word, or NULL. */
static const char *find_doubled(char *text, char **second)
{
	static const char *const names[] = { "common_cpu", "cpu", "CPU" };

	*second = text + strlen("common_cpu");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);
		const unsigned char *after = (unsigned char *)*second + length;

		if (!strncmp(*second, names[i], length) && !isalnum(*after) &&
		    *after != '_')
			return *second + length;
	}
	return NULL;
}

void hist_fold_cpu(char *trigger)
{
	char *at = trigger, *second;

	for (; (at = strstr(at, "common_cpu")); at = second) {
		const char *end = find_doubled(at, &second);

		if (end)
			memmove(second, end, strlen(end) + 1);
	}
}

/* Words */

static size_t left_of(const struct hist_text *text)
{
	return (size_t)(text->end - text->at);
}

static int take(struct hist_text *text, const char *word)
{
	const size_t length = strlen(word);

	if (left_of(text) < length || memcmp(text->at, word, length))
		return -1;
	text->at += length;
	return 0;
}

static void take_blanks(struct hist_text *text)
{
	while (text->at < text->end && *text->at == ' ')
		text->at++;
}

static int take_number(struct hist_text *text, uint64_t *number)
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

static const char *find(const struct hist_text *text, const char *word)
{
	return memmem(text->at, left_of(text), word, strlen(word));
}

static const char *find_last(const struct hist_text *text, const char *word)
{
	struct hist_text rest = *text;
	const char *last = NULL, *found;

	while ((found = find(&rest, word))) {
		last = found;
		rest.at = found + 1;
	}
	return last;
}

/* Cells */

/* 2^k has the numbers above 2^(k-1); 0 is in the least one. */
static int take_power(struct hist_text *text, struct hist_cell *cell)
{
	uint64_t power;

	if (take(text, "~ 2^") || take_number(text, &power) || power > 64)
		return -1;
	take_blanks(text);
	cell->low = power ? ((uint64_t)1 << (power - 1)) + 1 : 0;
	cell->high = power == 64 ? UINT64_MAX : (uint64_t)1 << power;
	return 0;
}

static int take_whole(struct hist_text *text, struct hist_cell *cell)
{
	if (take_number(text, &cell->low))
		return -1;
	cell->high = cell->low;
	return 0;
}

static int take_bucket(struct hist_text *text, struct hist_cell *cell)
{
	if (take(text, "~ "))
		return take_whole(text, cell);
	if (take_number(text, &cell->low) || take(text, "-"))
		return -1;
	return take_number(text, &cell->high);
}

/* Blanks at its end cannot be told from those of the kernel. */
static int take_text(struct hist_text *text, struct hist_cell *cell, const char *behind)
{
	struct hist_text rest = *text;
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

static int take_cell(struct hist_text *text, const struct hist_key *key,
		     struct hist_cell *cell, const struct hist_key *next)
{
	AUTO_FREE char *behind = next ? xprintf(", %s: ", next->name) : NULL;
	int result;

	*cell = (struct hist_cell){ .low = 0 };
	result = take(text, key->name) || take(text, ": ") ? -1 :
		 key->kind == HIST_TEXT	  ? take_text(text, cell, behind) :
		 key->kind == HIST_BUCKET ? take_bucket(text, cell) :
		 key->kind == HIST_POWER  ? take_power(text, cell) :
					    take_whole(text, cell);
	if (!result && behind)
		result = take(text, ", ");
	return result;
}

/* Entries */

/*
 * The end of an entry that begins here: a line's end behind its hit count. keys: set to
 * the part between the braces.
 */
static int split_entry(struct hist_text *text, struct hist_text *keys, uint64_t *hits)
{
	struct hist_text rest = *text;

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

int hist_entry_take(struct hist_text *text, struct hist_text *keys, uint64_t *hits)
{
	*keys = *text;
	return take(keys, "{ ") || split_entry(text, keys, hits) ? -1 : 0;
}

static int parse_entry(struct hist_text *text, const struct hist_shape *shape,
		       struct hist_table *table, struct hist_entry *entry)
{
	const struct hist_key *key = shape->keys, *last = key + shape->count - 1;
	struct hist_text keys;

	if (hist_entry_take(text, &keys, &entry->hits))
		return -1;
	for (; key <= last; key++) {
		table->cells = xgrow(table->cells, table->cell_count,
				     sizeof(*table->cells));
		if (take_cell(&keys, key, &table->cells[table->cell_count++],
			      key < last ? key + 1 : NULL))
			return -1;
	}
	return keys.at == keys.end ? 0 : -1;
}

static int parse_entries(struct hist_text text, const struct hist_shape *shape,
			 size_t section, struct hist_table *table)
{
	while (text.at < text.end) {
		struct hist_entry entry = { .section = section };

		if (*text.at == '\n') {
			text.at++;
			continue;
		}
		if (parse_entry(&text, shape, table, &entry))
			return -1;
		table->entries = xgrow(table->entries, table->count, sizeof(entry));
		table->entries[table->count++] = entry;
	}
	return 0;
}

/* Sections */

/* The rest of its first lines, with a trigger of any characters but no newline. */
static int take_head(struct hist_text *section)
{
	const char *end = find(section, "\n#\n\n");

	if (!end)
		return -1;
	section->at = end + strlen("\n#\n\n");
	return 0;
}

static int take_total(struct hist_text *text, const char *name, uint64_t *sum)
{
	uint64_t number;

	if (take(text, name) || take_number(text, &number) || take(text, "\n"))
		return -1;
	*sum += number;
	return 0;
}

/*
 * The totals at the end of a section; entries: the text before them, after the trigger.
 */
static int take_totals(struct hist_text section, struct hist_text *entries,
		       struct hist_table *table)
{
	struct hist_text totals = section;

	if (take_head(&section))
		return -1;
	totals.at = find_last(&section, TOTALS);
	if (!totals.at)
		return -1;
	*entries = (struct hist_text){ section.at, totals.at };
	totals.at += strlen(TOTALS);
	return take_total(&totals, "    Hits: ", &table->hits) ||
	       take_total(&totals, "    Entries: ", &table->lines) ||
	       take_total(&totals, "    Dropped: ", &table->dropped) ? -1 : 0;
}

/* Cut the next section off: 1, 0 at the end, -1 if there is something else. */
static int next_section(struct hist_text *text, struct hist_text *section)
{
	struct hist_text rest;

	while (text->at < text->end && *text->at == '\n')
		text->at++;
	if (text->at == text->end)
		return 0;
	if (take(text, SECTION))
		return -1;
	*section = rest = *text;
	rest.at = find(&rest, "\n" SECTION);
	section->end = text->at = rest.at ? rest.at + 1 : text->end;
	return 1;
}

int hist_file_parse(const char *at, size_t length, const struct hist_shape *shape,
		    size_t sections, struct hist_table *table)
{
	struct hist_text text = { at, at + length }, section, entries;
	size_t count = 0;
	int result, is_damaged = 0;

	*table = (struct hist_table){ .count = 0 };
	while ((result = next_section(&text, &section)) > 0 && !is_damaged)
		is_damaged = count == sections || take_totals(section, &entries, table) ||
			     parse_entries(entries, shape, count++, table);
	for (size_t i = 0; i < table->count; i++)
		table->entries[i].keys = &table->cells[i * shape->count];
	is_damaged |= result || count != sections || table->lines != table->count;
	return is_damaged ? -1 : 0;
}

int hist_file_totals(const char *at, size_t length, struct hist_table *tables,
		     size_t sections)
{
	struct hist_text text = { at, at + length }, section, entries;
	size_t count = 0;
	int result;

	memset(tables, 0, sections * sizeof(*tables));
	while ((result = next_section(&text, &section)) > 0)
		if (count == sections || take_totals(section, &entries, &tables[count++]))
			return -1;
	return result || count != sections ? -1 : 0;
}

void hist_table_free(struct hist_table *table)
{
	free(table->entries);
	free(table->cells);
	*table = (struct hist_table){ .count = 0 };
}

int hist_file_find(const char *at, const char *trigger, struct hist_text *entries,
		   struct hist_table *totals)
{
	struct hist_text text = { at, at + strlen(at) }, section;

	*totals = (struct hist_table){ .count = 0 };
	while (next_section(&text, &section) > 0) {
		struct hist_text info = section;

		if (!take(&info, trigger) && !take(&info, " ["))
			return take_totals(section, entries, totals);
	}
	return -1;
}
