/* SPDX-License-Identifier: MIT */
/* Shows the events by name, and the values of their fields. */
#include <stdlib.h>
#include <userevents/decode/reader.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text/amount.h"
#include "common/text/text_table.h"
#include "common/cli/memory.h"
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
			bytes_put(out, names[level]);
		else
			bytes_addf(out, level < LEVELS_KEPT - 1 ? "level %u" : "%u and more",
				      level);
		if (levels >> level > 1)
			bytes_put(out, ", ");
	}
}

static void put_level(struct bytes *out, const struct kind_facts *kind)
{
	if (kind->of_severity[SEVERITY_ERROR])
		bytes_put(out, "<td class=\"bad\">");
	else
		bytes_put(out, kind->of_severity[SEVERITY_WARNING] ? "<td class=\"warn\">" :
								      "<td>");
	if (kind->kind && kind->kind->is_eventheader)
		put_levels(out, kind->levels);
	bytes_put(out, "</td>");
}

static void put_times(struct bytes *out, const struct facts *facts,
		      const struct kind_facts *kind)
{
	if (!kind->has_time) {
		bytes_put(out, "<td></td><td></td>");
		return;
	}
	bytes_addf(out, "<td class=\"n\">+%s</td><td class=\"n\">+%s</td>",
		   page_offset(facts, kind->first), page_offset(facts, kind->last));
}

static void put_kind(struct bytes *out, const struct facts *facts,
		     const struct kind_facts *kind)
{
	bytes_put(out, "<tr><td class=\"name\">");
	if (kind->kind)
		page_kind_name(out, kind->kind);
	else
		bytes_addf(out, "%s of other names",
			   counted(facts->kinds_beyond, "event"));
	bytes_put(out, "</td>");
	put_level(out, kind);
	bytes_addf(out, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td>",
		   count_text(kind->count), rate_text(kind->count, span(facts)));
	if (facts->scale.is_set)
		chart_spark(out, &kind->series, &facts->scale, "Events over time");
	bytes_addf(out, "</td><td class=\"n\">%s</td>",
		   amount_text((double)kind->bytes, UNIT_BYTES));
	put_times(out, facts, kind);
	bytes_addf(out, "<td class=\"n\">%s%u</td></tr>\n",
		   kind->process_count > PROCESSES_COUNTED ? "more than " : "",
		   kind->process_count > PROCESSES_COUNTED ? PROCESSES_COUNTED :
							     kind->process_count);
}

