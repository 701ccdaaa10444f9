/* SPDX-License-Identifier: MIT */
/* Shows the events by name, and the values of their fields. */
#include <stdlib.h>
#include <userevents/decode/reader.h>

#include "common/text/amount.h"
#include "common/text/text_table.h"
#include "html_page.h"

#define KINDS_SHOWN 100
#define VALUES_SHOWN 8
#define KINDS_WITH_FIELDS 40

static double span(const struct facts *facts)
{
	return time_between(facts->scale.first, facts->scale.last);
}

/* The gravest first. */
static void put_levels(struct bytes *out, uint32_t levels)
{
	static const char *const names[] = {
		"level 0", "critical", "error", "warning", "information", "verbose",
	};

	for (uint32_t level = 0; levels >> level; level++) {
		if (!(levels >> level & 1))
			continue;
		if (level < sizeof(names) / sizeof(names[0]))
			markup_put(out, names[level]);
		else
			markup_format(out, level < LEVELS_KEPT - 1 ? "level %u" : "%u and more",
				      level);
		if (levels >> level > 1)
			markup_put(out, ", ");
	}
}

static void put_level(struct bytes *out, const struct kind_facts *kind)
{
	if (kind->of_severity[SEVERITY_ERROR])
		markup_put(out, "<td class=\"bad\">");
	else
		markup_put(out, kind->of_severity[SEVERITY_WARNING] ? "<td class=\"warn\">" :
								      "<td>");
	if (kind->kind && kind->kind->is_eventheader)
		put_levels(out, kind->levels);
	markup_put(out, "</td>");
}

static void put_times(struct bytes *out, const struct facts *facts,
		      const struct kind_facts *kind)
{
	if (!kind->has_time) {
		markup_put(out, "<td></td><td></td>");
		return;
	}
	markup_format(out, "<td class=\"n\">+%s</td><td class=\"n\">+%s</td>",
		      page_offset(facts, kind->first), page_offset(facts, kind->last));
}

static void put_kind(struct bytes *out, const struct facts *facts,
		     const struct kind_facts *kind)
{
	markup_put(out, "<tr><td class=\"name\">");
	if (kind->kind)
		page_kind_name(out, kind->kind);
	else
		markup_format(out, "%s of other names", counted(facts->kinds_beyond, "event"));
	markup_put(out, "</td>");
	put_level(out, kind);
	markup_format(out, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td>",
		      count_text(kind->count), rate_text(kind->count, span(facts)));
	if (facts->scale.is_set)
		chart_spark(out, &kind->series, &facts->scale, "Events over time");
	markup_format(out, "</td><td class=\"n\">%s</td>",
		      amount_text((double)kind->bytes, UNIT_BYTES));
	put_times(out, facts, kind);
	markup_format(out, "<td class=\"n\">%s%u</td></tr>\n",
		      kind->process_count > PROCESSES_COUNTED ? "more than " : "",
		      kind->process_count > PROCESSES_COUNTED ? PROCESSES_COUNTED :
								kind->process_count);
}

