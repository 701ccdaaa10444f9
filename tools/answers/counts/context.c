/* SPDX-License-Identifier: MIT */
/*
 * Finds the events before and after those that match.
 *
 * Events are kept as long as one that comes may ask for them: for a time, or a number of them,
 * and in CONTEXT_BYTES of memory at most. With --same, those that have the same property are
 * in a chain, in which others whose hash is the same are passed over. Each knows how long ago
 * the last match of its chain was, so that no event has to look back further than to the one
 * before it; only a match does.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/records/time_limit.h"

#define CONTEXT_BYTES ((uint64_t)64 << 20)

struct kept_event {
	struct kept_record copy;
	size_t size;
	struct value key; /* with its text in the copy */
	uint64_t hash;
	uint64_t previous;   /* of the chain, 1 higher; 0: none */
	int is_passed_on;
	int has_match; /* of its key: it, or one before it */
	uint64_t since;	    /* events of its key since that */
	int64_t matched_at; /* its time */
};

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

/* 0: the event has none. */
static int key_of(const struct context *context, const struct event *event, struct value *key,
		  struct bytes *scratch)
{
	*key = (struct value){ .type = VALUE_UNSIGNED };
	return !context->same || property_get(context->same, event, key, scratch);
}

static struct kept_event *kept_at(const struct context *context, uint64_t number)
{
	return &context->kept[number % context->room];
}

/* The newest one from a place of a chain on that has the key; NULL: it is not kept. */
static struct kept_event *find_from(const struct context *context, uint64_t *place,
				    const struct value *key)
{
	while (*place > context->oldest) {
		struct kept_event *kept = kept_at(context, *place - 1);

		if (!value_compare(&kept->key, key))
			return kept;
		*place = kept->previous;
	}
	return NULL;
}

static struct kept_event *find(const struct context *context, uint64_t place,
			       const struct value *key)
{
	return find_from(context, &place, key);
}

static uint64_t number_of(const struct context *context, const struct kept_event *kept)
{
	const uint64_t index = (uint64_t)(kept - context->kept);
	const uint64_t first = context->oldest % context->room;

	return context->oldest + (index - first) % context->room;
}

/* Memory */

static void forget_oldest(struct context *context)
{
	struct kept_event *kept = kept_at(context, context->oldest++);

	context->bytes -= kept->size;
	record_drop(&kept->copy);
}

static void grow(struct context *context)
{
	const uint64_t room = context->room ? 2 * context->room : 64;
	struct kept_event *kept = xcalloc(room, sizeof(*kept));

	for (uint64_t i = context->oldest; i < context->number; i++)
		kept[i % room] = *kept_at(context, i);
	free(context->kept);
	context->kept = kept;
	context->room = room;
}

