/* SPDX-License-Identifier: MIT */
/*
 * Divides the numbers of a field among histograms of the kernel, and their counts among
 * the rows of a picture.
 */
#include "kernel_question.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"

/* Numbers below are counted exactly. */
#define EXACT_BELOW 1000
/* The factor from one piece to the next. */
#define FACTOR 100
/* The width of a piece's buckets is its least number divided by this. */
#define BUCKETS_BELOW 100

static uint64_t greatest(const struct key_field *field)
{
	const unsigned int bits = field->size * 8 - (field->is_signed ? 1 : 0);

	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static uint64_t least(const struct key_field *field)
{
	return field->is_signed ? ~greatest(field) : 0;
}

static void add(struct bucket_plan *plan, uint64_t width, char *filter, uint64_t least,
		uint64_t most)
{
	plan->pieces[plan->count++] = (struct plan_piece){
		.modifier = width > 1 ? xprintf(".buckets=%" PRIu64, width) : xstrdup(""),
		.filter = filter,
		.least = least,
		.most = most,
	};
}

/* Numbers from low on; end: the first that is too large, 0: none is. */
static void add_above(struct bucket_plan *plan, const struct key_field *field, uint64_t low,
		      uint64_t end)
{
	const char *name = field->name;
	char *filter = end ? xprintf("%s >= %" PRIu64 " && %s < %" PRIu64, name, low, name, end) :
			     xprintf("%s >= %" PRIu64, name, low);

	add(plan, low / BUCKETS_BELOW, filter, low, end ? end - 1 : greatest(field));
}

/* The same with the other sign. */
static void add_below(struct bucket_plan *plan, const struct key_field *field, uint64_t low,
		      uint64_t end)
{
	const char *name = field->name;
	char *filter = end ? xprintf("%s <= -%" PRIu64 " && %s > -%" PRIu64, name, low, name,
				     end) :
			     xprintf("%s <= -%" PRIu64, name, low);

	add(plan, low / BUCKETS_BELOW, filter, end ? 1 - end : least(field), 0 - low);
}

static void add_exact(struct bucket_plan *plan, const struct key_field *field)
{
	const char *name = field->name;
	const uint64_t first = field->is_signed ? (uint64_t)1 - EXACT_BELOW : 0;

	if (greatest(field) < EXACT_BELOW)
		add(plan, 1, NULL, least(field), greatest(field));
	else if (field->is_signed)
		add(plan, 1, xprintf("%s > -%d && %s < %d", name, EXACT_BELOW, name, EXACT_BELOW),
		    first, EXACT_BELOW - 1);
	else
		add(plan, 1, xprintf("%s < %d", name, EXACT_BELOW), first, EXACT_BELOW - 1);
}

static void make_growing(struct bucket_plan *plan, const struct key_field *field)
{
	const uint64_t most = greatest(field);
	uint64_t low = EXACT_BELOW, end;

	add_exact(plan, field);
	for (; low && low <= most; low = end) {
		end = low > most / FACTOR ? 0 : low * FACTOR;
		add_above(plan, field, low, end);
		if (field->is_signed)
			add_below(plan, field, low, end);
	}
	plan->kind = HIST_BUCKET;
	plan->is_relative = 1;
}

static int complain(const char *verb, const char *text, const char *problem)
{
	message("cannot %s: --buckets %s %s", verb, text, problem);
	return EXIT_WRONG_USAGE;
}

static int make_equal(struct bucket_plan *plan, const struct key_field *field,
		      const char *text, uint64_t scale, const char *verb)
{
	uint64_t width;

	if (parse_number(text, &width))
		return complain(verb, text, "is neither a width, such as 100, nor auto, exact or "
				"log2");
	if (!width || __builtin_mul_overflow(width, scale, &width) || width > greatest(field))
		return complain(verb, text, "is no width for this field: it must be at least 1, "
				"and not wider than the field's type");
	if (width > 1 && field->is_signed) {
		add(plan, width, xprintf("%s < 0", field->name), least(field), UINT64_MAX);
		add(plan, width, xprintf("%s >= 0", field->name), 0, greatest(field));
	} else {
		add(plan, width, NULL, least(field), greatest(field));
	}
	plan->kind = width > 1 ? HIST_BUCKET : HIST_NUMBER;
	plan->width = width;
	return 0;
}

int bucket_plan_make(struct bucket_plan *plan, const struct key_field *field,
		     const char *text, uint64_t scale, const char *verb)
{
	*plan = (struct bucket_plan){ .kind = HIST_NUMBER };
	if (field->is_text && strcmp(text, "auto") && strcmp(text, "exact"))
		return complain(verb, text, "is for numbers, and the field is a text");
	if (field->is_text) {
		add(plan, 1, NULL, 0, 0);
		plan->kind = HIST_TEXT;
	} else if (!strcmp(text, "auto")) {
		make_growing(plan, field);
	} else if (!strcmp(text, "exact")) {
		return make_equal(plan, field, "1", 1, verb);
	} else if (strcmp(text, "log2")) {
		return make_equal(plan, field, text, scale, verb);
	} else if (field->is_signed) {
		return complain(verb, text, "is for fields without a sign: the kernel puts all "
				"numbers below 0 into one bucket; give a width, or auto");
	} else {
		plan->pieces[plan->count++] = (struct plan_piece){ .modifier = xstrdup(".log2"),
								   .most = greatest(field) };
		plan->kind = HIST_POWER;
	}
	return 0;
}

/* Limits */

/* Below 0, only a limit outside of the piece has the other sign, and the same above. */
static struct range signed_range(const struct plan_piece *piece,
				 const struct key_field *field, const struct hist_cell *cell)
{
	const int64_t least_of = (int64_t)piece->least, most_of = (int64_t)piece->most;
	int64_t low = key_field_signed(field, cell->low);
	int64_t high = key_field_signed(field, cell->high);

	if (low < least_of || low > most_of)
		low = least_of;
	if (high > most_of || high < low)
		high = most_of;
	return (struct range){ (uint64_t)low, (uint64_t)high, 0 };
}

struct range bucket_plan_range(const struct bucket_plan *plan,
			       const struct key_field *field, size_t piece,
			       const struct hist_cell *cell)
{
	const struct plan_piece *of = &plan->pieces[piece];
	struct range range = { .low = cell->low, .high = cell->high };

	if (field->is_signed)
		return signed_range(of, field, cell);
	if (range.high > of->most || range.high < range.low)
		range.high = of->most;
	return range;
}

void bucket_plan_free(struct bucket_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		free(plan->pieces[i].modifier);
		free(plan->pieces[i].filter);
	}
	plan->count = 0;
}

