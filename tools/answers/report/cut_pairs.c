/* SPDX-License-Identifier: MIT */
/* Finds pairs of which an expression leaves out one event. */
#include "cut_pairs.h"

#include "common/cli/message.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"

#define ADVICE "\"userevents latency --where\" selects pairs"

void cut_pairs_begin(struct cut_pairs *cut)
{
	cut->pairs.data_size = sizeof(int);
}

void cut_pairs_take(struct cut_pairs *cut, struct event *event, int is_left_out)
{
	struct pair pair;

	pairs_take(&cut->pairs, event, &pair);
	if (pair.ended)
		cut->count += *(const int *)pair.ended->data != is_left_out;
	if (pair.opened)
		*(int *)pair.opened->data = is_left_out;
}

void cut_pairs_put(uint64_t count, struct bytes *out)
{
	if (!count)
		return;
	bytes_addf(out, "<p class=\"warn\">The expression of --where leaves out the start or the stop "
		   "of %s, which are not shown, and what is left of them may be in wrong pairs; ",
		   counted(count, "pair"));
	markup_string(out, ADVICE);
	bytes_put(out, ". So starts that never ended are not shown, either.</p>\n");
}

void cut_pairs_report(uint64_t count)
{
	if (count)
		message("cannot show all pairs: --where leaves out the start or the stop of %llu; "
			ADVICE, (unsigned long long)count);
}

void cut_pairs_free(struct cut_pairs *cut)
{
	pairs_free(&cut->pairs);
}
