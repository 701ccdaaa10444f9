/* SPDX-License-Identifier: MIT */
/* Draws the distribution of a field's values. */
#include "html_page.h"

#include <math.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/text/text_table.h"

#define BARS 32
#define WIDTH 320.0
#define HEIGHT 72.0 /* of the bars */

/* The axis: from low to high, linear or logarithmic, in count bars. */
struct axis {
	double low, high;
	double offset; /* of a logarithmic one that begins with 0 */
	int is_log, is_whole;
	int count;
};

/* Most numbers are in a small part of a linear axis. Floats near 0 have no log axis. */
static int is_skewed(const struct axis *axis, const struct histogram *histogram)
{
	if (axis->low < 0 || (axis->low == 0 && histogram->has_floats))
		return 0;
	return (histogram_percentile(histogram, 0.9) - axis->low) /
	       (axis->high - axis->low) < 0.4;
}

static struct axis axis_of(const struct histogram *histogram)
{
	struct axis axis = {
		.low = value_as_double(&histogram->least),
		.high = value_as_double(&histogram->greatest),
		.count = BARS,
	};

	if (!histogram->has_floats && axis.high - axis.low < BARS) {
		axis.is_whole = 1;
		axis.count = (int)(axis.high - axis.low) + 1;
		axis.high += 1;
	} else if (axis.high <= axis.low) { /* one number, which is not whole */
		axis.count = 1;
		axis.high = axis.low + (axis.low ? fabs(axis.low) : 1);
	}
	axis.is_log = !axis.is_whole && is_skewed(&axis, histogram);
	if (axis.is_log && axis.low == 0)
		axis.offset = 1;
	return axis;
}

/* The share of the axis that is left of a number. */
static double position(const struct axis *axis, double number)
{
	/* halves, as the whole range may be larger than a number can be */
	double share = axis->is_log ?
			       log((number + axis->offset) / (axis->low + axis->offset)) /
				       log((axis->high + axis->offset) /
					   (axis->low + axis->offset)) :
			       (number / 2 - axis->low / 2) /
				       (axis->high / 2 - axis->low / 2);

	return share > 0 ? share < 1 ? share : 1 : 0;
}

static double number_at(const struct axis *axis, int bar)
{
	const double share = (double)bar / axis->count;

	if (bar == axis->count)
		return axis->high;
	if (!axis->is_log)
		return axis->low * (1 - share) + axis->high * share;
	return (axis->low + axis->offset) *
	       pow((axis->high + axis->offset) / (axis->low + axis->offset), share) -
	       axis->offset;
}

static uint64_t fill(uint64_t *bars, const struct axis *axis,
		     const struct histogram *histogram)
{
	AUTO_FREE struct histogram_bucket *buckets;
	const size_t count = histogram_buckets(histogram, &buckets);
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		const double middle = buckets[i].low / 2 + buckets[i].high / 2;
		int bar = (int)(position(axis, axis->is_whole ? buckets[i].low : middle) *
				axis->count);

		bar = bar < axis->count ? bar : axis->count - 1;
		bars[bar] += buckets[i].count;
		most = bars[bar] > most ? bars[bar] : most;
	}
	return most;
}

static void put_bars(struct bytes *out, const struct axis *axis, const uint64_t *bars,
		     uint64_t most, enum unit unit)
{
	const double width = WIDTH / axis->count;

	for (int i = 0; i < axis->count; i++) {
		double height = (double)bars[i] / (double)most * HEIGHT;

		if (!bars[i])
			continue;
		height = height < 1.5 ? 1.5 : height;
		bytes_addf(out,
			      "<rect class=\"plain\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			      "height=\"%.1f\"><title>%s", i * width + 0.5,
			      HEIGHT + 8 - height, width > 2 ? width - 1 : width, height,
			      amount_text(number_at(axis, i), unit));
		if (!axis->is_whole)
			bytes_addf(out, " to %s",
				   amount_text(number_at(axis, i + 1), unit));
		bytes_addf(out, ": %s</title></rect>", count_text(bars[i]));
	}
}