/* Keeps a distribution of numbers as counts of ranges. */

void ranges_add(struct ranges *ranges, const struct range *range)
{
	ranges->items = xgrow(ranges->items, ranges->count, sizeof(*range));
	ranges->items[ranges->count++] = *range;
	ranges->total += range->count;
}

static int compare_unsigned(const void *one, const void *other)
{
	const uint64_t a = ((const struct range *)one)->low;
	const uint64_t b = ((const struct range *)other)->low;

	return (a > b) - (a < b);
}

static int compare_signed(const void *one, const void *other)
{
	const int64_t a = (int64_t)((const struct range *)one)->low;
	const int64_t b = (int64_t)((const struct range *)other)->low;

	return (a > b) - (a < b);
}

void ranges_sort(struct ranges *ranges)
{
	size_t count = 0;

	if (!ranges->count)
		return;
	qsort(ranges->items, ranges->count, sizeof(*ranges->items),
	      ranges->is_signed ? compare_signed : compare_unsigned);
	for (size_t i = 0; i < ranges->count; i++) {
		if (count && ranges->items[count - 1].low == ranges->items[i].low)
			ranges->items[count - 1].count += ranges->items[i].count;
		else
			ranges->items[count++] = ranges->items[i];
	}
	ranges->count = count;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->items);
	ranges->items = NULL;
	ranges->count = 0;
	ranges->total = 0;
}

const struct range *ranges_percentile(const struct ranges *ranges, double share)
{
	/* 99.9 % of 1000 is 999, which the product may miss by a bit */
	const double rank = ceil(share * (double)ranges->total * (1 - 1e-12));
	const uint64_t least = rank < 1 ? 1 : (uint64_t)rank;
	uint64_t below = 0;
	size_t i = 0;

	while (i + 1 < ranges->count && below + ranges->items[i].count < least)
		below += ranges->items[i++].count;
	return &ranges->items[i];
}

static double as_double(const struct ranges *ranges, uint64_t number)
{
	return ranges->is_signed ? (double)(int64_t)number : (double)number;
}

double range_low(const struct ranges *ranges, const struct range *range)
{
	return as_double(ranges, range->low);
}

double range_end(const struct ranges *ranges, const struct range *range)
{
	return as_double(ranges, range->high) + 1;
}

double range_error(const struct range *range)
{
	return (double)(range->high - range->low) / 2;
}

/* Chooses the rows of a picture of counts. */

/* Signed and unsigned numbers of 64 bits, without a fraction. */
typedef long double wide;

/* Ranges are rows if they are as few as this, or have so many numbers each. */
#define FEW 8
#define FULL 4

struct edges {
	size_t count; /* of rows; 0: there would be too many */
	wide at[COUNT_ROWS_MAX + 1]; /* row i has the numbers from i on that are less than i + 1 */
};

static wide widen(const struct ranges *ranges, uint64_t number)
{
	return ranges->is_signed ? (wide)(int64_t)number : (wide)number;
}

