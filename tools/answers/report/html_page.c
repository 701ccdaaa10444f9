/* SPDX-License-Identifier: MIT */
/*
 * Writes a page of HTML that shows facts about events: its start, style and end, how
 * long activities took, and the names that all parts show.
 */
#include "html_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"

/* Shows how long activities took, and the slowest of them with their fields. */

int slowest_first(const void *one, const void *other)
{
	const struct activity *a = one, *b = other;
	const int64_t left = a->stop - a->start, right = b->stop - b->start;

	if (left != right)
		return left < right ? 1 : -1;
	return (a->start > b->start) - (a->start < b->start);
}

/* States of threads */

static const struct {
	enum thread_state state;
	const char *look;
} drawn_states[] = {
	{ THREAD_RUNNING, "a1" },
	{ THREAD_RUNNABLE, "warning" },
	{ THREAD_BLOCKED, "a7" },
};

static void put_share(struct bytes *out, const struct thread_times *times)
{
	double x = 0;

	bytes_put(out, "<svg class=\"cpu\" viewBox=\"0 0 100 8\" "
		  "preserveAspectRatio=\"none\" aria-hidden=\"true\">");
	for (size_t i = 0; i < sizeof(drawn_states) / sizeof(drawn_states[0]); i++) {
		const double width = thread_times_percent(times, drawn_states[i].state);

		if (width > 0)
			bytes_addf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" "
				   "height=\"8\"/>", drawn_states[i].look, x, width);
		x += width;
	}
	bytes_put(out, "</svg>");
	thread_times_put(times, out);
}

static void put_slow_threads(struct bytes *out, const struct activity *activity)
{
	bytes_put(out, "<td class=\"cpu\">");
	if (activity->has_times)
		put_share(out, &activity->times);
	else
		bytes_put(out, activity->mark.tid ? "on several threads" : "unknown");
	bytes_put(out, "</td>");
}

/* The row counts all activities that start and stop on one thread. */
static void put_threads(struct bytes *out, const struct activity_group *group)
{
	struct thread_times times;
	int is_any = 0;

	for (int i = 0; i < THREAD_STATES; i++) {
		times.of[i] = group->durations.sums[i];
		is_any |= times.of[i] != 0;
	}
	if (!is_any)
		return;
	bytes_put(out, "<p class=\"facts cpu\">");
	put_share(out, &times);
	bytes_put(out, "</p>\n");
}

/* Durations */

static void put_rank(struct bytes *out, const struct histogram *durations, const char *name,
		     double share)
{
	bytes_addf(out, "<span>%s <b>%s</b></span> ", name,
		   duration_text(histogram_percentile(durations, share)));
}

static void put_durations(struct bytes *out, const struct activity_group *group)
{
	const struct histogram *durations = &group->durations;

	chart_histogram(out, durations, UNIT_NS, "durations", 9);
	bytes_addf(out, "<p class=\"facts\"><span>count <b>%s</b></span> "
		      "<span>min <b>%s</b></span> <span>mean <b>%s</b></span>",
		      count_text(durations->count),
		      duration_text(value_as_double(&durations->least)),
		      duration_text(histogram_mean(durations)));
	put_rank(out, durations, "p50", 0.5);
	put_rank(out, durations, "p90", 0.9);
	put_rank(out, durations, "p99", 0.99);
	put_rank(out, durations, "p99.9", 0.999);
	bytes_addf(out, "<span>max <b>%s</b></span> </p>\n",
		   duration_text(value_as_double(&durations->greatest)));
	if (group->failed)
		bytes_addf(out, "<p class=\"bad\">%s of them with an error</p>\n",
			   count_text(group->failed));
	put_threads(out, group);
}

static void put_slow(struct bytes *out, const struct facts *facts,
		     const struct activity *activity)
{
	char id[24];

	snprintf(id, sizeof(id), "a%" PRIu64, activity->number);
	bytes_addf(out, "<tr><td class=\"n\">%s</td><td class=\"n\">+%s</td><td>",
		   duration_text(time_between(activity->start, activity->stop)),
		   page_offset(facts, activity->start));
	page_lane_name(out, &facts->lanes[activity->lane]);
	bytes_put(out, "</td><td class=\"fields\">");
	markup_string(out, activity->start_text);
	if (*activity->start_text && *activity->stop_text)
		bytes_put(out, " <b>\xe2\x86\x92</b> ");
	markup_string(out, activity->stop_text);
	page_before(out, &activity->before, activity->stop, "what its thread did meanwhile", id);
	bytes_put(out, "</td><td class=\"n\">");
	bytes_put(out, count_text(activity->events));
	if (activity->worst == SEVERITY_ERROR)
		bytes_put(out, ", <span class=\"bad\">error</span>");
	bytes_put(out, "</td>");
	if (facts->threads.has_switches)
		put_slow_threads(out, activity);
	bytes_put(out, "</tr>\n");
}

