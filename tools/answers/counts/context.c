/* SPDX-License-Identifier: MIT */
/*
 * Finds the events before and after those that match.
 *
 * Events are kept as long as one that comes may ask for them: for a time, or a number of them,
 * and in CONTEXT_BYTES of memory at most. The key of --same chains them. Each knows how long ago
 * the last match of its key was, so that no event has to look back further than to the one
 * before it; only a match does.
 *
 * An event of a child activity is also context of its parents: a copy is in the chain of each.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/records/time_limit.h"
#include "common/cli/memory.h"

/* Keeps the last events. */

static struct recent_event *recent_at(const struct recent_events *recent, uint64_t number)
{
	return &recent->items[number % recent->room];
}

/* Events move when others are kept; numbers stay. */
static uint64_t recent_number(const struct recent_events *recent,
			      const struct recent_event *kept)
{
	const uint64_t index = (uint64_t)(kept - recent->items);
	const uint64_t first = recent->oldest % recent->room;

	return recent->oldest + (index - first) % recent->room;
}

struct recent_event *recent_find(const struct recent_events *recent, uint64_t *place,
				 const struct value *key)
{
	while (*place > recent->oldest) {
		struct recent_event *kept = recent_at(recent, *place - 1);

		if (!value_compare(&kept->key, key))
			return kept;
		*place = kept->previous;
	}
	return NULL;
}

struct recent_event *recent_last(const struct recent_events *recent, const struct value *key)
{
	uint64_t place = recent->chains ? recent->chains[value_hash(key) % RECENT_CHAINS] : 0;

	return recent_find(recent, &place, key);
}

static void grow(struct recent_events *recent)
{
	const uint64_t room = recent->room ? 2 * recent->room : 64;
	struct recent_event *items = xcalloc(room, sizeof(*items));

	for (uint64_t i = recent->oldest; i < recent->next; i++)
		items[i % room] = *recent_at(recent, i);
	free(recent->items);
	recent->items = items;
	recent->room = room;
	if (!recent->chains)
		recent->chains = xcalloc(RECENT_CHAINS, sizeof(*recent->chains));
}

struct recent_event *recent_keep(struct recent_events *recent, const struct record *record,
				 const struct value *key)
{
	const uint64_t hash = value_hash(key);
	struct recent_event *kept;
	uint64_t *chain;

	if (recent->next - recent->oldest == recent->room)
		grow(recent);
	chain = &recent->chains[hash % RECENT_CHAINS];
	kept = recent_at(recent, recent->next);
	*kept = (struct recent_event){ .hash = hash, .previous = *chain, .key = *key };
	kept->size = sizeof(*kept) +
		     record_keep(&kept->copy, record, key->text, key->length, &kept->key.text);
	*chain = ++recent->next;
	recent->bytes += kept->size;
	return kept;
}

void recent_forget(struct recent_events *recent)
{
	struct recent_event *kept = recent_at(recent, recent->oldest++);

	recent->bytes -= kept->size;
	record_drop(&kept->copy);
}

static void recent_forget_all(struct recent_events *recent)
{
	while (recent->oldest < recent->next)
		recent_forget(recent);
}

void recent_free(struct recent_events *recent)
{
	recent_forget_all(recent);
	free(recent->items);
	free(recent->chains);
}

#define CONTEXT_BYTES ((uint64_t)64 << 20)

/* Options */

static int parse_reach(const char *text, struct reach *reach)
{
	if (!text)
		return 0;
	if (!text[strspn(text, "0123456789")] && !parse_number(text, &reach->events))
		return 0;
	if (!duration_parse(text, &reach->time) && reach->time >= 0)
		return 0;
	message("cannot parse the span \"%s\": it is a number of events, 3, or a time, 10ms, also "
		"with ns, us, s, m or h", text);
	return -1;
}