static void put_line(struct bytes *out, const struct axis *axis, double number,
		     const char *name, enum unit unit)
{
	const double x = position(axis, number) * WIDTH;

	bytes_addf(out, "<path class=\"rank\" d=\"M%.1f 2v%.0f\"><title>%s: %s</title>"
		      "</path>", x < 1 ? 1 : x > WIDTH - 1 ? WIDTH - 1 : x, HEIGHT + 6, name,
		      amount_text(number, unit));
}

static void put_axis(struct bytes *out, const struct histogram *histogram,
		     const struct axis *axis, enum unit unit)
{
	bytes_addf(out, "<path class=\"base\" d=\"M0 %.1fh%.0f\"/>", HEIGHT + 8.5, WIDTH);
	bytes_addf(out, "<text x=\"0\" y=\"%.0f\">%s</text>", HEIGHT + 22,
		   amount_text(value_as_double(&histogram->least), unit));
	if (axis->count > 1)
		bytes_addf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s"
			      "</text>", WIDTH, HEIGHT + 22,
			      amount_text(value_as_double(&histogram->greatest), unit));
	if (axis->is_log)
		bytes_addf(out, "<text class=\"mute\" x=\"%.0f\" y=\"%.0f\" "
			      "text-anchor=\"middle\">log scale</text>", WIDTH / 2,
			      HEIGHT + 22);
}

void chart_histogram(struct bytes *out, const struct histogram *histogram, enum unit unit,
		     const char *label, size_t label_length)
{
	const struct axis axis = axis_of(histogram);
	uint64_t bars[BARS] = { 0 }, most;

	if (!histogram->count)
		return;
	most = fill(bars, &axis, histogram);
	bytes_addf(out, "<svg class=\"histogram\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">"
		      "<title>Distribution of ", WIDTH, HEIGHT + 26);
	markup_text(out, label, label_length);
	bytes_put(out, "</title>");
	put_bars(out, &axis, bars, most, unit);
	if (!axis.is_whole) {
		put_line(out, &axis, histogram_percentile(histogram, 0.5), "p50", unit);
		put_line(out, &axis, histogram_percentile(histogram, 0.99), "p99", unit);
	}
	put_axis(out, histogram, &axis, unit);
	bytes_put(out, "</svg>");
}

/* The line is drawn at the tops of its bars. */
static void put_outline(struct bytes *out, const struct axis *axis, const double *shares,
			double most)
{
	const double width = WIDTH / axis->count;

	bytes_addf(out, "<path class=\"before-line\" d=\"M0 %.1f", HEIGHT + 8);
	for (int i = 0; i < axis->count; i++)
		bytes_addf(out, "V%.1fH%.1f", HEIGHT + 8 - shares[i] / most * HEIGHT,
			   (i + 1) * width);
	bytes_addf(out, "V%.1f\"/>", HEIGHT + 8);
}

static double shares_of(double *shares, const struct axis *axis,
			const struct histogram *histogram)
{
	uint64_t bars[BARS] = { 0 };
	double most = 0;

	fill(bars, axis, histogram);
	for (int i = 0; i < axis->count; i++) {
		shares[i] = histogram->count ? (double)bars[i] / (double)histogram->count : 0;
		most = shares[i] > most ? shares[i] : most;
	}
	return most;
}

static void put_shares(struct bytes *out, const struct axis *axis, const double *shares,
		       double most)
{
	const double width = WIDTH / axis->count;

	for (int i = 0; i < axis->count; i++)
		if (shares[i] > 0)
			bytes_addf(out, "<rect class=\"plain\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				   "height=\"%.1f\"/>", i * width + 0.5,
				   HEIGHT + 8 - shares[i] / most * HEIGHT,
				   width > 2 ? width - 1 : width, shares[i] / most * HEIGHT);
}

void chart_two_histograms(struct bytes *out, const struct histogram *before,
			  const struct histogram *after, enum unit unit)
{
	AUTO(histogram_free) struct histogram both = { .count = 0 };
	double one[BARS], other[BARS], most, least;
	struct axis axis;

	histogram_merge(&both, before);
	histogram_merge(&both, after);
	if (both.count) {
		axis = axis_of(&both);
		least = shares_of(one, &axis, before);
		most = shares_of(other, &axis, after);
		most = most > least ? most : least;
		bytes_addf(out, "<svg class=\"histogram\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">"
			   "<title>Distributions before and after</title>", WIDTH, HEIGHT + 26);
		put_shares(out, &axis, other, most);
		put_outline(out, &axis, one, most);
		put_axis(out, &both, &axis, unit);
		bytes_put(out, "</svg>");
	}
}