static void put_slowest(struct bytes *out, const struct facts *facts,
			const struct activity_group *group)
{
	const struct longest *slowest = &group->slowest;

	qsort(slowest->items, slowest->count, sizeof(*slowest->items), slowest_first);
	bytes_put(out, "<div class=\"scroll\"><table class=\"slowest\"><thead><tr>"
		   "<th class=\"n\">slowest</th>"
		   "<th class=\"n\">started</th><th>thread</th><th>fields of start and stop"
		   "</th><th class=\"n\">events of it</th>");
	if (facts->threads.has_switches)
		bytes_put(out, "<th>thread did</th>");
	bytes_put(out, "</tr></thead><tbody>\n");
	for (uint32_t i = 0; i < slowest->count; i++)
		put_slow(out, facts, &slowest->items[i]);
	bytes_put(out, "</tbody></table></div>\n");
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
	bytes_put(out, "<tr><td class=\"value\">");
	markup_short(out, value->text, strlen(value->text), 40);
	bytes_addf(out, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td>"
		      "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
		      "<td class=\"n bad\">%s</td></tr>\n", count_text(durations->count),
		      duration_text(histogram_percentile(durations, 0.5)),
		      duration_text(histogram_percentile(durations, 0.99)),
		      duration_text(value_as_double(&durations->greatest)), failed);
}