static int parse_same(struct context *context)
{
	static const enum property all[] = { PROPERTY_ACTIVITY, PROPERTY_TID, PROPERTY_PID };

	if (!context->same_text)
		return 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(context->same_text, property_name(all[i])))
			context->same = all[i];
	if (context->same)
		return 0;
	message("cannot compare \"%s\": --same is activity, tid or pid", context->same_text);
	return -1;
}

static int parse_options(struct context *context)
{
	const char *both = context->both_text;
	const char *before = context->before_text ? context->before_text : both;
	const char *after = context->after_text ? context->after_text : both;

	if (parse_reach(before, &context->before) || parse_reach(after, &context->after) ||
	    parse_same(context))
		return -1;
	if (context->same && !before && !after) {
		message("cannot use --same: it is for -B, -A and -C");
		return -1;
	}
	return before || after;
}

/* Keys */

static struct value key_of_activity(const uint8_t *id)
{
	return (struct value){
		.type = VALUE_BYTES, .text = (const char *)id, .length = ACTIVITY_SIZE,
	};
}

/* 0: the event has none. */
static int key_of(const struct context *context, const struct event *event, struct value *key,
		  struct bytes *scratch)
{
	*key = (struct value){ .type = VALUE_UNSIGNED };
	if (context->same == PROPERTY_ACTIVITY) {
		if (event->info && event->info->activity_id)
			*key = key_of_activity(event->info->activity_id);
		return key->type == VALUE_BYTES;
	}
	return !context->same || property_get(context->same, event, key, scratch);
}

/* Memory */

