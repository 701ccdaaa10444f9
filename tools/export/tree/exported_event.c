/* SPDX-License-Identifier: MIT */
/* Collects the facts of an event that are exported beside its fields. */
#include "exported_event.h"

#include <endian.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "common/cli/memory.h"
#include "common/events/field.h"

/* Makes valid UTF-8 of any bytes. */

/* Counts of counted text in events have 16 bits, but not those of the reader. */
struct clean_text clean_text(struct clean_texts *texts, const void *bytes, size_t length)
{
	const struct ue_value item = {
		.bytes = bytes,
		.length = (uint32_t)length,
		.encoding = UE_ENCODING_STRING_LENGTH16_CHAR8,
		.format = UE_FORMAT_STRING_UTF,
	};
	struct value value = { .type = VALUE_NONE };

	if (bytes_are_ascii(bytes, length))
		return (struct clean_text){ bytes, length };
	value_printed(&item, &value, &texts->scratch);
	return (struct clean_text){ value.text, value.length };
}

char *clean_copy(const char *text)
{
	AUTO(clean_texts_free) struct clean_texts texts = { 0 };
	const struct clean_text clean = clean_text(&texts, text, strlen(text));

	return xstrndup(clean.at, clean.length);
}

void clean_texts_free(struct clean_texts *texts)
{
	bytes_free(&texts->scratch);
}

static void read_names(struct exported_events *events, const struct event *event,
		       struct exported_event *exported)
{
	const struct event_kind *kind = event->kind;

	if (kind != events->kind) {
		events->scope = clean_text(&events->scopes, kind->group, strlen(kind->group));
		events->name = clean_text(&events->names, kind->name, strlen(kind->name));
		events->kind = kind;
	}
	exported->scope = events->scope;
	exported->name = events->name;
}

/* A recording of another clock may know how far that is from the time of day. */
void exported_times(const struct record *record, int64_t *time, int64_t *clock_time)
{
	const struct ue_sample *sample = &record->sample;

	*time = 0;
	*clock_time = 0;
	if (!(sample->present & UE_META_TIME))
		return;
	if (sample->is_wall_clock && sample->time > 0) /* no format has times before 1970 */
		*time = sample->time;
	*clock_time = sample->is_wall_clock && record->has_clock_time ?
				       record->clock_time : sample->time;
}

void exported_event_read(struct exported_events *events, struct event *event,
			 struct exported_event *exported)
{
	const struct ue_sample *sample = &event->record->sample;

	exported->event = event;
	exported->info = event->info;
	exported->origin = origin_find(&events->origins, sample);
	exported->has_tid = !!(sample->present & UE_META_TID);
	exported->tid = exported->has_tid ? sample->tid : 0;
	exported->lost = sample->present & UE_META_LOST ? sample->lost : 0;
	events->lost += exported->lost;
	read_names(events, event, exported);
	exported_times(event->record, &exported->time, &exported->clock_time);
}

void exported_events_free(struct exported_events *events)
{
	origins_free(&events->origins);
	clean_texts_free(&events->scopes);
	clean_texts_free(&events->names);
}

/* Makes the name of an activity of that of its first event. */

static const char *const ends[] = { "start", "begin" };

/* The length without this end and its separator; 0 if there is no such end. */
static size_t length_without(struct clean_text name, const char *end)
{
	const size_t length = strlen(end);
	size_t rest = name.length > length ? name.length - length : 0;

	if (!rest || strncasecmp(name.at + rest, end, length))
		return 0;
	return rest > 1 && strchr("_-. :/", name.at[rest - 1]) ? rest - 1 : rest;
}

struct clean_text activity_name(struct clean_text start)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t length = length_without(start, ends[i]);

		if (length)
			return (struct clean_text){ start.at, length };
	}
	return start;
}

/* Decides about fields by their names. */

static const struct redactions *all;
static uint64_t own_key[2];

void redaction_set(const struct redactions *redactions)
{
	all = redactions;
	if (all && !all->drop.count && !all->mask.count && !all->hash.count)
		all = NULL;
	if (all && !own_key[0] && getrandom(own_key, sizeof(own_key), 0) != sizeof(own_key))
		memory_is_short();
}

int redaction_is_on(void)
{
	return all != NULL;
}

static int matches(const struct words *globs, const char *name)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!fnmatch(globs->items[i], name, 0))
			return 1;
	return 0;
}

/* The strictest of those that match. */
enum redaction redaction_of(const char *name, size_t length)
{
	enum redaction found = REDACTION_NONE;
	AUTO_FREE char *text = NULL;

	if (!all)
		return REDACTION_NONE;
	text = xstrndup(name, length);
	if (matches(&all->drop, text))
		found = REDACTION_DROP;
	else if (matches(&all->mask, text))
		found = REDACTION_MASK;
	else if (matches(&all->hash, text))
		found = REDACTION_HASH;
	return found;
}

/* SipHash-2-4 */

static uint64_t turn(uint64_t word, int by)
{
	return word << by | word >> (64 - by);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = turn(v[1], 13) ^ v[0];
	v[0] = turn(v[0], 32);
	v[2] += v[3];
	v[3] = turn(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = turn(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = turn(v[1], 17) ^ v[2];
	v[2] = turn(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v);
	mix(v);
	v[0] ^= word;
}

uint64_t redaction_sip_hash(const uint64_t key[2], const void *bytes, size_t length)
{
	const uint64_t last = (uint64_t)length << 56;
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575u,
		key[1] ^ 0x646f72616e646f6du,
		key[0] ^ 0x6c7967656e657261u,
		key[1] ^ 0x7465646279746573u,
	};
	const char *at = bytes;
	uint64_t word;

	for (; length >= sizeof(word); at += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		take_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, at, length);
	take_word(v, le64toh(word) | last);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void redaction_hash(const void *bytes, size_t length, char text[17])
{
	snprintf(text, 17, "%016llx",
		 (unsigned long long)redaction_sip_hash(own_key, bytes, length));
}
