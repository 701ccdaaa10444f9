/* SPDX-License-Identifier: MIT */
/* Counts events by their stacks, and shows them as text, JSON and a page. */
#include "stack_tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/stacks/stacks.h"
#include "common/text/amount.h"
#include "common/text/text_table.h"

#define STACKS_MOST 100000u
#define BYTES_MOST ((size_t)64 << 20)

/* Lines */

/* A part of a line holds no byte that ends it, or the line. */
static void end_part(struct bytes *line, size_t begin)
{
	char *text = (char *)line->at + begin;

	controls_blank(text, line->length - begin);
	for (size_t i = begin; i < line->length; i++)
		if (line->at[i] == ';')
			line->at[i] = ':';
}

static void add_text(struct bytes *line, const char *text)
{
	const size_t begin = line->length;

	bytes_put(line, text);
	end_part(line, begin);
}

static void add_frame(struct bytes *line, const struct stack_frame *frame)
{
	const size_t begin = line->length;

	frame_put_name(line, frame);
	end_part(line, begin);
}

/*
 * perf script and stackcollapse-perf.pl begin with the name of the thread, which splits a
 * program with a pool of named threads. Most questions are about the program, so its name
 * is the first.
 */
static const char *root_of(const struct record *record, int has_threads)
{
	const struct ue_sample *sample = &record->sample;
	const char *comm = sample->present & UE_META_COMM ? sample->comm : NULL;

	if (!has_threads && record->program && *record->program)
		return record->program;
	return comm && *comm ? comm : "?";
}

static void make_line(struct bytes *line, const struct event *event, int has_threads)
{
	const struct record *record = event->record;
	const struct program_stack stack = stack_of_program(record);

	line->length = 0;
	add_text(line, root_of(record, has_threads));
	for (uint32_t i = stack.count; i > 0; i--) {
		bytes_put(line, ";");
		add_frame(line, &stack.frames[i - 1]);
	}
	bytes_put(line, ";");
	add_text(line, event->kind->shown);
	bytes_add(line, "", 1);
}

/* Counting */

static struct stack_group *find(struct stack_tally *tally, uint64_t key)
{
	uint32_t steps = 0, found;

	while ((found = key_table_next(&tally->by_line, key, &steps)) != KEY_UNKNOWN)
		if (!strcmp(tally->groups[found].line, (const char *)tally->line.at))
			return &tally->groups[found];
	return NULL;
}

void stack_tally_take(struct stack_tally *tally, const struct event *event)
{
	struct stack_group *group;
	uint64_t key;

	if (!event->record->frame_count) {
		tally->without++;
		return;
	}
	tally->events++;
	tally->cut += event->record->is_stack_cut != 0;
	short_stacks_note(&tally->short_stacks, event->record);
	make_line(&tally->line, event, tally->has_threads);
	key = hash_bytes(tally->line.at, tally->line.length);
	group = find(tally, key);
	if (group) {
		group->count++;
		return;
	}
	if (tally->count == STACKS_MOST || tally->bytes + tally->line.length > BYTES_MOST) {
		tally->others++;
		return;
	}
	tally->bytes += tally->line.length;
	tally->groups = xgrow(tally->groups, tally->count, sizeof(*group));
	key_table_add(&tally->by_line, key, tally->count);
	tally->groups[tally->count++] = (struct stack_group){
		xstrdup((const char *)tally->line.at), 1,
	};
}

static int by_count(const void *a, const void *b)
{
	const struct stack_group *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return strcmp(one->line, other->line);
}

void stack_tally_sort(struct stack_tally *tally)
{
	key_table_free(&tally->by_line); /* the groups move */
	if (tally->count)
		qsort(tally->groups, tally->count, sizeof(*tally->groups), by_count);
}

void stack_tally_free(struct stack_tally *tally)
{
	for (uint32_t i = 0; i < tally->count; i++)
		free(tally->groups[i].line);
	free(tally->groups);
	key_table_free(&tally->by_line);
	bytes_free(&tally->line);
	*tally = (struct stack_tally){ .count = 0 };
}

/* Output */