static void put_breakdown(struct bytes *out, struct breakdown *breakdown)
{
	qsort(breakdown->values, breakdown->count, sizeof(*breakdown->values), by_p99);
	bytes_put(out, "<div class=\"box\"><table><thead><tr><th>by ");
	markup_string(out, breakdown->name);
	bytes_put(out, "</th><th class=\"n\">count</th><th class=\"n\">p50</th>"
		   "<th class=\"n\">p99</th><th class=\"n\">max</th><th class=\"n\">errors"
		   "</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < breakdown->count; i++)
		put_value(out, &breakdown->values[i]);
	bytes_put(out, "</tbody></table></div>\n");
}

/* One value says no more than the table of all. */
static void put_breakdowns(struct bytes *out, const struct activity_group *group)
{
	bytes_put(out, "<div class=\"boxes after\">\n");
	for (uint32_t i = 0; i < group->breakdown_count; i++)
		if (!group->breakdowns[i]->has_too_many && group->breakdowns[i]->count > 1)
			put_breakdown(out, group->breakdowns[i]);
	bytes_put(out, "</div>\n");
}

static void put_group(struct bytes *out, const struct facts *facts,
		      const struct activity_group *group)
{
	bytes_put(out, "<h3>");
	page_kind_name(out, group->start);
	bytes_put(out, " \xe2\x86\x92 ");
	markup_string(out, group->stop->name);
	bytes_put(out, "</h3>\n<div class=\"pair\"><div class=\"box\">\n");
	put_durations(out, group);
	bytes_put(out, "</div>\n");
	put_slowest(out, facts, group);
	bytes_put(out, "</div>\n");
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
		bytes_addf(out, "<p class=\"warn\">%s %s</p>\n",
			   counted(count, "time"), text);
}

/* The page has the sentences of families_report(). */
static void put_families(struct bytes *out, const struct families *families)
{
	put_count(out, families->forgotten, "the parent of an activity was forgotten, as too many "
		  "had not ended: events of child activities may be missing.");
	put_count(out, families->circles, "the parent of an activity was not followed, as it is "
		  "itself or its child.");
	put_count(out, families->too_deep, "the parent of an activity was not followed, as too "
		  "many are within each other.");
}

static void put_unpaired(struct bytes *out, const struct facts *facts)
{
	put_count(out, facts->never_ended, "a start had no stop up to the end.");
	put_count(out, facts->pairs.without_start, "a stop had no start before it.");
	put_count(out, facts->pairs.repeated, "an activity started again before it had ended.");
}

static void page_activities(struct bytes *out, const struct facts *facts)
{
	const struct pairs *pairs = &facts->pairs;

	if (!pairs->starts && !pairs->ends && !pairs->without_key)
		return;
	bytes_put(out, "<section>\n<h2 id=\"activities\">Activities</h2>\n");
	put_groups(out, facts);
	page_open(out, facts);
	cut_pairs_put(facts->cut.count, out);
	if (!facts->cut.count)
		put_unpaired(out, facts);
	put_count(out, pairs->without_key, "a start or a stop had no key.");
	put_count(out, pairs->negative, "the stop has an earlier time than the start.");
	put_count(out, pairs->other_clock, "start and stop have times of different clocks.");
	put_count(out, pairs->dropped, "a start was not followed, as too many were open.");
	put_count(out, facts->not_grouped, "a pair was left out, as there are too many kinds.");
	put_families(out, &facts->families);
	bytes_put(out, "</section>\n");
}

/* The style of the page: light, dark and printed. */

/* Colours have a contrast of 4.5 or more with their background where they are of text. */
static const char colours[] =
	":root{color-scheme:light dark;--page:#fff;--box:#f6f8fa;--text:#1c2128;--mute:#57606a;"
	"--line:#d5dae0;--plain:#4f7fd0;--warning:#9a5b00;--error:#c62828;--link:#0b57b0;"
	"--c0:#3f74c8;--in:#fff;--c1:#1a7860;--c2:#8a5cc2;--c3:#a5590f;--c4:#0b7590;--c5:#a8406f;"
	"--c6:#5f7019;--c7:#6b7280}\n"
	"@media(prefers-color-scheme:dark){:root{--page:#0f1318;--box:#181e26;--text:#e4e8ee;"
	"--mute:#9ba6b4;--line:#313a46;--plain:#6f9fe8;--warning:#e0a03c;--error:#ff7b72;"
	"--link:#82b4ff;--c0:#5b8fe0;--in:#0a0e13;--c1:#3aa68c;--c2:#a884dc;--c3:#cf8446;--c4:#36a9c6;"
	"--c5:#cc6a95;--c6:#93a543;--c7:#8f99a8}}\n"
	"@media print{:root{color-scheme:light;--page:#fff;--box:#fff;--text:#000;--mute:#444;"
	"--line:#bbb;--plain:#4f7fd0;--warning:#9a5b00;--error:#c62828}}\n";

static const char text[] =
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--page);color:var(--text);font:14px/1.45 system-ui,"
	"-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif}\n"
	"main,header,footer{max-width:1280px;margin:0 auto;padding:0 24px}\n"
	"header{padding-top:26px}header p{margin:2px 0}\n"
	"h1{font-size:22px;margin:0 0 4px;overflow-wrap:anywhere;line-height:1.25}\n"
	"h2{font-size:17px;margin:34px 0 10px;padding-top:14px;border-top:1px solid "
	"var(--line)}h3{font-size:14px;margin:18px 0 8px;overflow-wrap:anywhere}\n"
	"a{color:var(--link)}nav{margin:10px 0 0}nav a{margin-right:16px}\n"
	".mute{color:var(--mute)}text.mute{fill:var(--mute)}p{margin:6px 0}\n"
	".bad{color:var(--error);font-weight:600}.warn{color:var(--warning);font-weight:600}\n"
	".value,.fields,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"
	"'Liberation Mono','DejaVu Sans Mono',monospace;font-size:12px;overflow-wrap:anywhere}\n"
	".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:10px;"
	"margin:18px 0 0;padding:0}.tiles div{background:var(--box);border:1px solid "
	"var(--line);border-radius:8px;padding:9px 13px}\n"
	".tiles dt{color:var(--mute);font-size:12px}.tiles dd{margin:0;font-size:20px;"
	"font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
	".tiles small{display:block;font-weight:400;font-size:12px;color:var(--mute);"
	"white-space:normal}\n";