/* Values */

/* How often a value occurred at least. */
static uint64_t certain(const struct top_value *value)
{
	return value->count - value->error;
}

static void put_value(struct bytes *out, const struct top_values *values,
		      const struct top_value *value)
{
	const double share = 100.0 * (double)certain(value) / (double)values->total;

	bytes_put(out, "<tr><td class=\"value\">");
	if (value->length)
		markup_short(out, value->text, value->length, 48);
	else
		bytes_put(out, "<i>empty</i>");
	bytes_addf(out, "</td><td class=\"share\"><svg viewBox=\"0 0 100 8\" "
		      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"plain\" "
		      "width=\"%.1f\" height=\"8\"/></svg></td><td class=\"n\">%s%s</td>"
		      "<td class=\"n mute\">%.1f %%</td></tr>\n", share,
		      value->error ? "\xe2\x89\xa5 " : "", count_text(certain(value)), share);
}

/* With more values than are counted, the rare ones mean nothing. */
static int is_shown(const struct top_values *values, const struct top_value *value)
{
	return values->is_exact || certain(value) >= values->total / 100 + 1;
}

static void put_rest(struct bytes *out, const struct top_values *values, uint32_t shown,
		     uint64_t times)
{
	if (values->is_exact && shown < values->used)
		bytes_addf(out, "<p class=\"mute\">and %s more, %s in all</p>\n",
			   counted(values->used - shown, "value"),
			   counted(values->total - times, "time"));
	if (values->is_exact)
		return;
	bytes_addf(out, "<p class=\"mute\">%s than %u different values%s</p>\n",
		   shown ? "Others are rarer; there are more" : "More", TOP_VALUES,
		   shown ? "." : ", none of them frequent; one is:");
	if (shown)
		return;
	bytes_put(out, "<p class=\"value\">");
	markup_short(out, values->items[0].text, values->items[0].length, 48);
	bytes_put(out, "</p>\n");
}

void chart_values(struct bytes *out, const struct top_values *values, uint32_t most)
{
	uint64_t times = 0;
	uint32_t shown = 0;

	bytes_put(out, "<table class=\"values\">");
	while (shown < values->used && shown < most &&
	       is_shown(values, &values->items[shown])) {
		put_value(out, values, &values->items[shown]);
		times += values->items[shown++].count;
	}
	bytes_put(out, "</table>\n");
	put_rest(out, values, shown, times);
}

/* Draws counts over time as bars. */

struct bar {
	uint64_t of[SEVERITIES];
	uint64_t sum;
};

static const char *const classes[SEVERITIES] = { "plain", "warning", "error" };

double plot_x(const struct plot *plot, int64_t time)
{
	return plot->x + time_between(plot->first, time) / plot->span * plot->width;
}

/* Bins that are merged to one bar. */
static int merged_bins(const struct plot *plot, const struct time_scale *scale,
		       double least_width)
{
	const double width = (double)((uint64_t)1 << scale->shift) / plot->span *
			     plot->width;
	int count = 1;

	while (count < BIN_COUNT && width * count < least_width)
		count *= 2;
	return count;
}

/* Returns the greatest sum. */
static uint64_t fill_series(struct bar *bars, const struct series *series, int merged)
{
	uint64_t most = 0;

	for (int i = 0; i < BIN_COUNT; i++)
		for (int severity = 0; severity < SEVERITIES; severity++)
			if (series->of[severity]) {
				bars[i / merged].of[severity] +=
					series->of[severity]->counts[i];
				bars[i / merged].sum += series->of[severity]->counts[i];
			}
	for (int i = 0; i < BIN_COUNT / merged; i++)
		most = bars[i].sum > most ? bars[i].sum : most;
	return most;
}

/* The part of a bar that is in the plot. */
static int bar_place(const struct plot *plot, const struct time_scale *scale, int merged,
		     int index, double *x, double *width)
{
	const double size = (double)((uint64_t)1 << scale->shift);
	const int64_t base = (int64_t)((uint64_t)scale->base << scale->shift);
	const double begin = time_between(plot->first, base) + (double)index * merged * size;
	double left = begin / plot->span * plot->width;
	double right = (begin + merged * size) / plot->span * plot->width;

	left = left < 0 ? 0 : left;
	right = right > plot->width ? plot->width : right;
	*x = plot->x + left;
	*width = right - left;
	return *width > 0;
}

