/* SPDX-License-Identifier: MIT */
/* Shows errors and slow pairs with what was before them, and starts that never ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/text_table.h"
#include "html_page.h"

#define LINE_MAX_SHOWN 160 /* characters */

static void put_line(struct bytes *out, const struct line_before *line, int64_t time)
{
	bytes_addf(out, "<tr><td class=\"n\">\xe2\x88\x92%s</td><td%s>",
		   duration_text(time_between(line->time, time)),
		   line->is_own ? " class=\"name\"" : "");
	for (uint32_t i = 0; i < line->depth; i++)
		bytes_put(out, "&gt; ");
	page_kind_name(out, line->kind);
	bytes_put(out, "</td><td class=\"fields\">");
	markup_short(out, line->text, strlen(line->text), LINE_MAX_SHOWN);
	bytes_put(out, "</td></tr>\n");
}

static void put_left_out(struct bytes *out, const struct before *before)
{
	bytes_addf(out, "<tr><td></td><td class=\"mute\">%s%s left out</td></tr>\n",
		   before->has_more || before->count + before->left_out == BEFORE_COUNTED ?
			   "at least " : "",
		   counted(before->left_out, "event"));
}

/* The first one first. */
void page_before(struct bytes *out, const struct before *before, int64_t time,
		 const char *title, const char *id)
{
	if (!before->count) {
		bytes_addf(out, "<p class=\"mute\" id=\"%s\">%s</p>", id,
			   before->is_asked ? "The thread wrote nothing else then." : "");
		return;
	}
	bytes_addf(out, "<details><summary>%s%s</summary>\n<table class=\"before\" "
		   "id=\"%s\"><tbody>\n", title,
		   before->has_children ? "; &gt; is of child activities" : "", id);
	for (uint32_t i = before->count; i--;) {
		put_line(out, &before->lines[i], time);
		if (i == before->last && before->left_out)
			put_left_out(out, before);
	}
	bytes_put(out, "</tbody></table>\n</details>");
}

/* Errors */

static void put_error(struct bytes *out, const struct facts *facts, const struct error *error,
		      uint32_t number)
{
	char id[16];

	snprintf(id, sizeof(id), "e%" PRIu32, number);
	bytes_addf(out, "<tr><td class=\"n\">+%s</td><td>", page_offset(facts, error->time));
	page_lane_name(out, &facts->lanes[error->lane]);
	bytes_put(out, "</td><td class=\"name\">");
	page_kind_name(out, error->kind);
	bytes_put(out, "</td><td class=\"fields\">");
	markup_string(out, error->text);
	page_before(out, &error->before, error->time, "the 10 ms before", id);
	bytes_put(out, "</td></tr>\n");
}

void page_errors(struct bytes *out, const struct facts *facts)
{
	const uint64_t all = facts->of_severity[SEVERITY_ERROR];

	if (!facts->error_count)
		return;
	bytes_put(out, "<section>\n<h2 id=\"errors\">Errors</h2>\n<div class=\"scroll\">"
		   "<table class=\"errors\"><thead><tr><th class=\"n\">at</th><th>thread</th>"
		   "<th>event</th><th>fields, and what its thread did before</th></tr>"
		   "</thead><tbody>\n");
	for (uint32_t i = 0; i < facts->error_count; i++)
		put_error(out, facts, &facts->errors[i], i + 1);
	bytes_put(out, "</tbody></table></div>\n");
	if (all > facts->error_count)
		bytes_addf(out, "<p class=\"mute\">Of %s, these are the first of their names."
			   "</p>\n", counted(all, "error"));
	bytes_put(out, "</section>\n");
}

/* Starts that never ended */

static void put_open(struct bytes *out, const struct facts *facts,
		     const struct activity *activity, uint32_t number)
{
	char id[16];

	snprintf(id, sizeof(id), "o%" PRIu32, number);
	bytes_addf(out, "<tr><td class=\"n\">%s</td><td class=\"n\">+%s</td><td>",
		   duration_text(time_between(activity->start, activity->stop)),
		   page_offset(facts, activity->start));
	page_lane_name(out, &facts->lanes[activity->lane]);
	bytes_put(out, "</td><td class=\"name\">");
	page_kind_name(out, activity->kind);
	bytes_put(out, "</td><td class=\"fields\">");
	markup_string(out, activity->start_text);
	page_before(out, &activity->before, activity->stop, "what its thread did then", id);
	bytes_addf(out, "</td><td class=\"n\">%s%s</td></tr>\n", count_text(activity->events),
		   activity->worst == SEVERITY_ERROR ? ", <span class=\"bad\">error</span>" : "");
}

void page_open(struct bytes *out, const struct facts *facts)
{
	if (!facts->open.count)
		return;
	qsort(facts->open.items, facts->open.count, sizeof(*facts->open.items), slowest_first);
	bytes_put(out, "<h3 id=\"open\">Never ended</h3>\n<div class=\"scroll\"><table "
		   "class=\"slowest\"><thead><tr><th class=\"n\">age</th><th class=\"n\">started"
		   "</th><th>thread</th><th>event</th><th>fields</th><th class=\"n\">events "
		   "of it</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < facts->open.count; i++)
		put_open(out, facts, &facts->open.items[i], i + 1);
	bytes_put(out, "</tbody></table></div>\n");
	if (facts->never_ended > facts->open.count)
		bytes_addf(out, "<p class=\"mute\">The oldest %s of %s; ages are at the last "
			   "event.</p>\n", count_text(facts->open.count),
			   count_text(facts->never_ended));
	else
		bytes_put(out, "<p class=\"mute\">Ages are at the last event.</p>\n");
}
