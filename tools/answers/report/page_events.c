/* SPDX-License-Identifier: MIT */
/* Shows the events by name, and the values of their fields. */
#include <stdlib.h>

#include <userevents/decode/reader.h>

#include "charts.h"
#include "common/text/markup.h"
#include "html_page.h"
#include "common/text/amount.h"

#define KINDS_SHOWN 100
#define VALUES_SHOWN 8
#define KINDS_WITH_FIELDS 40

static double span(const struct facts *facts)
{
	return time_between(facts->scale.first, facts->scale.last);
}

static void put_level(struct bytes *out, const struct kind_facts *kind)
{
	static const char *const names[] = {
		[UE_LEVEL_CRITICAL_ERROR] = "critical",
		[UE_LEVEL_ERROR] = "error",
		[UE_LEVEL_WARNING] = "warning",
		[UE_LEVEL_INFORMATION] = "information",
		[UE_LEVEL_VERBOSE] = "verbose",
	};
	const unsigned int level = kind->level;

	if (kind->of_severity[SEVERITY_ERROR])
		markup_put(out, "<td class=\"bad\">");
	else
		markup_put(out, kind->of_severity[SEVERITY_WARNING] ? "<td class=\"warn\">" :
								      "<td>");
	if (!kind->kind || !kind->kind->is_eventheader)
		markup_put(out, "");
	else if (level && level < sizeof(names) / sizeof(names[0]))
		markup_put(out, names[level]);
	else
		markup_format(out, "level %u", level);
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