/* Small counts are visible beside large ones. */
static double bar_height(const struct plot *plot, uint64_t count, uint64_t most)
{
	double height = (double)count / (double)most * plot->height;

	return count && height < 1.5 ? 1.5 : height;
}

static void put_title(struct bytes *out, const struct bar *bar)
{
	bytes_addf(out, "<title>%s", counted(bar->sum, "event"));
	if (bar->of[SEVERITY_WARNING])
		bytes_addf(out, ", %s", counted(bar->of[SEVERITY_WARNING], "warning"));
	if (bar->of[SEVERITY_ERROR])
		bytes_addf(out, ", %s", counted(bar->of[SEVERITY_ERROR], "error"));
	bytes_put(out, "</title>");
}

/* Errors are at the bottom, where the eye looks for them. */
static void put_bar(struct bytes *out, const struct plot *plot, const struct bar *bar,
		    uint64_t most, double x, double width, int severity)
{
	uint64_t below = 0;
	double bottom, height;

	for (int i = severity + 1; i < SEVERITIES; i++)
		below += bar->of[i];
	bottom = below ? bar_height(plot, below, most) : 0;
	height = bar_height(plot, bar->of[severity], most);
	if (bottom + height > plot->height)
		bottom = plot->height - height;
	bytes_addf(out, "M%.1f %.1fv%.1fh%.1fv%.1fz", x,
		   plot->y + plot->height - bottom, -height, width, height);
}

static void put_titled(struct bytes *out, const struct plot *plot,
		       const struct time_scale *scale, const struct bar *bars, int merged,
		       uint64_t most)
{
	double x, width;

	for (int i = 0; i < BIN_COUNT / merged; i++) {
		if (!bars[i].sum || !bar_place(plot, scale, merged, i, &x, &width))
			continue;
		bytes_put(out, "<g>");
		put_title(out, &bars[i]);
		for (int severity = 0; severity < SEVERITIES; severity++) {
			if (!bars[i].of[severity])
				continue;
			bytes_addf(out, "<path class=\"%s\" d=\"", classes[severity]);
			put_bar(out, plot, &bars[i], most, x, width, severity);
			bytes_put(out, "\"/>");
		}
		bytes_put(out, "</g>");
	}
}

static void put_paths(struct bytes *out, const struct plot *plot,
		      const struct time_scale *scale, const struct bar *bars, int merged,
		      uint64_t most)
{
	double x, width;

	for (int severity = 0; severity < SEVERITIES; severity++) {
		bytes_addf(out, "<path class=\"%s\" d=\"M0 0", classes[severity]);
		for (int i = 0; i < BIN_COUNT / merged; i++)
			if (bars[i].of[severity] &&
			    bar_place(plot, scale, merged, i, &x, &width))
				put_bar(out, plot, &bars[i], most, x, width, severity);
		bytes_put(out, "\"/>");
	}
}

void chart_series(struct bytes *out, const struct series *series,
		  const struct time_scale *scale, const struct plot *plot, double least_width,
		  int has_titles)
{
	struct bar bars[BIN_COUNT] = { 0 };
	const int merged = merged_bins(plot, scale, least_width);
	const uint64_t most = fill_series(bars, series, merged);

	if (!most)
		return;
	if (has_titles)
		put_titled(out, plot, scale, bars, merged, most);
	else
		put_paths(out, plot, scale, bars, merged, most);
}

void chart_spark(struct bytes *out, const struct series *series,
		 const struct time_scale *scale, const char *label)
{
	const struct plot plot = {
		.width = 160,
		.height = 26,
		.first = scale->first,
		.span = time_between(scale->first, scale->last) + 1,
	};

	bytes_put(out,
		  "<svg class=\"spark\" viewBox=\"0 0 160 27\" role=\"img\"><title>");
	markup_string(out, label);
	bytes_put(out, "</title>");
	chart_series(out, series, scale, &plot, 2, 0);
	bytes_put(out, "<path class=\"base\" d=\"M0 26.5h160\"/></svg>");
}
