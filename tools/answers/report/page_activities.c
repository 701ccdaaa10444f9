/* SPDX-License-Identifier: MIT */
/* Shows how long activities took, and the slowest of them with their fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "common/text/markup.h"
#include "common/text/amount.h"

static int slowest_first(const void *one, const void *other)
{
	const struct activity *a = one, *b = other;
	const int64_t left = a->stop - a->start, right = b->stop - b->start;

	if (left != right)
		return left < right ? 1 : -1;
	return (a->start > b->start) - (a->start < b->start);
}

static void put_rank(struct bytes *out, const struct histogram *durations, const char *name,
		     double share)
{
	markup_format(out, "<span>%s <b>%s</b></span> ", name,
		      duration_text(histogram_percentile(durations, share)));
}

static void put_durations(struct bytes *out, const struct activity_group *group)
{
	const struct histogram *durations = &group->durations;

	chart_histogram(out, durations, UNIT_NS, "durations", 9);
	markup_format(out, "<p class=\"facts\"><span>count <b>%s</b></span> "
		      "<span>min <b>%s</b></span> <span>mean <b>%s</b></span>",
		      count_text(durations->count),
		      duration_text(value_as_double(&durations->least)),
		      duration_text(histogram_mean(durations)));
	put_rank(out, durations, "p50", 0.5);
	put_rank(out, durations, "p90", 0.9);
	put_rank(out, durations, "p99", 0.99);
	put_rank(out, durations, "p99.9", 0.999);
	markup_format(out, "<span>max <b>%s</b></span> </p>\n",
		      duration_text(value_as_double(&durations->greatest)));
	if (group->failed)
		markup_format(out, "<p class=\"bad\">%s of them with an error</p>\n",
			      count_text(group->failed));
}

static void put_slow(struct bytes *out, const struct facts *facts,
		     const struct activity *activity)
{
	markup_format(out, "<tr><td class=\"n\">%s</td><td class=\"n\">+%s</td><td>",
		      duration_text(time_between(activity->start, activity->stop)),
		      page_offset(facts, activity->start));
	page_lane_name(out, &facts->lanes[activity->lane]);
	markup_put(out, "</td><td class=\"fields\">");
	markup_string(out, activity->start_text);
	if (*activity->start_text && *activity->stop_text)
		markup_put(out, " <b>\xe2\x86\x92</b> ");
	markup_string(out, activity->stop_text);
	markup_put(out, "</td><td class=\"n\">");
	markup_put(out, count_text(activity->events));
	if (activity->worst == SEVERITY_ERROR)
		markup_put(out, ", <span class=\"bad\">error</span>");
	markup_put(out, "</td></tr>\n");
}

static void put_slowest(struct bytes *out, const struct facts *facts,
			const struct activity_group *group)
{
	const struct longest *slowest = &group->slowest;

	qsort(slowest->items, slowest->count, sizeof(*slowest->items), slowest_first);
	markup_put(out, "<div class=\"scroll\"><table class=\"slowest\"><thead><tr>"
		   "<th class=\"n\">slowest</th>"
		   "<th class=\"n\">started</th><th>thread</th><th>fields of start and stop"
		   "</th><th class=\"n\">events within</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < slowest->count; i++)
		put_slow(out, facts, &slowest->items[i]);
	markup_put(out, "</tbody></table></div>\n");
}

/* Breakdowns */

static int by_p99(const void *one, const void *other)
{
	const struct breakdown_value *a = one, *b = other;
	const double left = histogram_percentile(&a->durations, 0.99);
	const double right = histogram_percentile(&b->durations, 0.99);

	return left == right ? strcmp(a->text, b->text) : left < right ? 1 : -1;
}

