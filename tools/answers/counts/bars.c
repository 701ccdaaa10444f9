/* SPDX-License-Identifier: MIT */
/* Draws histograms with a bar a row. */
#include "histogram.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/program.h"

/* Chooses round limits for the rows of a drawing. */

/* Round numbers */

/* The greatest of 1, 2 and 5 times a power of 10 that is not above the number. */
static double round_below(double number)
{
	const double power = pow(10, floor(log10(number)));
	const double digit = number / power;

	/* log10() and pow() may be off by a bit */
	return power * (digit >= 10 ? 10 : digit >= 5 ? 5 : digit >= 2 ? 2 : digit >= 1 ? 1 : 0.5);
}

static double round_above(double number)
{
	const double below = round_below(number), power = pow(10, floor(log10(number)));

	if (below >= number)
		return below;
	return below < power ? power : below < 2 * power ? 2 * power :
	       below < 5 * power ? 5 * power : 10 * power;
}

/* Rows of equal width */

static int make_equal(const struct histogram *histogram, struct bar_rows *rows)
{
	const double low = value_as_double(&histogram->least);
	const double high = value_as_double(&histogram->greatest);
	const double far = fmax(fabs(low), fabs(high));
	double step = (high / 20 - low / 20), first;

	if (!histogram->has_floats && step < 1)
		step = 1;
	if (histogram->has_floats || far > 256) /* not narrower than a bucket */
		step = fmax(step, far / 128);
	if (!(step > 1e-300)) /* one number, or nearly so */
		step = fmax(fabs(high), 1e-300);
	step = round_above(step);
	first = floor(low / step);
	rows->count = 0;
	while (rows->count < BAR_ROWS_MAX && (!rows->count || rows->edges[rows->count] <= high)) {
		rows->edges[rows->count] = (first + (double)rows->count) * step;
		rows->count++;
		rows->edges[rows->count] = (first + (double)rows->count) * step;
	}
	return rows->edges[rows->count] > high ? 0 : -1;
}

/* Rows that grow */

/*
 * The limits of one sign: 0 for numbers up to the first, then powers of 10 with this many
 * decades between them, or, for 0, 1, 2 and 5 times the powers.
 */
struct growth {
	int decades;
	double least;	 /* of all that are not 0, without signs */
	double greatest[2]; /* without signs: of the numbers below 0, of those above */
};

static double next_limit(const struct growth *growth, double limit)
{
	return growth->decades ? limit * pow(10, growth->decades) : round_above(limit * 1.5);
}

static double first_limit(const struct growth *growth)
{
	const double decades = growth->decades ? growth->decades : 1;

	if (!growth->decades)
		return round_below(growth->least);
	return pow(10, floor(log10(growth->least) / decades) * decades);
}

static int add_edge(struct bar_rows *rows, double edge)
{
	if (rows->count > BAR_ROWS_MAX)
		return -1;
	rows->edges[rows->count++] = edge;
	return 0;
}

static int compare(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* All limits, first those of numbers above 0, in any order. */
static int add_edges(const struct growth *growth, struct bar_rows *rows, int has_zero)
{
	const double first = first_limit(growth);
	double limit = first;
	int failed = 0;

	if (has_zero || growth->greatest[0] > 0)
		failed |= add_edge(rows, 0);
	for (; !failed && growth->greatest[1] > 0; limit = next_limit(growth, limit)) {
		failed |= add_edge(rows, limit);
		if (limit > growth->greatest[1])
			break;
	}
	for (limit = first; !failed && growth->greatest[0] > 0;
	     limit = next_limit(growth, limit)) {
		failed |= add_edge(rows, -limit);
		if (limit > growth->greatest[0])
			break;
	}
	if (has_zero && !(growth->greatest[1] > 0))
		failed |= add_edge(rows, first);
	return failed;
}

static int make_growing(const struct histogram_bucket *buckets, size_t count,
			struct bar_rows *rows)
{
	static const int steps[] = { 0, 1, 2, 3, 6, 10, 20, 30, 60, 100 };
	struct growth growth = { .least = INFINITY };
	int has_zero = 0;

	for (size_t i = 0; i < count; i++) {
		const double middle = buckets[i].middle;

		has_zero |= fabs(middle) < 1e-300;
		if (fabs(middle) < 1e-300)
			continue;
		growth.least = fmin(growth.least, fabs(middle));
		growth.greatest[middle > 0] = fmax(growth.greatest[middle > 0], fabs(middle));
	}
	if (!isfinite(growth.least))
		return -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		growth.decades = steps[i];
		rows->count = 0;
		if (add_edges(&growth, rows, has_zero))
			continue;
		qsort(rows->edges, rows->count, sizeof(rows->edges[0]), compare);
		rows->count--;
		return 0;
	}
	return -1;
}

