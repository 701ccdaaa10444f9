/* SPDX-License-Identifier: MIT */
/* Sets the histograms that answer a question, and reads them. */
#include "kernel_question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

/* More is not needed for the buckets of one histogram of several. */
#define GROWING_SIZE 16384u
#define SIZE_LEAST 128u /* of the kernel */

uint64_t question_size(const struct question *question)
{
	const uint64_t most = question->plan.is_relative ? GROWING_SIZE : QUESTION_SIZE_MOST;
	uint64_t size = SIZE_LEAST;

	while (size < question->options->size && size < most)
		size *= 2;
	return size;
}

static char *keys_of(const struct question *question, const struct plan_piece *piece)
{
	char *keys = xprintf("%s%s", question->fields[0].name, piece->modifier);

	for (size_t i = 1; i < question->field_count; i++) {
		char *more = xprintf("%s,%s", keys, question->fields[i].name);

		free(keys);
		keys = more;
	}
	return keys;
}

/* Both filters; NULL if there is none. */
static char *join(const char *filter, const char *other)
{
	if (filter && other)
		return xprintf("(%s) && %s", filter, other);
	return filter || other ? xstrdup(filter ? filter : other) : NULL;
}

void question_make_triggers(struct question *question, const char *filter)
{
	struct hist_shape *shape = &question->shape;

	for (size_t i = 0; i < question->plan.count; i++) {
		const struct plan_piece *piece = &question->plan.pieces[i];
		char *keys = keys_of(question, piece), *both = join(filter, piece->filter);

		question->triggers[i] = xprintf("hist:keys=%s:size=%" PRIu64 "%s%s", keys,
						question_size(question), both ? " if " : "",
						both ? both : "");
		free(keys);
		free(both);
	}
	shape->count = question->field_count;
	for (size_t i = 0; i < shape->count; i++)
		shape->keys[i] = (struct hist_key){
			question->fields[i].name,
			!i ? question->plan.kind :
			     question->fields[i].is_text ? HIST_TEXT : HIST_NUMBER,
		};
}

int question_set_triggers(struct question *question)
{
	for (size_t i = 0; i < question->plan.count; i++)
		if (own_triggers_set(&question->own, &question->event, question->triggers[i]))
			return -1;
	return 0;
}

void question_pause(struct question *question)
{
	for (size_t i = 0; i < question->plan.count; i++)
		own_triggers_pause(&question->own, &question->event, question->triggers[i]);
}

/* Looks */

int question_look(struct question *question, struct look *look)
{
	const int64_t end = question->ended ? question->ended : clock_now(CLOCK_MONOTONIC);
	size_t length;

	*look = (struct look){ .text = own_triggers_read(&question->own, &question->event,
							 &length) };
	if (!look->text)
		return -1;
	look->is_damaged = hist_file_parse(look->text, length, &question->shape,
					   question->plan.count, &look->table) != 0;
	look->counts.fields = question->fields;
	look->counts.field_count = question->field_count;
	group_counts_make(&look->counts, &look->table, &question->plan);
	look->picture = (struct picture){
		.counts = &look->counts,
		.plan = &question->plan,
		.title = question->title,
		.noun = question->noun,
		.field = question->field_name,
		.by = question->by,
		.nanoseconds = question->nanoseconds,
		.top = question->options->top,
		.seconds = (double)(end - question->begun) / 1e9,
		.dropped = look->table.dropped,
	};
	if (question->dropped_by_others)
		look->picture.dropped += question->dropped_by_others(question);
	return 0;
}

void look_free(struct look *look)
{
	group_counts_free(&look->counts);
	hist_table_free(&look->table);
	free(look->text);
	*look = (struct look){ .text = NULL };
}

void question_free(struct question *question)
{
	for (size_t i = 0; i < question->plan.count; i++)
		free(question->triggers[i]);
	bucket_plan_free(&question->plan);
	for (size_t i = 0; i < question->field_count; i++)
		key_field_free(&question->fields[i]);
	free(question->event.system);
	free(question->event.name);
	free(question->verb);
	free(question->title);
}