static uint64_t most(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* Whether an event at this time, or a later one, can still ask for it. */
static int is_wanted(const struct context *context, const struct recent_event *kept, int64_t now)
{
	const uint64_t events = most(context->before.events, context->after.events);
	const int64_t time = context->before.time > context->after.time ? context->before.time :
									  context->after.time;

	if (events && (context->same || context->recent.next - context->recent.oldest <= events))
		return 1;
	return (uint64_t)now - (uint64_t)kept->copy.record.sample.time <= (uint64_t)time ||
	       now < kept->copy.record.sample.time;
}

static void forget(struct context *context, int64_t now)
{
	while (context->recent.oldest < context->recent.next &&
	       !is_wanted(context, recent_at(&context->recent, context->recent.oldest), now))
		recent_forget(&context->recent);
	while (context->recent.bytes > CONTEXT_BYTES) {
		const struct recent_event *kept = recent_at(&context->recent, context->recent.oldest);

		context->forgotten = context->recent.oldest + 1;
		context->has_forgotten_match[kept->hash % RECENT_CHAINS] |= kept->match.is_found;
		recent_forget(&context->recent);
	}
}

static int has_after(const struct context *context)
{
	return context->after.events || context->after.time;
}

/* Whether a match of the key's chain was dropped for want of memory. */
static uint8_t *forgotten_match(const struct context *context, const struct value *key)
{
	return &context->has_forgotten_match[value_hash(key) % RECENT_CHAINS];
}

/* of: as of struct recent_event. */
static void keep(struct context *context, const struct event *event, const struct value *key,
		 int matches, uint64_t of)
{
	const struct recent_event *previous = recent_last(&context->recent, key);
	const struct match_before match = previous ? previous->match :
						     (struct match_before){ .is_found = 0 };
	const int is_new = !previous;
	struct recent_event *kept;

	/* a match before it that was forgotten may have asked for it */
	context->incomplete += is_new && !matches && has_after(context) &&
			       *forgotten_match(context, key);
	kept = recent_keep(&context->recent, event->record, key);
	kept->of = of;
	kept->match = match;
	kept->match.since += !is_new;
}

/* Add it to its own chain and to those of its parents; returns the first number. */
static uint64_t keep_all(struct context *context, const struct event *event,
			 const struct value *key, int matches)
{
	const uint64_t first = context->recent.next;
	uint32_t member = FAMILY_NONE;

	keep(context, event, key, matches, 0);
	if (context->same == PROPERTY_ACTIVITY) {
		families_see(&context->families, event);
		member = family_of(&context->families, event);
	}
	for (uint32_t i = 0; i < FAMILY_DEPTH && member != FAMILY_NONE; i++) {
		struct value parent;

		member = family_parent(&context->families, member);
		if (member == FAMILY_NONE)
			break;
		parent = key_of_activity(family_id(&context->families, member));
		keep(context, event, &parent, matches, first + 1);
	}
	return first;
}

static struct recent_event *find(const struct context *context, uint64_t place,
				 const struct value *key)
{
	return recent_find(&context->recent, &place, key);
}

/* Passing on */

/* The number of an event's first copy, which may be forgotten. */
static uint64_t first_of(const struct context *context, const struct recent_event *kept)
{
	return kept->of ? kept->of - 1 : recent_number(&context->recent, kept);
}

/* All copies, which follow each other. */
static void mark_passed(struct context *context, uint64_t first)
{
	struct recent_events *recent = &context->recent;
	uint64_t at = first > recent->oldest ? first : recent->oldest;

	for (; at < recent->next && first_of(context, recent_at(recent, at)) == first; at++)
		recent_at(recent, at)->is_passed_on = 1;
}

static int pass_on(struct context *context, struct recent_event *kept, struct event *event)
{
	const uint64_t number = first_of(context, kept);
	const struct recent_event *previous = find(context, kept->previous, &kept->key);
	const uint64_t expected = previous ? first_of(context, previous) + 1 : 0;

	kept->is_covered = 1;
	if (kept->is_passed_on)
		return 0;
	mark_passed(context, number);
	if (context->passed && context->passed != expected && context->gap)
		context->gap(context->next);
	context->passed = number + 1;
	return context->next->take(context->next, event);
}

static int pass_kept(struct context *context, struct recent_event *kept)
{
	struct event event = { .record = NULL };

	event_read(&event, &kept->copy.record, context->kinds);
	return pass_on(context, kept, &event);
}

static int is_in_reach(const struct reach *reach, uint64_t events, int64_t from, int64_t to)
{
	return events <= reach->events ||
	       (reach->time && to >= from && (uint64_t)to - (uint64_t)from <= (uint64_t)reach->time);
}

/* Those before a match, the oldest first. */
static int pass_before(struct context *context, const struct recent_event *match)
{
	const int64_t time = match->copy.record.sample.time;
	uint64_t place = match->previous;
	struct recent_event *kept = recent_find(&context->recent, &place, &match->key), **chain = NULL;
	uint32_t count = 0;
	int result = 0;

	for (uint64_t events = 1; kept && !kept->is_covered; events++) {
		if (!is_in_reach(&context->before, events, kept->copy.record.sample.time, time))
			break;
		chain = xgrow(chain, count, sizeof(struct recent_event *));
		chain[count++] = kept;
		place = kept->previous;
		kept = recent_find(&context->recent, &place, &match->key);
	}
	/* it ended at one that was forgotten: more may have been in reach */
	context->incomplete += !kept && place && place <= context->forgotten;
	while (count && !result)
		result = pass_kept(context, chain[--count]);
	free(chain);
	return result;
}

static int is_after(const struct context *context, const struct recent_event *kept)
{
	return kept->match.is_found && is_in_reach(&context->after, kept->match.since, kept->match.time,
					      kept->copy.record.sample.time);
}

static int take_matching(struct context *context, struct recent_event *kept, struct event *event)
{
	const uint64_t number = recent_number(&context->recent, kept);
	int result = pass_before(context, kept);

	kept = recent_at(&context->recent, number);
	kept->match.is_found = 1;
	kept->match.since = 0;
	kept->match.time = event->record->sample.time;
	return result ? result : pass_on(context, kept, event);
}

static int take_keyed(struct context *context, struct event *event, const struct value *key,
		      int matches)
{
	const uint64_t first = keep_all(context, event, key, matches);
	int result = 0;

	if (matches)
		return take_matching(context, recent_at(&context->recent, first), event);
	for (uint64_t at = first; at < context->recent.next && !result; at++) {
		struct recent_event *kept = recent_at(&context->recent, at);

		if (is_after(context, kept))
			result = pass_on(context, kept, event);
	}
	return result;
}

/* An event without the property of --same. */
static int pass_alone(struct context *context, struct event *event)
{
	if (context->passed && context->gap)
		context->gap(context->next);
	context->passed = UINT64_MAX;
	return context->next->take(context->next, event);
}

static int take(struct sink *sink, struct event *event)
{
	struct context *context = (struct context *)sink;
	const int matches = filter_passes(&context->filter, event);
	AUTO(bytes_free) struct bytes scratch = { .at = NULL };
	struct value key;
	int result = 0;

	if (matches < 0)
		return -1;
	forget(context, event->record->sample.time);
	context->events++;
	if (!key_of(context, event, &key, &scratch)) {
		context->without_key++;
		result = matches ? pass_alone(context, event) : 0;
	} else {
		result = take_keyed(context, event, &key, matches);
	}
	return result;
}

/* The other functions of the sink behind it. */

static int begin(struct sink *sink)
{
	struct context *context = (struct context *)sink;

	return context->next->begin ? context->next->begin(context->next) : 0;
}

static int wait(struct sink *sink)
{
	struct context *context = (struct context *)sink;

	return context->next->wait(context->next);
}

static void begin_file(struct sink *sink, const char *path)
{
	struct context *context = (struct context *)sink;

	context->next->begin_file(context->next, path);
}

static void end_file(struct sink *sink)
{
	struct context *context = (struct context *)sink;

	context->next->end_file(context->next);
	recent_forget_all(&context->recent);
	families_report(&context->families);
	families_free(&context->families);
	context->passed = 0;
}

static void drop_part(struct sink *sink)
{
	struct context *context = (struct context *)sink;

	context->next->drop_part(context->next);
}

static int end(struct sink *sink)
{
	struct context *context = (struct context *)sink;
	int result = context->next->end ? context->next->end(context->next) : 0;

	if (context->is_live)
		filter_report_live(&context->filter, context->kinds);
	else
		result |= filter_report(&context->filter, context->kinds);
	if (context->events && context->without_key == context->events)
		message("no event has the property \"%s\", so none is before or after another; "
			"--same tid is of threads", property_name(context->same));
	if (context->incomplete)
		message("cannot show all around %llu event%s: more than %llu MiB of events were "
			"between; give a smaller SPAN, or leave out --same",
			(unsigned long long)context->incomplete, PLURAL(context->incomplete),
			(unsigned long long)(CONTEXT_BYTES >> 20));
	families_report(&context->families);
	families_free(&context->families);
	result |= context->incomplete != 0;
	filter_free(&context->filter);
	recent_free(&context->recent);
	free(context->has_forgotten_match);
	return result ? -1 : 0;
}

int context_begin(struct context *context, struct filter *filter, struct event_kinds *kinds,
		  struct sink *next, void (*gap)(struct sink *next))
{
	const int is_given = parse_options(context);

	if (is_given <= 0)
		return is_given;
	if (!filter->globs.count && !filter->expression) {
		message("cannot find what -B, -A and -C are about: -e or -w selects it");
		return -1;
	}
	context->sink = (struct sink){ .begin = begin, .take = take, .drop_part = drop_part,
				       .end = end };
	context->sink.wait = next->wait ? wait : NULL;
	context->sink.begin_file = next->begin_file ? begin_file : NULL;
	context->sink.end_file = next->end_file ? end_file : NULL;
	context->next = next;
	context->gap = gap;
	context->kinds = kinds;
	context->has_forgotten_match = xcalloc(RECENT_CHAINS, 1);
	context->filter.globs = filter->globs;
	context->filter.expression = filter->expression;
	filter->globs = (struct words){ .items = NULL };
	filter->expression = NULL;
	return filter_begin(&context->filter) ? -1 : 1;
}