static uint64_t narrow(const struct ranges *ranges, wide number)
{
	return ranges->is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
}

/* The least of 1, 2 and 5 times a power of 10 that is not below. */
static wide round_above(wide number)
{
	for (wide power = 1;; power *= 10) {
		if (number <= power)
			return power;
		if (number <= 2 * power)
			return 2 * power;
		if (number <= 5 * power)
			return 5 * power;
	}
}

static void edges_equal(struct edges *edges, wide low, wide high)
{
	const wide step = round_above(floorl((high - low) / (COUNT_ROWS_MAX - 4)) + 1);
	wide at = floorl(low / step) * step;

	for (edges->count = 0; at <= high && edges->count < COUNT_ROWS_MAX; at += step)
		edges->at[edges->count++] = at;
	edges->at[edges->count] = at;
	if (at <= high)
		edges->count = 0;
}

/* Not the edge + 1, which is the edge itself where numbers have too few bits for that. */
static wide next_edge(wide edge, int is_fine)
{
	return edge < 1 ? 1 : is_fine ? round_above(edge * 1.5L) :
					edge * 10;
}

/* A round number that is not above the least one. */
static wide first_edge(wide low, int is_fine)
{
	wide edge = 0;

	while (next_edge(edge, is_fine) <= low)
		edge = next_edge(edge, is_fine);
	return edge;
}

static void edges_growing(struct edges *edges, wide low, wide high, int is_fine)
{
	wide at = first_edge(low, is_fine);

	for (edges->count = 0; at <= high && edges->count < COUNT_ROWS_MAX;
	     at = next_edge(at, is_fine))
		edges->at[edges->count++] = at;
	edges->at[edges->count] = at;
	if (at <= high)
		edges->count = 0;
}

static void extend(const struct ranges *ranges, struct range *row,
		   const struct range *range)
{
	if (widen(ranges, range->high) > widen(ranges, row->high))
		row->high = range->high;
	row->count += range->count;
}

/* The row behind one that was extended begins later. */
static void shorten(const struct ranges *ranges, struct count_rows *rows)
{
	for (size_t i = 1; i < rows->count; i++)
		if (widen(ranges, rows->rows[i].low) <=
		    widen(ranges, rows->rows[i - 1].high))
			rows->rows[i].low = rows->rows[i - 1].high + 1;
}

/* Limits beyond the numbers that the type has are those of the type. */
static void set_limits(const struct ranges *ranges, const struct edges *edges, size_t row,
		       struct range *range)
{
	const wide least = ranges->is_signed ? INT64_MIN : 0;
	const wide most = ranges->is_signed ? (wide)INT64_MAX : (wide)UINT64_MAX;
	const wide low = edges->at[row] < least ? least : edges->at[row];
	const wide end = edges->at[row + 1] > most ? most : edges->at[row + 1] - 1;

	*range =
		(struct range){ .low = narrow(ranges, low), .high = narrow(ranges, end) };
}

static void fill(const struct ranges *ranges, const struct edges *edges,
		 struct count_rows *rows)
{
	size_t row = 0;

	*rows = (struct count_rows){ .count = edges->count };
	for (size_t i = 0; i < edges->count; i++)
		set_limits(ranges, edges, i, &rows->rows[i]);
	for (size_t i = 0; i < ranges->count; i++) {
		while (row + 1 < edges->count &&
		       widen(ranges, ranges->items[i].low) >= edges->at[row + 1])
			row++;
		extend(ranges, &rows->rows[row], &ranges->items[i]);
	}
	shorten(ranges, rows);
}

/* Shannon's entropy: how much a row tells of a number. */
static double entropy(const struct count_rows *rows, uint64_t total)
{
	double sum = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const double share = (double)rows->rows[i].count / (double)total;

		if (share > 0)
			sum -= share * log2(share);
	}
	return sum;
}

/* The rows of these edges, if they tell more than those so far. */
static void consider(const struct ranges *ranges, const struct edges *edges,
		     struct count_rows *best)
{
	struct count_rows rows;

	if (!edges->count)
		return;
	fill(ranges, edges, &rows);
	if (!best->count ||
	    entropy(&rows, ranges->total) > entropy(best, ranges->total) + 1e-9)
		*best = rows;
}

static void merge(const struct ranges *ranges, struct count_rows *rows)
{
	const wide low = widen(ranges, ranges->items[0].low);
	const wide high = widen(ranges, ranges->items[ranges->count - 1].high);
	struct edges edges;

	edges_equal(&edges, low, high);
	consider(ranges, &edges, rows);
	for (int is_fine = 0; low >= 0 && is_fine <= 1; is_fine++) {
		edges_growing(&edges, low, high, is_fine);
		consider(ranges, &edges, rows);
	}
}