static uint64_t most(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* Whether an event at this time, or a later one, can still ask for it. */
static int is_wanted(const struct context *context, const struct kept_event *kept, int64_t now)
{
	const uint64_t events = most(context->before.events, context->after.events);
	const int64_t time = context->before.time > context->after.time ? context->before.time :
									  context->after.time;

	if (events && (context->same || context->number - context->oldest <= events))
		return 1;
	return (uint64_t)now - (uint64_t)kept->copy.record.sample.time <= (uint64_t)time ||
	       now < kept->copy.record.sample.time;
}

static void forget(struct context *context, int64_t now)
{
	while (context->oldest < context->number &&
	       !is_wanted(context, kept_at(context, context->oldest), now))
		forget_oldest(context);
	while (context->bytes > CONTEXT_BYTES) {
		const struct kept_event *kept = kept_at(context, context->oldest);

		context->forgotten = context->oldest + 1;
		context->has_forgotten_match[kept->hash % CONTEXT_CHAINS] |= kept->has_match;
		forget_oldest(context);
	}
}

/* previous: of the same key. */
static struct kept_event *keep(struct context *context, const struct event *event,
			       const struct value *key, const struct kept_event *previous)
{
	const uint64_t hash = value_hash(key);
	uint64_t *chain = &context->chains[hash % CONTEXT_CHAINS];
	struct kept_event *kept;

	if (context->number - context->oldest == context->room) {
		const uint64_t place = previous ? number_of(context, previous) + 1 : 0;

		grow(context);
		previous = place ? kept_at(context, place - 1) : NULL;
	}
	kept = kept_at(context, context->number);
	*kept = (struct kept_event){ .hash = hash, .previous = *chain };
	if (previous) {
		kept->has_match = previous->has_match;
		kept->since = previous->since + 1;
		kept->matched_at = previous->matched_at;
	}
	kept->key = *key;
	kept->size = sizeof(*kept) + record_keep(&kept->copy, event->record, key->text, key->length,
						 &kept->key.text);
	*chain = ++context->number;
	context->bytes += kept->size;
	return kept;
}

/* Passing on */

static int pass_on(struct context *context, struct kept_event *kept, struct event *event)
{
	const uint64_t number = number_of(context, kept);
	const struct kept_event *previous = find(context, kept->previous, &kept->key);
	const uint64_t expected = previous ? number_of(context, previous) + 1 : 0;

	kept->is_passed_on = 1;
	if (context->passed && context->passed != expected && context->gap)
		context->gap(context->next);
	context->passed = number + 1;
	return context->next->take(context->next, event);
}

static int pass_kept(struct context *context, struct kept_event *kept)
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
static int pass_before(struct context *context, const struct kept_event *match)
{
	const int64_t time = match->copy.record.sample.time;
	uint64_t place = match->previous;
	struct kept_event *kept = find_from(context, &place, &match->key), **chain = NULL;
	uint32_t count = 0;
	int result = 0;

	for (uint64_t events = 1; kept && !kept->is_passed_on; events++) {
		if (!is_in_reach(&context->before, events, kept->copy.record.sample.time, time))
			break;
		chain = xgrow(chain, count, sizeof(struct kept_event *));
		chain[count++] = kept;
		place = kept->previous;
		kept = find_from(context, &place, &match->key);
	}
	/* it ended at one that was forgotten: more may have been in reach */
	context->incomplete += !kept && place && place <= context->forgotten;
	while (count && !result)
		result = pass_kept(context, chain[--count]);
	free(chain);
	return result;
}

static int is_after(const struct context *context, const struct kept_event *kept)
{
	return kept->has_match && is_in_reach(&context->after, kept->since, kept->matched_at,
					      kept->copy.record.sample.time);
}

static int take_matching(struct context *context, struct kept_event *kept, struct event *event)
{
	const uint64_t number = number_of(context, kept);
	int result = pass_before(context, kept);

	kept = kept_at(context, number);
	kept->has_match = 1;
	kept->since = 0;
	kept->matched_at = event->record->sample.time;
	return result ? result : pass_on(context, kept, event);
}

static struct kept_event *find_last(const struct context *context, const struct value *key)
{
	return find(context, context->chains[value_hash(key) % CONTEXT_CHAINS], key);
}

static int has_after(const struct context *context)
{
	return context->after.events || context->after.time;
}

/* Whether a match of the key's chain was dropped for want of memory. */
static uint8_t *forgotten_match(const struct context *context, const struct value *key)
{
	return &context->has_forgotten_match[value_hash(key) % CONTEXT_CHAINS];
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
	struct bytes scratch = { .at = NULL };
	struct kept_event *kept;
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
		struct kept_event *previous = find_last(context, &key);

		/* a match before it that was forgotten may have asked for it */
		context->incomplete += !previous && !matches && has_after(context) &&
				       *forgotten_match(context, &key);
		kept = keep(context, event, &key, previous);
		if (matches)
			result = take_matching(context, kept, event);
		else if (is_after(context, kept))
			result = pass_on(context, kept, event);
	}
	bytes_free(&scratch);
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
	while (context->oldest < context->number)
		forget_oldest(context);
	context->passed = 0;
}

static void drop_part(struct sink *sink)
{
	struct context *context = (struct context *)sink;

	context->next->drop_part(context->next);
}

static void free_all(struct context *context)
{
	while (context->oldest < context->number)
		forget_oldest(context);
	free(context->kept);
	free(context->chains);
	free(context->has_forgotten_match);
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
	result |= context->incomplete != 0;
	filter_free(&context->filter);
	free_all(context);
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
	context->chains = xcalloc(CONTEXT_CHAINS, sizeof(*context->chains));
	context->has_forgotten_match = xcalloc(CONTEXT_CHAINS, 1);
	context->filter.globs = filter->globs;
	context->filter.expression = filter->expression;
	filter->globs = (struct words){ .items = NULL };
	filter->expression = NULL;
	return filter_begin(&context->filter) ? -1 : 1;
}