void stack_tally_put_folded(const struct stack_tally *tally, struct bytes *to)
{
	for (uint32_t i = 0; i < tally->count; i++)
		bytes_addf(to, "%s %" PRIu64 "\n", tally->groups[i].line,
			   tally->groups[i].count);
	if (tally->others)
		bytes_addf(to, "(others) %" PRIu64 "\n", tally->others);
}

/* The part before this place of a line, which is moved there. */
static const char *part_before(const char *line, const char **end, int *length)
{
	const char *at = *end;

	while (at > line && at[-1] != ';')
		at--;
	*length = (int)(*end - at);
	*end = at > line ? at - 1 : line;
	return at;
}

static void put_group(const struct stack_tally *tally, const struct stack_group *group,
		      struct bytes *to)
{
	const char *end = group->line + strlen(group->line), *part;
	const int root = (int)strcspn(group->line, ";");
	int length;

	part = part_before(group->line, &end, &length);
	bytes_addf(to, "%10" PRIu64 " %5.1f%%  %.*s  of %.*s\n", group->count,
		   100.0 * (double)group->count / (double)tally->events, length, part,
		   root, group->line);
	while (end > group->line + root) {
		part = part_before(group->line, &end, &length);
		bytes_addf(to, "                    %.*s\n", length, part);
	}
}

static uint64_t beyond(const struct stack_tally *tally, uint64_t most)
{
	uint64_t left = tally->others;

	for (uint64_t i = most; i < tally->count; i++)
		left += tally->groups[i].count;
	return left;
}

void stack_tally_put_text(const struct stack_tally *tally, uint64_t most, struct bytes *to)
{
	const uint64_t left = beyond(tally, most);

	for (uint64_t i = 0; i < most && i < tally->count; i++)
		put_group(tally, &tally->groups[i], to);
	if (left)
		bytes_addf(to, "%10" PRIu64 " %5.1f%%  other stacks\n", left,
			   100.0 * (double)left / (double)tally->events);
	bytes_addf(to, "%s with %s", counted(tally->events, "event"),
		   counted(tally->count, "different stack"));
	if (tally->without)
		bytes_addf(to, "; %s without", counted(tally->without, "event"));
	if (tally->cut)
		bytes_addf(to, "; %s of one frame, as the kernel or a sandbox does not let the "
			   "program read its stack", counted(tally->cut, "stack"));
	bytes_put(to, "\n");
}

static void put_part(struct bytes *to, const char *key, const char *part, size_t length)
{
	AUTO_FREE char *text = xstrndup(part, length);

	json_string(to, key, text);
}

static void put_object(const struct stack_tally *tally, const struct stack_group *group,
		       struct bytes *to)
{
	const char *end = group->line + strlen(group->line), *part;
	const size_t root = strcspn(group->line, ";");
	int length;

	json_open(to, NULL, '{');
	json_count(to, "count", group->count);
	put_part(to, tally->has_threads ? "thread" : "program", group->line, root);
	part = part_before(group->line, &end, &length);
	put_part(to, "event", part, (size_t)length);
	json_open(to, "stack", '[');
	while (end > group->line + root) {
		part = part_before(group->line, &end, &length);
		put_part(to, NULL, part, (size_t)length);
	}
	json_close(to, ']');
	json_close(to, '}');
}

void stack_tally_put_json(const struct stack_tally *tally, uint64_t most, struct bytes *to)
{
	json_open(to, NULL, '{');
	json_count(to, "events", tally->events);
	json_count(to, "withoutStack", tally->without);
	json_count(to, "cutStacks", tally->cut);
	json_count(to, "differentStacks", tally->count);
	json_count(to, "otherStacks", beyond(tally, most));
	json_open(to, "stacks", '[');
	for (uint64_t i = 0; i < most && i < tally->count; i++)
		put_object(tally, &tally->groups[i], to);
	json_close(to, ']');
	json_close(to, '}');
	bytes_put(to, "\n");
}

/*
 * Draws stacks as an icicle: the outermost functions are on top, and each is as wide as the
 * events that came from it.
 */

#define ROW_HEIGHT 19 /* pixels */
#define ROWS_MOST 64u
#define BOXES_MOST 4000u
/* Narrower boxes show nothing. */
#define SHARE_LEAST 0.001

struct picture {
	const struct stack_tally *tally;
	struct bytes *out;
	uint32_t boxes;
	uint32_t rows;
};