static const char tables[] =
	"table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
	"th{color:var(--mute);font-weight:600;font-size:12px;text-align:left}\n"
	"th,td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}\n"
	"th.n,td.n{text-align:right;white-space:nowrap}td.name{overflow-wrap:anywhere;"
	"font-weight:600}.scroll{overflow-x:auto}\n"
	".boxes{display:grid;grid-template-columns:repeat(auto-fill,minmax(340px,1fr));"
	"gap:12px}.boxes.after{margin-top:12px}.box th{font-size:12px;padding:1px 8px 1px 0;"
	"border:0}.box th:first-child{color:var(--text)}\n"
	".box{background:var(--box);border:1px solid var(--line);border-radius:8px;"
	"padding:10px 13px;min-width:0;break-inside:avoid}.box h4{margin:0 0 4px;font-size:13px;"
	"overflow-wrap:anywhere}\n"
	".box td{border:0;padding:1px 8px 1px 0;font-size:12px}.values td.value{width:45%}\n"
	".values td.share{width:30%;vertical-align:middle}.values svg{width:100%;height:8px;"
	"display:block}\n"
	".facts{margin:4px 0 0;font-size:12px;color:var(--mute)}.facts b{color:var(--text);"
	"font-weight:600;white-space:nowrap}.facts span{white-space:nowrap;margin-right:9px}\n"
	"details>summary{cursor:pointer;font-weight:600;margin:10px 0;overflow-wrap:anywhere}\n"
	"td>details>summary{font-weight:400;margin:2px 0;color:var(--link)}table.before{"
	"margin:2px 0 4px;width:auto}.before td:nth-child(2){white-space:nowrap}.before td,.slowest .before td{border:0;padding:1px 8px 1px 0}"
	".before:target,p:target{outline:2px solid var(--link)}\n"
	"summary small{font-weight:400;color:var(--mute)}\n"
	".pair{display:grid;grid-template-columns:340px 1fr;gap:16px;align-items:start}"
	"@media(max-width:860px){.pair{grid-template-columns:1fr}}\n"
	/* the fields have a line of their own */
	"@media(max-width:560px){main,header,footer{padding:0 12px}.slowest tr{display:grid;"
	"grid-template-columns:72px 84px 1fr auto;border-bottom:1px solid var(--line)}"
	".slowest th,.slowest td{border:0}.slowest th:nth-child(4),.slowest td.fields{"
	"grid-area:2/1/3/-1}.slowest td.cpu{grid-column:1/-1}.slowest th:nth-child(6){"
	"display:none}.boxes{grid-template-columns:1fr}}\n";

static const char drawings[] =
	"svg{display:block;max-width:100%}svg text{fill:var(--text);font-family:inherit;"
	"font-size:11px}.spark{width:160px;height:27px}.histogram{width:100%;height:auto}\n"
	".timeline{width:100%;height:auto;min-width:760px}\n"
	".plain{fill:var(--plain)}.warning{fill:var(--warning)}.error{fill:var(--error)}\n"
	".base{stroke:var(--line);fill:none}.grid{stroke:var(--line);stroke-width:.6;fill:none}\n"
	".rank{stroke:var(--mute);stroke-dasharray:2 2;fill:none}\n"
	".timeline .name{font-weight:600}.timeline .in{fill:var(--in);font-size:9.5px;"
	"pointer-events:none}.timeline .in.open{fill:var(--text)}.timeline .tick{stroke:var(--page);stroke-width:.4}\n"
	".act{stroke:var(--page);stroke-width:.5}.act.fail{stroke:var(--error);stroke-width:2}"
	".act.open{fill-opacity:.45;stroke:var(--text);stroke-width:1;stroke-dasharray:3 2}\n"
	".lost{fill:var(--error)}.a0{fill:var(--c0)}.a1{fill:var(--c1)}.a2{fill:var(--c2)}"
	".a3{fill:var(--c3)}.a4{fill:var(--c4)}.a5{fill:var(--c5)}.a6{fill:var(--c6)}"
	".a7{fill:var(--c7)}.noise{fill:var(--mute)}.better{fill:var(--c1)}"
	".before-line{fill:none;stroke:var(--text);stroke-width:1.4}\n"
	".legend{list-style:none;margin:8px 0;padding:0;font-size:12px}.legend li{display:"
	"inline-block;margin-right:16px}.legend svg{display:inline-block;width:12px;height:12px;"
	"margin-right:5px;vertical-align:-2px}\n"
	"svg.cpu{width:100%;height:6px;margin:5px 0 2px}"
	"td.cpu{font-size:12px;min-width:150px}\n"
	".flame{position:relative;overflow:hidden;margin:8px 0;font-size:11px}.flame div{position:"
	"absolute;height:18px;line-height:18px;overflow:hidden;white-space:nowrap;padding:0 3px;"
	"color:var(--in);border-right:1px solid var(--page)}.c0{background:var(--c0)}"
	".c1{background:var(--c1)}.c2{background:var(--c2)}.c3{background:var(--c3)}"
	".c4{background:var(--c4)}.c5{background:var(--c5)}.c6{background:var(--c6)}\n"
	"footer{color:var(--mute);font-size:12px;padding-top:28px;padding-bottom:28px}\n"
	"@media print{body{font-size:10.5px;-webkit-print-color-adjust:exact;"
	"print-color-adjust:exact}main,header,footer{max-width:none;padding:0}nav{display:none}"
	"h2,h3{break-after:avoid}tr,svg{break-inside:avoid}.timeline{min-width:0}"
	".boxes{grid-template-columns:1fr 1fr 1fr}}\n";