void page_events(struct bytes *out, const struct facts *facts)
{
	AUTO_FREE struct kind_facts **kinds;
	const uint32_t count = page_kinds(facts, &kinds);

	bytes_put(out, "<section>\n<h2 id=\"events\">Events</h2>\n<div class=\"scroll\">"
		   "<table><thead><tr><th>event</th><th>level</th><th class=\"n\">count</th>"
		   "<th class=\"n\">a second</th><th>over time</th><th class=\"n\">payload</th>"
		   "<th class=\"n\">first</th><th class=\"n\">last</th><th class=\"n\">"
		   "processes</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < count && i < KINDS_SHOWN; i++)
		put_kind(out, facts, kinds[i]);
	if (facts->rest.count)
		put_kind(out, facts, &facts->rest);
	bytes_put(out, "</tbody></table></div>\n");
	if (count > KINDS_SHOWN)
		bytes_addf(out,
			   "<p class=\"mute\">%s with fewer events are left out.</p>\n",
			   counted(count - KINDS_SHOWN, "name"));
	bytes_put(out, "</section>\n");
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
	bytes_addf(out,
		   "<p class=\"facts\"><span>min <b>%s</b></span> <span>mean <b>%s</b>"
		   "</span> ",
		   amount_text(value_as_double(&histogram->least), unit),
		   amount_text(histogram_mean(histogram), unit));
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		bytes_addf(out, "<span>%s <b>%s</b></span> ", ranks[i].name,
			   amount_text(histogram_percentile(histogram, ranks[i].share),
				       unit));
	bytes_addf(out, "<span>max <b>%s</b></span> </p>\n",
		   amount_text(value_as_double(&histogram->greatest), unit));
}

static void put_field(struct bytes *out, struct field_facts *field)
{
	bytes_put(out, "<div class=\"box\"><h4>");
	markup_text(out, field->name, field->name_length);
	bytes_put(out, "</h4>\n");
	if (field->values) {
		top_values_sort(field->values);
		chart_values(out, field->values, VALUES_SHOWN);
	} else if (field->histogram.count) {
		put_numbers(out, field);
	}
	if (field->is_too_wide)
		bytes_put(out, "<p class=\"mute\">Its numbers differ too much for a "
			   "histogram.</p>\n");
	if (field->histogram.not_finite)
		bytes_addf(out, "<p class=\"mute\">%s not finite</p>\n",
			   counted(field->histogram.not_finite, "number"));
	if (field->absent)
		bytes_addf(out, "<p class=\"mute\">absent %s</p>\n",
			   counted(field->absent, "time"));
	bytes_put(out, "</div>\n");
}

static void put_fields(struct bytes *out, struct kind_facts *kind, int is_open)
{
	bytes_addf(out, "<details%s><summary>", is_open ? " open=\"open\"" : "");
	page_kind_name(out, kind->kind);
	bytes_addf(out, " <small>%s</small></summary>\n<div class=\"boxes\">\n",
		   counted(kind->count, "event"));
	for (uint32_t i = 0; i < kind->field_count; i++)
		put_field(out, kind->fields[i]);
	bytes_put(out, "</div>\n");
	if (kind->fields_omitted)
		bytes_addf(
			out,
			"<p class=\"mute\">Further fields, with %s, are left out.</p>\n",
			counted(kind->fields_omitted, "value"));
	bytes_put(out, "</details>\n");
}

void page_fields(struct bytes *out, struct facts *facts)
{
	AUTO_FREE struct kind_facts **kinds;
	const uint32_t count = page_kinds(facts, &kinds);
	uint32_t shown = 0, omitted = 0;

	bytes_put(out, "<section>\n<h2 id=\"fields\">Fields</h2>\n");
	for (uint32_t i = 0; i < count; i++)
		if (!kinds[i]->field_count && !kinds[i]->fields_omitted)
			continue;
		else if (shown == KINDS_WITH_FIELDS)
			omitted++;
		else
			put_fields(out, kinds[i], shown++ < 8);
	if (!shown)
		bytes_put(out, "<p class=\"mute\">The events have no fields.</p>\n");
	if (omitted)
		bytes_addf(out,
			   "<p class=\"mute\">Fields of %s with fewer events are left "
			   "out.</p>\n",
			   counted(omitted, "name"));
	bytes_put(out, "</section>\n");
}

/* Shows how many events are missing, and where. */

#define PLACES_SHOWN 30

static void put_loss(struct bytes *out, const struct facts *facts, const struct loss *loss)
{
	bytes_addf(out, "<tr><td class=\"n\">%s</td><td class=\"n\">%s%s</td><td>",
		   count_text(loss->count), loss->has_time ? "+" : "",
		   loss->has_time ? page_offset(facts, loss->time) : "");
	page_lane_name(out, &facts->lanes[loss->lane]);
	bytes_put(out, "</td></tr>\n");
}

static void put_places(struct bytes *out, const struct facts *facts)
{
	const uint64_t all = facts->loss_count + facts->places_omitted;

	bytes_put(
		out,
		"<table><thead><tr><th class=\"n\">lost</th><th class=\"n\">before</th>"
		"<th>the next event of the process, by thread</th></tr></thead><tbody>\n");
	for (uint32_t i = 0; i < facts->loss_count && i < PLACES_SHOWN; i++)
		put_loss(out, facts, &facts->losses[i]);
	bytes_put(out, "</tbody></table>\n");
	if (all > PLACES_SHOWN)
		bytes_addf(out, "<p class=\"mute\">The first %d of %s places.</p>\n",
			   PLACES_SHOWN, count_text(all));
}

void page_losses(struct bytes *out, const struct facts *facts,
		 const struct page_source *source)
{
	if (!source->lost && !facts->lost_here)
		return;
	bytes_put(out, "<section>\n<h2 id=\"losses\">Losses</h2>\n");
	if (source->lost)
		bytes_addf(out, "<p>%s %s missing, so counts and rates on this page are "
			      "too low.</p>\n", counted(source->lost, "event"),
			      source->lost == 1 ? "is" : "are");
	if (facts->loss_count)
		put_places(out, facts);
	else
		bytes_put(out, "<p class=\"mute\">The recording does not say where they "
			   "were lost.</p>\n");
	bytes_put(out, "</section>\n");
}

/* The head of the page: the source, its time, and counts. */

/* texts: of this program. class: of the number; NULL: none. */
static void tile(struct bytes *out, const char *name, const char *class,
		 const char *number, const char *detail)
{
	bytes_addf(out, "<div><dt>%s</dt><dd%s%s%s>%s<small>%s</small></dd></div>\n",
		   name, class ? " class=\"" : "", class ? class : "", class ? "\"" : "",
		   number, detail);
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

	bytes_put(out, "<dl class=\"tiles\">\n");
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
	bytes_put(out, "</dl>\n");
}

static void put_faults(struct bytes *out, const struct facts *facts,
		       const struct page_source *source)
{
	if (source->has_failed)
		bytes_put(out,
			  "<p class=\"bad\">The source could not be read as a whole, or "
			  "events of it are missing: messages of the command say "
			  "which.</p>\n");
	if (facts->malformed)
		bytes_addf(out,
			   "<p class=\"bad\">%s do%s not match the description; only "
			   "the fields before the fault are counted.</p>\n",
			   counted(facts->malformed, "event"),
			   facts->malformed == 1 ? "es" : "");
	if (facts->without_time)
		bytes_addf(out,
			   "<p class=\"warn\">The time line lacks %s without a time, or "
			   "with one of another clock.</p>\n",
			   counted(facts->without_time, "event"));
}

static void put_range(struct bytes *out, const struct facts *facts)
{
	const int is_wall_clock = facts->is_wall_clock;

	if (!facts->scale.is_set)
		return;
	bytes_addf(out, "<p>%s \xe2\x80\x93 %s%s</p>\n",
		   moment_text(facts->scale.first, is_wall_clock),
		   moment_text(facts->scale.last, is_wall_clock),
		   is_wall_clock ? "" : " of the recording's clock");
}

void page_detail(struct bytes *out, const struct page_source *source)
{
	if (!*source->detail)
		return;
	bytes_put(out, "<p class=\"mute\">");
	markup_string(out, source->detail);
	bytes_put(out, "</p>\n");
}

void page_summary(struct bytes *out, const struct facts *facts,
		  const struct page_source *source)
{
	bytes_put(out, "<header>\n<h1>");
	markup_string(out, source->title);
	bytes_put(out, "</h1>\n");
	page_detail(out, source);
	put_range(out, facts);
	put_tiles(out, facts, source->lost);
	put_faults(out, facts, source);
	bytes_put(out, "<nav>");
	if (facts->scale.is_set)
		bytes_put(out, "<a href=\"#timeline\">Time line</a>");
	if (facts->group_count)
		bytes_put(out, "<a href=\"#activities\">Activities</a>");
	if (facts->open.count)
		bytes_put(out, "<a href=\"#open\">Never ended</a>");
	if (facts->error_count)
		bytes_put(out, "<a href=\"#errors\">Errors</a>");
	bytes_put(out, "<a href=\"#events\">Events</a>");
	if (facts->stacks.events)
		bytes_put(out, "<a href=\"#stacks\">Stacks</a>");
	bytes_put(out, "<a href=\"#fields\">Fields</a></nav>\n</header>\n");
}

/*
 * Shows errors and slow pairs with the events before them, and starts that never ended.
 */

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

/* Cells of the thread, name and fields; the first is begun, and the last left open. */
static void put_event(struct bytes *out, const struct lane *lane,
		      const struct event_kind *kind, const char *fields)
{
	page_lane_name(out, lane);
	bytes_put(out, "</td><td class=\"name\">");
	page_kind_name(out, kind);
	bytes_put(out, "</td><td class=\"fields\">");
	markup_string(out, fields);
}

static void put_error(struct bytes *out, const struct facts *facts, const struct error *error,
		      uint32_t number)
{
	char id[16];

	snprintf(id, sizeof(id), "e%" PRIu32, number);
	bytes_addf(out, "<tr><td class=\"n\">+%s</td><td>", page_offset(facts, error->time));
	put_event(out, &facts->lanes[error->lane], error->kind, error->text);
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
	put_event(out, &facts->lanes[activity->lane], activity->kind,
		  activity->start_text);
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