void page_events(struct bytes *out, const struct facts *facts)
{
	struct kind_facts **kinds;
	const uint32_t count = page_kinds(facts, &kinds);

	markup_put(out, "<section>\n<h2 id=\"events\">Events</h2>\n<div class=\"scroll\">"
		   "<table><thead><tr><th>event</th><th>level</th><th class=\"n\">count</th>"
		   "<th class=\"n\">a second</th><th>over time</th><th class=\"n\">payload</th>"
		   "<th class=\"n\">first</th><th class=\"n\">last</th><th class=\"n\">"
		   "processes</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < count && i < KINDS_SHOWN; i++)
		put_kind(out, facts, kinds[i]);
	if (facts->rest.count)
		put_kind(out, facts, &facts->rest);
	markup_put(out, "</tbody></table></div>\n");
	if (count > KINDS_SHOWN)
		markup_format(out, "<p class=\"mute\">%s with fewer events are left out.</p>\n",
			      counted(count - KINDS_SHOWN, "name"));
	markup_put(out, "</section>\n");
	free(kinds);
}

/* Fields */

static void put_numbers(struct bytes *out, const struct field_facts *field)
{
	const enum unit unit = unit_of_name(field->name, field->name_length);
	const struct histogram *histogram = &field->histogram;
	static const struct {
		const char *name;
		double share;
	} ranks[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };

	chart_histogram(out, histogram, unit, field->name, field->name_length);
	markup_format(out, "<p class=\"facts\"><span>min <b>%s</b></span> <span>mean <b>%s</b>"
		      "</span> ", amount_text(value_as_double(&histogram->least), unit),
		      amount_text(histogram_mean(histogram), unit));
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		markup_format(out, "<span>%s <b>%s</b></span> ", ranks[i].name,
			      amount_text(histogram_percentile(histogram, ranks[i].share),
					    unit));
	markup_format(out, "<span>max <b>%s</b></span> </p>\n",
		      amount_text(value_as_double(&histogram->greatest), unit));
}

static void put_field(struct bytes *out, struct field_facts *field)
{
	markup_put(out, "<div class=\"box\"><h4>");
	markup_text(out, field->name, field->name_length);
	markup_put(out, "</h4>\n");
	if (field->values) {
		top_values_sort(field->values);
		chart_values(out, field->values, VALUES_SHOWN);
	} else if (field->histogram.count) {
		put_numbers(out, field);
	}
	if (field->is_too_wide)
		markup_put(out, "<p class=\"mute\">Its numbers differ too much for a "
			   "histogram.</p>\n");
	if (field->histogram.not_finite)
		markup_format(out, "<p class=\"mute\">%s not finite</p>\n",
			      counted(field->histogram.not_finite, "number"));
	if (field->absent)
		markup_format(out, "<p class=\"mute\">absent %s</p>\n",
			      counted(field->absent, "time"));
	markup_put(out, "</div>\n");
}

static void put_fields(struct bytes *out, struct kind_facts *kind, int is_open)
{
	markup_format(out, "<details%s><summary>", is_open ? " open=\"open\"" : "");
	page_kind_name(out, kind->kind);
	markup_format(out, " <small>%s</small></summary>\n<div class=\"boxes\">\n",
		      counted(kind->count, "event"));
	for (uint32_t i = 0; i < kind->field_count; i++)
		put_field(out, kind->fields[i]);
	markup_put(out, "</div>\n");
	if (kind->fields_omitted)
		markup_format(out, "<p class=\"mute\">Further fields, with %s, are left out.</p>\n",
			      counted(kind->fields_omitted, "value"));
	markup_put(out, "</details>\n");
}

void page_fields(struct bytes *out, struct facts *facts)
{
	struct kind_facts **kinds;
	const uint32_t count = page_kinds(facts, &kinds);
	uint32_t shown = 0, omitted = 0;

	markup_put(out, "<section>\n<h2 id=\"fields\">Fields</h2>\n");
	for (uint32_t i = 0; i < count; i++)
		if (!kinds[i]->field_count && !kinds[i]->fields_omitted)
			continue;
		else if (shown == KINDS_WITH_FIELDS)
			omitted++;
		else
			put_fields(out, kinds[i], shown++ < 8);
	if (!shown)
		markup_put(out, "<p class=\"mute\">The events have no fields.</p>\n");
	if (omitted)
		markup_format(out, "<p class=\"mute\">Fields of %s with fewer events are left "
			      "out.</p>\n", counted(omitted, "name"));
	markup_put(out, "</section>\n");
	free(kinds);
}

/* Shows how many events are missing, and where. */

#define PLACES_SHOWN 30

static void put_loss(struct bytes *out, const struct facts *facts, const struct loss *loss)
{
	markup_format(out, "<tr><td class=\"n\">%s</td><td class=\"n\">%s%s</td><td>",
		      count_text(loss->count), loss->has_time ? "+" : "",
		      loss->has_time ? page_offset(facts, loss->time) : "");
	page_lane_name(out, &facts->lanes[loss->lane]);
	markup_put(out, "</td></tr>\n");
}

static void put_places(struct bytes *out, const struct facts *facts)
{
	const uint64_t all = facts->loss_count + facts->places_omitted;

	markup_put(out, "<table><thead><tr><th class=\"n\">lost</th><th class=\"n\">before</th>"
		   "<th>the next event of the process, by thread</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < facts->loss_count && i < PLACES_SHOWN; i++)
		put_loss(out, facts, &facts->losses[i]);
	markup_put(out, "</tbody></table>\n");
	if (all > PLACES_SHOWN)
		markup_format(out, "<p class=\"mute\">The first %d of %s places.</p>\n",
			      PLACES_SHOWN, count_text(all));
}

void page_losses(struct bytes *out, const struct facts *facts,
		 const struct page_source *source)
{
	if (!source->lost && !facts->lost_here)
		return;
	markup_put(out, "<section>\n<h2 id=\"losses\">Losses</h2>\n");
	if (source->lost)
		markup_format(out, "<p>%s %s missing, so counts and rates on this page are "
			      "too low.</p>\n", counted(source->lost, "event"),
			      source->lost == 1 ? "is" : "are");
	if (facts->loss_count)
		put_places(out, facts);
	else
		markup_put(out, "<p class=\"mute\">The recording does not say where they "
			   "were lost.</p>\n");
	markup_put(out, "</section>\n");
}

/* The head of the page: the source, its time, and counts. */

static double summary_span(const struct facts *facts)
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
	tile(out, "Duration", NULL, facts->scale.is_set ? duration_text(summary_span(facts)) :
							  "\xe2\x80\x93",
	     "from the first event to the last");
	tile(out, "Events a second", NULL,
	     facts->scale.is_set ? rate_text(facts->events, summary_span(facts)) : "\xe2\x80\x93",
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
