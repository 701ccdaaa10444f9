/* SPDX-License-Identifier: MIT */
/* Divides the numbers of a field among histograms of the kernel. */
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

struct range bucket_plan_range(const struct bucket_plan *plan, const struct key_field *field,
			       size_t piece, const struct hist_cell *cell)
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
