/* SPDX-License-Identifier: MIT */
/* Shows two recordings side by side. */
#include "html_page.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/memory.h"
#include "common/text/text_table.h"

#define ROWS_SHOWN 100

/* Gathering */

static void leave(void *context, struct open_start *start, enum pair_fate fate)
{
	struct compared_facts *facts = context;

	(void)start;
	facts->open[facts->side] += fate == START_NEVER_ENDED;
}

static void take_pair(struct compared_facts *facts, const struct event *event,
		      const struct pair *pair)
{
	const struct event_kind *start = *(const struct event_kind **)pair->ended->data;
	const struct value duration = { .type = VALUE_SIGNED, .whole = pair->nanoseconds };

	if (facts->durations.count < STARTS_COMPARED ||
	    comparison_has_row(&facts->durations, start))
		comparison_value(&facts->durations, comparison_row(&facts->durations, start),
				 facts->side, event->record, &duration);
	else
		facts->left_out++;
}

static int take(struct sink *sink, struct event *event)
{
	struct compared_facts *facts = (struct compared_facts *)sink;
	struct pair pair;

	if (facts->has_expression)
		cut_pairs_take(&facts->cut, event, 0);
	comparison_count(&facts->events, comparison_row(&facts->events, event->kind),
			 facts->side, event->record);
	pairs_take(&facts->pairs, event, &pair);
	if (pair.ended)
		take_pair(facts, event, &pair);
	if (pair.opened)
		*(const struct event_kind **)pair.opened->data = event->kind;
	return 0;
}

static void take_left_out(struct sink *sink, struct event *event)
{
	cut_pairs_take(&((struct compared_facts *)sink)->cut, event, 1);
}

void compared_facts_begin(struct compared_facts *facts, int side)
{
	facts->sink = (struct sink){ .take = take, .take_left_out = take_left_out, .fd = -1 };
	facts->side = side;
	facts->cut.pairs = (struct pairs){ .count = 0 };
	cut_pairs_begin(&facts->cut);
	facts->pairs = (struct pairs){
		.data_size = sizeof(struct event_kind *),
		.context = facts,
		.leave = leave,
	};
}

void compared_facts_end(struct compared_facts *facts)
{
	pairs_end(&facts->pairs);
	pairs_report(&facts->pairs, "");
	pairs_free(&facts->pairs);
	cut_pairs_free(&facts->cut);
}

void compared_facts_free(struct compared_facts *facts)
{
	comparison_free(&facts->events);
	comparison_free(&facts->durations);
}

/* Rows, those with the most events first */

struct shown {
	const struct compared_row *row;
	uint64_t count;
	struct compared compared;
};

static int by_count(const void *one, const void *other)
{
	const struct shown *a = one, *b = other;

	return a->count == b->count ? (a->row > b->row) - (a->row < b->row) :
				      (a->count < b->count) - (a->count > b->count);
}

/*
 * The caller frees it. A result takes 1000 rounds, so there is none of rows that are not
 * shown.
 */
static struct shown *rows_of(const struct comparison *comparison, uint32_t *count)
{
	struct shown *rows = xcalloc(comparison->count + 1, sizeof(*rows));

	for (uint32_t i = 0; i < comparison->count; i++) {
		rows[i].row = &comparison->rows[i];
		for (int j = 0; j < (int)BLOCKS_MAX; j++)
			rows[i].count += rows[i].row->counts[0][j] + rows[i].row->counts[1][j];
	}
	qsort(rows, comparison->count, sizeof(*rows), by_count);
	*count = comparison->count < ROWS_SHOWN ? comparison->count : ROWS_SHOWN;
	for (uint32_t i = 0; i < *count; i++)
		comparison_result(comparison, rows[i].row, &rows[i].compared);
	return rows;
}

/* Changes */

#define WIDTH 180.0
#define NONE "\xe2\x80\x93"
#define RATIO_MAX 10.0 /* changes beyond it end at the edge */

/* A rate of 0 is one. */
static const int both[2] = { 1, 1 };

static int has_interval(const struct change *change)
{
	return change->verdict == COMPARE_NOISE || change->verdict == COMPARE_DIFFERS;
}