void count_rows_make(const struct ranges *ranges, struct count_rows *rows)
{
	*rows = (struct count_rows){ .count = 0 };
	if (!ranges->count)
		return;
	if (ranges->count <= FEW ||
	    (ranges->count <= COUNT_ROWS_MAX && ranges->total / ranges->count >= FULL)) {
		rows->count = ranges->count;
		memcpy(rows->rows, ranges->items, ranges->count * sizeof(*ranges->items));
	} else {
		merge(ranges, rows);
	}
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].count > rows->most)
			rows->most = rows->rows[i].count;
}

/* Divides the entries of a histogram by the values of their keys. */

static struct value value_of_cell(const struct key_field *field,
				  const struct hist_cell *cell)
{
	if (field->is_text)
		return (struct value){ .type = VALUE_TEXT, .text = cell->text,
				       .length = cell->length };
	return (struct value){
		.type = field->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED,
		.whole = field->is_signed ? key_field_signed(field, cell->low) :
					    (int64_t)cell->low,
	};
}

struct keyed_entry {
	const struct hist_entry *entry;
	struct value *by;
};

static int compare_keys(const struct value *one, const struct value *other)
{
	int result = 0;

	for (size_t i = 0; !result && one[i].type != VALUE_NONE; i++)
		result = value_compare(&one[i], &other[i]);
	return result;
}

static int compare_entries(const void *one, const void *other)
{
	return compare_keys(((const struct keyed_entry *)one)->by,
			    ((const struct keyed_entry *)other)->by);
}

static int compare_groups(const void *one, const void *other)
{
	const struct group_count *a = one, *b = other;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return compare_keys(a->by, b->by);
}

static void set_keys(const struct group_counts *counts, const struct hist_entry *entry,
		     struct keyed_entry *keyed)
{
	keyed->entry = entry;
	for (size_t i = counts->first_by; i < counts->field_count; i++)
		keyed->by[i - counts->first_by] = value_of_cell(&counts->fields[i],
								&entry->keys[i]);
}

/*
 * Sorted by their keys, to be freed. The kernel may print one just before it counts it.
 */
static struct keyed_entry *sort_entries(struct group_counts *counts,
					const struct hist_table *table, size_t *count)
{
	struct keyed_entry *sorted = xcalloc(table->count, sizeof(*sorted));
	const size_t each = counts->field_count + 1;
	struct value *values = xcalloc(table->count * each, sizeof(*values));

	*count = 0;
	counts->values = values;
	for (size_t i = 0; i < table->count; i++, values += each) {
		sorted[*count].by = values;
		if (table->entries[i].hits)
			set_keys(counts, &table->entries[i], &sorted[(*count)++]);
	}
	qsort(sorted, *count, sizeof(*sorted), compare_entries);
	return sorted;
}

static struct group_count *begin_group(struct group_counts *counts,
				       const struct keyed_entry *entry)
{
	struct group_count *group;

	counts->groups = xgrow(counts->groups, counts->group_count, sizeof(*group));
	group = &counts->groups[counts->group_count++];
	*group = (struct group_count){ .by = entry->by };
	group->ranges.is_signed = counts->fields[0].is_signed;
	return group;
}

static void add_entry(struct group_counts *counts, struct group_count *group,
		      const struct bucket_plan *plan, const struct hist_entry *entry)
{
	struct range range;

	group->count += entry->hits;
	counts->count += entry->hits;
	if (counts->fields[0].is_text)
		return;
	range = bucket_plan_range(plan, &counts->fields[0], entry->section,
				  &entry->keys[0]);
	range.count = entry->hits;
	ranges_add(&group->ranges, &range);
	ranges_add(&counts->sum, &range);
}

void group_counts_make(struct group_counts *counts, const struct hist_table *table,
		       const struct bucket_plan *plan)
{
	AUTO_FREE struct keyed_entry *sorted;
	struct group_count *group = NULL;
	size_t count;

	counts->first_by = !counts->fields[0].is_text;
	counts->sum.is_signed = counts->fields[0].is_signed;
	sorted = sort_entries(counts, table, &count);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_entries(&sorted[i - 1], &sorted[i]))
			group = begin_group(counts, &sorted[i]);
		add_entry(counts, group, plan, sorted[i].entry);
	}
	for (size_t i = 0; i < counts->group_count; i++)
		ranges_sort(&counts->groups[i].ranges);
	ranges_sort(&counts->sum);
	if (counts->group_count)
		qsort(counts->groups, counts->group_count, sizeof(*counts->groups),
		      compare_groups);
}

void group_counts_free(struct group_counts *counts)
{
	for (size_t i = 0; i < counts->group_count; i++)
		ranges_free(&counts->groups[i].ranges);
	free(counts->groups);
	free(counts->values);
	ranges_free(&counts->sum);
	counts->groups = NULL;
	counts->values = NULL;
	counts->group_count = 0;
	counts->count = 0;
}
