/* SPDX-License-Identifier: MIT */
/* The head of the page: the source, its time, and counts. */
#include <stdlib.h>

#include "common/text/markup.h"
#include "html_page.h"
#include "common/text/amount.h"

static double span(const struct facts *facts)
{
	return time_between(facts->scale.first, facts->scale.last);
}

/* texts: of this program. class: of the number; NULL: none. */
static void tile(struct bytes *out, const char *name, const char *class,
		 const char *number, const char *detail)
{
	markup_format(out, "<div><dt>%s</dt><dd%s%s%s>%s<small>%s</small></dd></div>\n", name,
		      class ? " class=\"" : "", class ? class : "", class ? "\"" : "", number,
		      detail);
}

static uint32_t processes(const struct facts *facts)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < facts->lane_count; i++) {
		uint32_t before = 0;

		while (before < i && facts->lanes[before].pid != facts->lanes[i].pid)
			before++;
		count += before == i;
	}
	return count;
}

static uint64_t kinds(const struct facts *facts)
{
	uint64_t count = facts->kinds_beyond;

	for (uint32_t i = 0; i < facts->kind_count; i++)
		count += facts->kinds[i] != NULL;
	return count;
}

static void put_lost(struct bytes *out, const struct facts *facts, uint64_t lost)
{
	if (!lost)
		tile(out, "Lost", NULL, "0", "events, as far as is known");
	else if (facts->lost_here)
		tile(out, "Lost", "bad", count_text(lost), "<a href=\"#losses\">where</a>");
	else
		tile(out, "Lost", "bad", count_text(lost), "at unknown places");
}

static void put_tiles(struct bytes *out, const struct facts *facts, uint64_t lost)
{
	const uint64_t errors = facts->of_severity[SEVERITY_ERROR];
	const int is_more = facts->lanes[LANES_GATHERED].is_rest;

	markup_put(out, "<dl class=\"tiles\">\n");
	tile(out, "Events", NULL, count_text(facts->events),
	     amount_text((double)facts->bytes, UNIT_BYTES));
	tile(out, "Duration", NULL, facts->scale.is_set ? duration_text(span(facts)) :
							  "\xe2\x80\x93",
	     "from the first event to the last");
	tile(out, "Events a second", NULL,
	     facts->scale.is_set ? rate_text(facts->events, span(facts)) : "\xe2\x80\x93",
	     "on average");
	tile(out, "Kinds of events", NULL, count_text(kinds(facts)),
	     facts->eventheader == facts->events ? "EventHeader" :
	     facts->eventheader ? "classic and EventHeader" : "classic");
	tile(out, "Processes", NULL, count_text(processes(facts)),
	     is_more ? "more than 512 threads" : counted(facts->lane_count, "thread"));
	if (facts->eventheader)
		tile(out, "Errors", errors ? "bad" : NULL, count_text(errors),
		     counted(facts->of_severity[SEVERITY_WARNING], "warning"));
	put_lost(out, facts, lost);
	markup_put(out, "</dl>\n");
}

static void put_faults(struct bytes *out, const struct facts *facts,
		       const struct page_source *source)
{
	if (source->has_failed)
		markup_put(out, "<p class=\"bad\">The source could not be read as a whole, or "
			   "events of it are missing: messages of the command say "
			   "which.</p>\n");
	if (facts->malformed)
		markup_format(out, "<p class=\"bad\">%s do%s not match the description; only "
			      "the fields before the fault are counted.</p>\n",
			      counted(facts->malformed, "event"),
			      facts->malformed == 1 ? "es" : "");
	if (facts->without_time)
		markup_format(out, "<p class=\"warn\">The time line lacks %s without a time, or "
			      "with one of another clock.</p>\n",
			      counted(facts->without_time, "event"));
}

static void put_range(struct bytes *out, const struct facts *facts)
{
	const int is_wall_clock = facts->is_wall_clock;

	if (!facts->scale.is_set)
		return;
	markup_format(out, "<p>%s \xe2\x80\x93 %s%s</p>\n",
		      moment_text(facts->scale.first, is_wall_clock),
		      moment_text(facts->scale.last, is_wall_clock),
		      is_wall_clock ? "" : " of the recording's clock");
}

void page_summary(struct bytes *out, const struct facts *facts,
		  const struct page_source *source)
{
	markup_put(out, "<header>\n<h1>");
	markup_string(out, source->title);
	markup_put(out, "</h1>\n");
	if (*source->detail) {
		markup_put(out, "<p class=\"mute\">");
		markup_string(out, source->detail);
		markup_put(out, "</p>\n");
	}
	put_range(out, facts);
	put_tiles(out, facts, source->lost);
	put_faults(out, facts, source);
	markup_put(out, "<nav>");
	if (facts->scale.is_set)
		markup_put(out, "<a href=\"#timeline\">Time line</a>");
	if (facts->group_count)
		markup_put(out, "<a href=\"#activities\">Activities</a>");
	markup_put(out, "<a href=\"#events\">Events</a><a href=\"#fields\">Fields</a></nav>\n"
		   "</header>\n");
}
