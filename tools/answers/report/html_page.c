/* SPDX-License-Identifier: MIT */
/* Writes a page of HTML that shows facts about events. */
#include "html_page.h"

#include <stdlib.h>

#include "common/cli/memory.h"
#include "common/text/markup.h"
#include "common/text/amount.h"

void page_lane_name(struct bytes *out, const struct lane *lane)
{
	if (lane->is_rest) {
		markup_put(out, "further threads");
		return;
	}
	if (lane->comm[0])
		markup_string(out, lane->comm);
	if (lane->has_pid)
		markup_format(out, "%s%u", lane->comm[0] ? " " : "process ", lane->pid);
	if (lane->has_tid && (!lane->has_pid || lane->tid != lane->pid))
		markup_format(out, "%s%u", lane->has_pid ? "/" : "thread ", lane->tid);
	if (!lane->comm[0] && !lane->has_pid && !lane->has_tid)
		markup_put(out, "process not recorded");
}

void page_kind_name(struct bytes *out, const struct event_kind *kind)
{
	if (*kind->group) {
		markup_string(out, kind->group);
		markup_put(out, ":");
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
	return a->kind->number < b->kind->number ? -1 : 1;
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
static void put_head(struct bytes *out, const struct page_source *source)
{
	markup_put(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
		   "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		   "<title>");
	markup_short(out, source->title, strlen(source->title), 100);
	markup_put(out, " \xe2\x80\x93 userevents report</title>\n");
	page_style(out);
	markup_put(out, "</head>\n<body>\n");
}

void page_write(struct bytes *out, struct facts *facts, const struct page_source *source)
{
	put_head(out, source);
	page_summary(out, facts, source);
	markup_put(out, "<main>\n");
	if (facts->scale.is_set)
		page_timeline(out, facts);
	page_activities(out, facts);
	page_events(out, facts);
	page_losses(out, facts, source);
	page_fields(out, facts);
	markup_put(out, "</main>\n<footer>Written by userevents ");
	markup_string(out, source->version);
	markup_put(out, ". This file has no scripts and loads nothing.</footer>\n"
		   "</body>\n</html>\n");
}