/* Counting */

/* How many numbers of a bucket are in the row, if it ends within the bucket. */
static uint64_t share_below(const struct histogram_bucket *bucket, double edge)
{
	const double width = bucket->high - bucket->low;

	if (edge <= bucket->low)
		return 0;
	if (edge >= bucket->high)
		return bucket->count;
	return (uint64_t)((double)bucket->count * ((edge - bucket->low) / width) + 0.5);
}

static void divide(struct histogram_bucket left, size_t *row, struct bar_rows *rows)
{
	for (; *row + 1 < rows->count && left.high > rows->edges[*row + 1]; ++*row) {
		const uint64_t below = share_below(&left, rows->edges[*row + 1]);

		left.low = fmax(left.low, rows->edges[*row + 1]);
		rows->counts[*row] += below;
		left.count -= below;
	}
	rows->counts[*row] += left.count;
}

static void add_exactly(const struct value *number, struct bar_rows *rows)
{
	size_t row = 0;

	while (row + 1 < rows->count && value_as_double(number) >= rows->edges[row + 1])
		row++;
	rows->counts[row]++;
}

/*
 * A bucket across an edge is divided, as if its numbers were spread evenly. The least and the
 * greatest number are known exactly.
 */
static void fill(const struct histogram *histogram, const struct histogram_bucket *buckets,
		 size_t count, struct bar_rows *rows)
{
	const int is_single = histogram->count == 1;
	size_t row = 0;

	memset(rows->counts, 0, sizeof(rows->counts));
	add_exactly(&histogram->least, rows);
	if (!is_single)
		add_exactly(&histogram->greatest, rows);
	for (size_t i = 0; i < count; i++) {
		struct histogram_bucket left = buckets[i];

		left.count -= (i == 0) + (i == count - 1 && !is_single);
		if (!histogram->has_floats && left.middle < 0) {
			left.low++; /* belongs to it, and high does not, as above 0 */
			left.high++;
		}
		divide(left, &row, rows);
	}
}

/* Empty rows before the first number and behind the last. */
static void trim(struct bar_rows *rows)
{
	size_t empty = 0;

	while (rows->count && !rows->counts[rows->count - 1])
		rows->count--;
	while (empty < rows->count && !rows->counts[empty])
		empty++;
	rows->count -= empty;
	memmove(rows->edges, rows->edges + empty, (rows->count + 1) * sizeof(rows->edges[0]));
	memmove(rows->counts, rows->counts + empty, rows->count * sizeof(rows->counts[0]));
}

/* Shannon's entropy: how much a row tells of a number. */
static double entropy(const struct bar_rows *rows)
{
	double sum = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += rows->counts[i];
	for (size_t i = 0; i < rows->count; i++) {
		const double share = (double)rows->counts[i] / (double)count;

		if (share > 0)
			sum -= share * log2(share);
	}
	return sum;
}

/* Tells more, or as much in fewer rows. */
static int is_better(const struct bar_rows *one, const struct bar_rows *other)
{
	const double more = entropy(one) - entropy(other);

	return more > 1e-9 || (more > -1e-9 && one->count < other->count);
}

/*
 * Rows of equal width, or rows that grow as 1, 2, 5, 10, 20, ... do: those which tell more of
 * the numbers apart. An edge is sharp to HISTOGRAM_ERROR. No rows if the histogram is empty.
 */
static void bar_rows_make(const struct histogram *histogram, struct bar_rows *rows)
{
	struct bar_rows equal = { 0 }, growing = { 0 };
	AUTO_FREE struct histogram_bucket *buckets;
	size_t count = histogram_buckets(histogram, &buckets);

	*rows = (struct bar_rows){ 0 };
	if (count) {
		const int has_equal = !make_equal(histogram, &equal);
		const int has_growing = !make_growing(buckets, count, &growing);

		fill(histogram, buckets, count, &equal);
		fill(histogram, buckets, count, &growing);
		trim(&equal);
		trim(&growing);
		*rows = has_growing && (!has_equal || is_better(&growing, &equal)) ?
				growing : equal;
	}
}

#define COLUMNS_USUAL 80
#define BAR_MOST 60

#define CYAN "\x1b[36m"
#define PLAIN "\x1b[0m"

static int is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	int result = 0;

	if (locale)
		result = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	if (locale)
		freelocale(locale);
	return result;
}

