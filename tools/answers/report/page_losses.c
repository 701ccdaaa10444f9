/* SPDX-License-Identifier: MIT */
/* Shows how many events are missing, and where. */
#include "common/text/markup.h"
#include "html_page.h"
#include "common/text/amount.h"

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