/* Twice as much is as far from the middle as half as much. */
static double place(double relative)
{
	const double ratio = 1 + relative;
	double share = ratio > 0 ? log(ratio) / log(RATIO_MAX) : -1;

	share = share > 1 ? 1 : share < -1 ? -1 : share;
	return WIDTH / 2 * (1 + share * 0.98);
}

/* class: of a change that differs. */
static void put_picture(struct bytes *out, const struct change *change, const char *class)
{
	const double low = place(change->low), high = place(change->high);

	bytes_addf(out, "<svg class=\"spark\" viewBox=\"0 0 %.0f 14\" role=\"img\"><title>"
		   "From a tenth to ten times as much</title><path class=\"rank\" "
		   "d=\"M%.1f 0v14\"/>", WIDTH, WIDTH / 2);
	if (has_interval(change))
		bytes_addf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"5.5\" width=\"%.1f\" "
			   "height=\"3\"/><rect class=\"%s\" x=\"%.1f\" y=\"2\" width=\"2\" "
			   "height=\"10\"/>", class, low, high - low < 1 ? 1 : high - low, class,
			   place(change->relative) - 1);
	bytes_put(out, "</svg>");
}

static void put_percent(struct bytes *out, double relative)
{
	if (isfinite(relative))
		bytes_addf(out, "%+.1f %%", relative * 100);
	else
		bytes_put(out, "\xe2\x80\x93");
}

static const char *class_of(const struct change *change, int is_duration)
{
	return change->verdict != COMPARE_DIFFERS ? "noise" :
	       !is_duration ? "plain" : change->relative > 0 ? "error" : "better";
}

/* is_there: whether the sides have any. */
static void put_quantity(struct bytes *out, const struct change *change, enum unit unit,
			 int is_duration, const int is_there[2])
{
	bytes_addf(out, "<td class=\"n\">%s</td>", is_there[0] ? amount_text(change->before, unit) : NONE);
	bytes_addf(out, "<td class=\"n\">%s</td><td class=\"n\">",
		   is_there[1] ? amount_text(change->after, unit) : NONE);
	put_percent(out, is_there[0] && is_there[1] ? change->relative : NAN);
	bytes_put(out, "</td><td class=\"n mute\">");
	if (has_interval(change)) {
		put_percent(out, change->low);
		bytes_put(out, " to ");
		put_percent(out, change->high);
	}
	bytes_put(out, "</td><td>");
	put_picture(out, change, class_of(change, is_duration));
	bytes_addf(out, "</td><td%s>%s</td></tr>\n",
		   change->verdict == COMPARE_NOISE || change->verdict == COMPARE_TOO_FEW ?
			   " class=\"mute\"" : "", verdict_text(change->verdict));
}

static void put_columns(struct bytes *out, const char *first)
{
	bytes_addf(out, "<div class=\"scroll\"><table><thead><tr><th>%s</th><th class=\"n\">"
		   "before</th><th class=\"n\">after</th><th class=\"n\">change</th>"
		   "<th class=\"n\">99 %% interval</th><th>a tenth \xe2\x80\xa6 ten times</th>"
		   "<th></th></tr></thead><tbody>\n", first);
}

/* Durations */

static struct histogram sum_of(const struct compared_row *row, int side)
{
	struct histogram sum = { .count = 0 };

	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		histogram_merge(&sum, &row->values[side][i]);
	return sum;
}

static void put_distributions(struct bytes *out, const struct compared_row *row)
{
	AUTO(histogram_free) struct histogram before = sum_of(row, 0);
	AUTO(histogram_free) struct histogram after = sum_of(row, 1);

	bytes_put(out, "<div class=\"box\">");
	chart_two_histograms(out, &before, &after, UNIT_NS);
	bytes_addf(out, "<p class=\"facts\"><span>before, the line <b>%s</b></span> ",
		   count_text(before.count));
	bytes_addf(out, "<span>after, the bars <b>%s</b></span></p></div>\n",
		   count_text(after.count));
}