static void page_style(struct bytes *out)
{
	bytes_put(out, "<style>\n");
	bytes_put(out, colours);
	bytes_put(out, text);
	bytes_put(out, tables);
	bytes_put(out, drawings);
	bytes_put(out, "</style>\n");
}

void page_lane_name(struct bytes *out, const struct lane *lane)
{
	if (lane->is_rest) {
		bytes_put(out, "further threads");
		return;
	}
	if (lane->comm[0])
		markup_string(out, lane->comm);
	if (lane->has_pid)
		bytes_addf(out, "%s%u", lane->comm[0] ? " " : "process ", lane->pid);
	if (lane->has_tid && (!lane->has_pid || lane->tid != lane->pid))
		bytes_addf(out, "%s%u", lane->has_pid ? "/" : "thread ", lane->tid);
	if (!lane->comm[0] && !lane->has_pid && !lane->has_tid)
		bytes_put(out, "process not recorded");
}

void page_kind_name(struct bytes *out, const struct event_kind *kind)
{
	if (*kind->group) {
		markup_string(out, kind->group);
		bytes_put(out, ":");
	}
	markup_string(out, kind->name);
}

const char *page_offset(const struct facts *facts, int64_t time)
{
	return duration_text(time_between(facts->scale.first, time));
}

static int by_count(const void *one, const void *other)
{
	const struct kind_facts *a = *(struct kind_facts *const *)one;
	const struct kind_facts *b = *(struct kind_facts *const *)other;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->kind->event < b->kind->event ? -1 : 1;
}

uint32_t page_kinds(const struct facts *facts, struct kind_facts ***kinds)
{
	uint32_t count = 0;

	*kinds = xcalloc((size_t)facts->kind_count + 1, sizeof(**kinds));
	for (uint32_t i = 0; i < facts->kind_count; i++)
		if (facts->kinds[i])
			(*kinds)[count++] = facts->kinds[i];
	qsort(*kinds, count, sizeof(**kinds), by_count);
	return count;
}

/*
 * The policy lets a browser load and run nothing, so it holds even if a text of the recording
 * became markup.
 */
void page_begin(struct bytes *out, const struct page_source *source)
{
	bytes_put(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
		   "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		   "<title>");
	markup_short(out, source->title, strlen(source->title), 100);
	bytes_put(out, " \xe2\x80\x93 userevents report</title>\n");
	page_style(out);
	bytes_put(out, "</head>\n<body>\n");
}

void page_end(struct bytes *out, const struct page_source *source)
{
	bytes_put(out, "</main>\n<footer>Written by userevents ");
	markup_string(out, source->version);
	bytes_put(out, ". This file has no scripts and loads nothing.</footer>\n"
		   "</body>\n</html>\n");
}

void page_write(struct bytes *out, struct facts *facts, const struct page_source *source)
{
	page_begin(out, source);
	page_summary(out, facts, source);
	bytes_put(out, "<main>\n");
	if (facts->scale.is_set)
		page_timeline(out, facts);
	page_activities(out, facts);
	page_errors(out, facts);
	page_events(out, facts);
	stack_tally_put_page(&facts->stacks, out);
	page_losses(out, facts, source);
	page_fields(out, facts);
	page_end(out, source);
}