/* Lines with a common beginning are neighbours. */
static int by_line(const void *a, const void *b)
{
	return strcmp(((const struct stack_group *)a)->line, ((const struct stack_group *)b)->line);
}

/* One colour for each name. */
static unsigned int colour_of(const char *name, size_t length)
{
	unsigned int sum = 0;

	while (length--)
		sum = sum * 31 + (unsigned char)*name++;
	return sum % 7;
}

static void put_box(struct picture *picture, const char *name, size_t length, uint32_t row,
		    uint64_t begin, uint64_t count)
{
	const double all = (double)picture->tally->events;
	struct bytes *out = picture->out;

	bytes_addf(out, "<div class=\"c%u\" style=\"left:%.3f%%;width:%.3f%%;top:%upx\" title=\"",
		   colour_of(name, length), 100 * (double)begin / all,
		   100 * (double)count / all, row * ROW_HEIGHT);
	markup_text(out, name, length);
	bytes_addf(out, ", %s, %.1f%%\">", counted(count, "event"), 100 * (double)count / all);
	markup_short(out, name, length, 80);
	bytes_put(out, "</div>\n");
	picture->boxes++;
	if (picture->rows <= row)
		picture->rows = row + 1;
}

/* Whether a line has the same part at a place as the first one. */
static int is_same(const struct stack_group *group, const struct stack_group *first, size_t at,
		   size_t length)
{
	return !strncmp(group->line + at, first->line + at, length) &&
	       (group->line[at + length] == ';' || !group->line[at + length]);
}

/* Groups from first to end have the same line up to a place, and go on there. */
static void draw(struct picture *picture, uint32_t first, uint32_t end, size_t at, uint32_t row,
		 uint64_t begin)
{
	const struct stack_group *groups = picture->tally->groups;

	while (first < end) {
		const size_t length = strcspn(groups[first].line + at, ";");
		uint32_t next = first, inner = first;
		uint64_t count = 0;

		for (; next < end && is_same(&groups[next], &groups[first], at, length); next++) {
			count += groups[next].count;
			inner += !groups[next].line[at + length];
		}
		if ((double)count >= SHARE_LEAST * (double)picture->tally->events &&
		    picture->boxes < BOXES_MOST && row < ROWS_MOST) {
			put_box(picture, groups[first].line + at, length, row, begin, count);
			draw(picture, inner, next, at + length + 1, row + 1, begin);
		}
		begin += count;
		first = next;
	}
}

static void put_advice(const struct stack_tally *tally, struct bytes *to)
{
	AUTO_FREE char *advice = short_stacks_text(&tally->short_stacks);

	if (advice) {
		bytes_put(to, "<p class=\"warn\">");
		markup_text(to, advice, strlen(advice));
		bytes_put(to, "</p>\n");
	}
}

void stack_tally_put_page(struct stack_tally *tally, struct bytes *to)
{
	struct bytes boxes = { 0 };
	struct picture picture = { .tally = tally, .out = &boxes };

	if (!tally->events)
		return;
	key_table_free(&tally->by_line); /* the groups move */
	if (tally->count)
		qsort(tally->groups, tally->count, sizeof(*tally->groups), by_line);
	draw(&picture, 0, tally->count, 0, 0, 0);
	bytes_put(to, "<section>\n<h2 id=\"stacks\">Stacks</h2>\n<p class=\"mute\">");
	bytes_addf(to, "%s with ", counted(tally->events, "event"));
	bytes_addf(to, "%s", counted(tally->count, "different stack"));
	if (tally->without)
		bytes_addf(to, "; %s without", counted(tally->without, "event"));
	bytes_addf(to, ". The program is on top, and below each function those that it called; "
		   "a box is as wide as the events that came from there.</p>\n"
		   "<div class=\"flame\" style=\"height:%upx\">\n", picture.rows * ROW_HEIGHT);
	bytes_add(to, boxes.at, boxes.length);
	bytes_put(to, "</div>\n");
	if (tally->others)
		bytes_addf(to, "<p class=\"warn\">%s left out, as there are too many "
			   "stacks.</p>\n", counted(tally->others, "event"));
	put_advice(tally, to);
	bytes_put(to, "</section>\n");
	bytes_free(&boxes);
}