static void put_value(struct bytes *out, const struct breakdown_value *value)
{
	const struct histogram *durations = &value->durations;
	char failed[32] = "";

	if (value->failed)
		snprintf(failed, sizeof(failed), "%llu", (unsigned long long)value->failed);
	markup_put(out, "<tr><td class=\"value\">");
	markup_short(out, value->text, strlen(value->text), 40);
	markup_format(out, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td>"
		      "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
		      "<td class=\"n bad\">%s</td></tr>\n", count_text(durations->count),
		      duration_text(histogram_percentile(durations, 0.5)),
		      duration_text(histogram_percentile(durations, 0.99)),
		      duration_text(value_as_double(&durations->greatest)), failed);
}

static void put_breakdown(struct bytes *out, struct breakdown *breakdown)
{
	qsort(breakdown->values, breakdown->count, sizeof(*breakdown->values), by_p99);
	markup_put(out, "<div class=\"box\"><table><thead><tr><th>by ");
	markup_string(out, breakdown->name);
	markup_put(out, "</th><th class=\"n\">count</th><th class=\"n\">p50</th>"
		   "<th class=\"n\">p99</th><th class=\"n\">max</th><th class=\"n\">errors"
		   "</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < breakdown->count; i++)
		put_value(out, &breakdown->values[i]);
	markup_put(out, "</tbody></table></div>\n");
}

/* One value says no more than the table of all. */
static void put_breakdowns(struct bytes *out, const struct activity_group *group)
{
	markup_put(out, "<div class=\"boxes after\">\n");
	for (uint32_t i = 0; i < group->breakdown_count; i++)
		if (!group->breakdowns[i]->has_too_many && group->breakdowns[i]->count > 1)
			put_breakdown(out, group->breakdowns[i]);
	markup_put(out, "</div>\n");
}

static void put_group(struct bytes *out, const struct facts *facts,
		      const struct activity_group *group)
{
	markup_put(out, "<h3>");
	page_kind_name(out, group->start);
	markup_put(out, " \xe2\x86\x92 ");
	markup_string(out, group->stop->name);
	markup_put(out, "</h3>\n<div class=\"pair\"><div class=\"box\">\n");
	put_durations(out, group);
	markup_put(out, "</div>\n");
	put_slowest(out, facts, group);
	markup_put(out, "</div>\n");
	put_breakdowns(out, group);
}

static double total_time(const struct activity_group *group)
{
	return histogram_mean(&group->durations) * (double)group->durations.count;
}

static int by_total_time(const void *one, const void *other)
{
	const struct activity_group *a = *(const struct activity_group *const *)one;
	const struct activity_group *b = *(const struct activity_group *const *)other;
	const double left = total_time(a), right = total_time(b);

	return left == right ? (a > b) - (a < b) : left < right ? 1 : -1;
}

/* Those that took the most time first: usually the outer ones. */
static void put_groups(struct bytes *out, const struct facts *facts)
{
	const struct activity_group *groups[GROUPS_GATHERED];

	for (uint32_t i = 0; i < facts->group_count; i++)
		groups[i] = &facts->groups[i];
	if (facts->group_count)
		qsort(groups, facts->group_count, sizeof(*groups), by_total_time);
	for (uint32_t i = 0; i < facts->group_count; i++)
		put_group(out, facts, groups[i]);
}

static void put_count(struct bytes *out, uint64_t count, const char *text)
{
	if (count)
		markup_format(out, "<p class=\"warn\">%s %s</p>\n",
			      counted(count, "time"), text);
}

void page_activities(struct bytes *out, const struct facts *facts)
{
	if (!facts->group_count && !facts->open.count && !facts->without_start)
		return;
	markup_put(out, "<section>\n<h2 id=\"activities\">Activities</h2>\n");
	put_groups(out, facts);
	put_count(out, facts->open.count, "a start had no stop up to the end.");
	put_count(out, facts->without_start, "a stop had no start before it.");
	put_count(out, facts->restarted, "an activity started again before it had ended.");
	put_count(out, facts->backwards, "the stop has an earlier time than the start.");
	put_count(out, facts->not_opened, "a start was not followed, as too many were open.");
	put_count(out, facts->not_grouped, "a pair was left out, as there are too many kinds.");
	markup_put(out, "</section>\n");
}