static void put_durations(struct bytes *out, const struct shown *shown)
{
	const int is_there[2] = { shown->compared.counts[0] > 0, shown->compared.counts[1] > 0 };
	static const char *const names[PERCENTILES_COMPARED] = { "p50", "p90", "p99" };

	bytes_put(out, "<h3>");
	page_kind_name(out, shown->row->kind);
	bytes_put(out, "</h3>\n<div class=\"pair\">");
	put_distributions(out, shown->row);
	put_columns(out, "");
	for (int i = 0; i < PERCENTILES_COMPARED; i++) {
		bytes_addf(out, "<tr><td>%s</td>", names[i]);
		put_quantity(out, &shown->compared.percentiles[i], UNIT_NS, 1, is_there);
	}
	bytes_put(out, "<tr><td>a second</td>");
	put_quantity(out, &shown->compared.rate, UNIT_NONE, 0, both);
	bytes_put(out, "</tbody></table></div></div>\n");
}

static void put_all_durations(struct bytes *out, const struct compared_facts *facts)
{
	uint32_t count;
	AUTO_FREE struct shown *rows = rows_of(&facts->durations, &count);
	const int has_open = !facts->cut.count && (facts->open[0] || facts->open[1]);

	bytes_put(out, "<section>\n<h2 id=\"activities\">Activities</h2>\n");
	for (uint32_t i = 0; i < count; i++)
		put_durations(out, &rows[i]);
	cut_pairs_put(facts->cut.count, out);
	if (has_open)
		bytes_addf(out, "<p class=\"warn\">Starts that never ended: %s before, ",
			   count_text(facts->open[0]));
	if (has_open)
		bytes_addf(out, "%s after.</p>\n", count_text(facts->open[1]));
	if (facts->left_out)
		bytes_addf(out, "<p class=\"mute\">%s of further kinds are left out.</p>\n",
			   counted(facts->left_out, "pair"));
	bytes_put(out, "</section>\n");
}

/* Events */

static void put_events(struct bytes *out, const struct compared_facts *facts)
{
	uint32_t count;
	AUTO_FREE struct shown *rows = rows_of(&facts->events, &count);

	bytes_put(out, "<section>\n<h2 id=\"events\">Events a second</h2>\n");
	put_columns(out, "event");
	for (uint32_t i = 0; i < count; i++) {
		bytes_put(out, "<tr><td class=\"name\">");
		page_kind_name(out, rows[i].row->kind);
		bytes_put(out, "</td>");
		put_quantity(out, &rows[i].compared.rate, UNIT_NONE, 0, both);
	}
	bytes_put(out, "</tbody></table></div>\n");
	if (facts->events.count > count)
		bytes_addf(out, "<p class=\"mute\">%s with fewer events are left out.</p>\n",
			   counted(facts->events.count - count, "name"));
	bytes_put(out, "</section>\n");
}

/* The page */

static void put_side(struct bytes *out, const struct compared_facts *facts, int side,
		     const char *const names[2])
{
	const struct compared_side *of = &facts->events.sides[side];

	bytes_put(out, side ? "<p>after: <b>" : "<p>before: <b>");
	markup_string(out, names[side]);
	bytes_put(out, "</b>");
	if (of->has_time)
		bytes_addf(out, ", %s", duration_text(time_between(of->first, of->last)));
	bytes_put(out, "</p>\n");
}

void compare_page_write(struct bytes *out, struct compared_facts *facts,
			const struct page_source *source, const char *const names[2])
{
	page_begin(out, source);
	bytes_put(out, "<header>\n<h1>");
	markup_string(out, source->title);
	bytes_put(out, "</h1>\n");
	put_side(out, facts, 0, names);
	put_side(out, facts, 1, names);
	page_detail(out, source);
	bytes_put(out, "<p class=\"mute\">Intervals are from a bootstrap of blocks of time, as "
		  "events near each other are alike. A change differs if its interval does not "
		  "have 0 in it: that says what is noise within these recordings; another run "
		  "may differ for other reasons.</p>\n");
	if (source->lost)
		bytes_addf(out, "<p class=\"bad\">%s missing, so counts and rates are too low."
			   "</p>\n", counted(source->lost, "event"));
	if (source->has_failed)
		bytes_put(out, "<p class=\"bad\">A recording could not be read as a whole, or "
			  "events of it are missing: messages of the command say which.</p>\n");
	bytes_put(out, "</header>\n<main>\n");
	if (facts->durations.count || facts->cut.count)
		put_all_durations(out, facts);
	put_events(out, facts);
	page_end(out, source);
}
