/* SPDX-License-Identifier: MIT */
/* Draws counts over time as bars. */
#include <inttypes.h>
#include <stdlib.h>

#include "charts.h"
#include "common/text/markup.h"

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
static uint64_t fill(struct bar *bars, const struct series *series, int merged)
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
	markup_format(out, "<title>%s", counted(bar->sum, "event"));
	if (bar->of[SEVERITY_WARNING])
		markup_format(out, ", %s", counted(bar->of[SEVERITY_WARNING], "warning"));
	if (bar->of[SEVERITY_ERROR])
		markup_format(out, ", %s", counted(bar->of[SEVERITY_ERROR], "error"));
	markup_put(out, "</title>");
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
	markup_format(out, "M%.1f %.1fv%.1fh%.1fv%.1fz", x,
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
		markup_put(out, "<g>");
		put_title(out, &bars[i]);
		for (int severity = 0; severity < SEVERITIES; severity++) {
			if (!bars[i].of[severity])
				continue;
			markup_format(out, "<path class=\"%s\" d=\"", classes[severity]);
			put_bar(out, plot, &bars[i], most, x, width, severity);
			markup_put(out, "\"/>");
		}
		markup_put(out, "</g>");
	}
}

static void put_paths(struct bytes *out, const struct plot *plot,
		      const struct time_scale *scale, const struct bar *bars, int merged,
		      uint64_t most)
{
	double x, width;

	for (int severity = 0; severity < SEVERITIES; severity++) {
		markup_format(out, "<path class=\"%s\" d=\"M0 0", classes[severity]);
		for (int i = 0; i < BIN_COUNT / merged; i++)
			if (bars[i].of[severity] &&
			    bar_place(plot, scale, merged, i, &x, &width))
				put_bar(out, plot, &bars[i], most, x, width, severity);
		markup_put(out, "\"/>");
	}
}

void chart_series(struct bytes *out, const struct series *series,
		  const struct time_scale *scale, const struct plot *plot, double least_width,
		  int has_titles)
{
	struct bar bars[BIN_COUNT] = { 0 };
	const int merged = merged_bins(plot, scale, least_width);
	const uint64_t most = fill(bars, series, merged);

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

	markup_put(out, "<svg class=\"spark\" viewBox=\"0 0 160 27\" role=\"img\"><title>");
	markup_string(out, label);
	markup_put(out, "</title>");
	chart_series(out, series, scale, &plot, 2, 0);
	markup_put(out, "<path class=\"base\" d=\"M0 26.5h160\"/></svg>");
}