void canvas_begin(struct canvas *canvas)
{
	const int columns = output_columns();

	canvas->has_blocks = is_utf8();
	canvas->has_colour = output_has_colour();
	canvas->columns = columns ? columns : COLUMNS_USUAL;
}

/* Limits of rows: "200", "200 .. 299", or "1.5 .. 2" for numbers of 1.5 and more below 2. */

struct labels {
	char low[BAR_ROWS_MAX][QUANTITY_TEXT_MAX];
	char high[BAR_ROWS_MAX][QUANTITY_TEXT_MAX]; /* "": one number */
	int low_width, high_width, count_width;
};

static int widest(int width, const char *text)
{
	const int length = (int)strlen(text);

	return length > width ? length : width;
}

static void make_labels(const struct histogram *histogram, const struct bar_rows *rows,
			enum unit unit, struct labels *labels)
{
	const int is_whole = !histogram->has_floats && unit == UNIT_NONE;
	const double least = value_as_double(&histogram->least);
	const int is_one = least == value_as_double(&histogram->greatest);
	char count[QUANTITY_TEXT_MAX];

	*labels = (struct labels){ .low_width = 0 };
	for (size_t i = 0; i < rows->count; i++) {
		const double low = is_whole ? ceil(rows->edges[i]) : rows->edges[i];
		const double high = is_whole ? ceil(rows->edges[i + 1]) - 1 : rows->edges[i + 1];

		quantity_text(labels->low[i], is_one ? least : low, unit);
		if (high > low && !is_one)
			quantity_text(labels->high[i], high, unit);
		snprintf(count, sizeof(count), "%llu", (unsigned long long)rows->counts[i]);
		labels->low_width = widest(labels->low_width, labels->low[i]);
		labels->high_width = widest(labels->high_width, labels->high[i]);
		labels->count_width = widest(labels->count_width, count);
	}
}

/* Bars */

/* eighths: of characters. */
static void put_blocks(unsigned int eighths, struct bytes *to)
{
	static const char *const parts[] = { "", "\u258f", "\u258e", "\u258d",
					     "\u258c", "\u258b", "\u258a", "\u2589" };

	for (; eighths >= 8; eighths -= 8)
		bytes_add(to, "\u2588", 3);
	bytes_put(to, parts[eighths]);
}

static void put_marks(unsigned int eighths, struct bytes *to)
{
	unsigned int marks = (eighths + 4) / 8;

	for (marks = marks ? marks : 1; marks; marks--)
		bytes_add(to, "#", 1);
}

void bar_put(double share, int columns, const struct canvas *canvas, struct bytes *to)
{
	unsigned int eighths = (unsigned int)lround(share * columns * 8);

	if (share <= 0 || columns <= 0)
		return;
	bytes_add(to, "  ", 2);
	if (canvas->has_colour)
		bytes_put(to, CYAN);
	if (canvas->has_blocks)
		put_blocks(eighths ? eighths : 1, to);
	else
		put_marks(eighths, to);
	if (canvas->has_colour)
		bytes_put(to, PLAIN);
}

static int bar_columns(const struct labels *labels, const struct canvas *canvas)
{
	const int taken = 2 + labels->low_width + 4 + labels->high_width + 2 +
			  labels->count_width + 2;
	const int left = canvas->columns - 1 - taken;

	return left < 0 ? 0 : left > BAR_MOST ? BAR_MOST : left;
}

static uint64_t most_of(const struct bar_rows *rows)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->counts[i] > most)
			most = rows->counts[i];
	return most;
}

static void put_label(const struct labels *labels, size_t row, uint64_t count,
		      struct bytes *to)
{
	char text[3 * QUANTITY_TEXT_MAX + 20];
	const int has_high = *labels->high[row] != '\0';

	bytes_add(to, text, (size_t)snprintf(text, sizeof(text), "  %*s%s%*s  %*llu",
					     labels->low_width, labels->low[row],
					     has_high ? " .. " : labels->high_width ? "    " : "",
					     labels->high_width, labels->high[row],
					     labels->count_width, (unsigned long long)count));
}

void bars_put(const struct histogram *histogram, enum unit unit,
	      const struct canvas *canvas, struct bytes *to)
{
	struct bar_rows rows;
	struct labels labels;

	bar_rows_make(histogram, &rows);
	make_labels(histogram, &rows, unit, &labels);
	for (size_t i = 0; i < rows.count; i++) {
		put_label(&labels, i, rows.counts[i], to);
		bar_put((double)rows.counts[i] / (double)most_of(&rows),
			bar_columns(&labels, canvas), canvas, to);
		bytes_add(to, "\n", 1);
	}
}
