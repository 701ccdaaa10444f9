/* SPDX-License-Identifier: MIT */
/* Prints how long pairs of events took, as text or as JSON. */
#include "pairing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/text/json_text.h"

/* Events that are in no pair, or whose pair is not in the histogram */

struct left_out {
	uint64_t count;
	const char *key;  /* in JSON */
	const char *one;  /* a sentence about one, and about several */
	const char *many;
};

#define LEFT_OUT 8

static void list_left_out(const struct pairing *pairing, struct left_out list[LEFT_OUT])
{
	const struct left_out all[LEFT_OUT] = {
		{ pairing->open.count, "neverEnded", "start never ended", "starts never ended" },
		{ pairing->without_start, "withoutStart", "end had no start",
		  "ends had no start" },
		{ pairing->repeated, "repeated",
		  "start was followed by another one with the same key, which replaced it",
		  "starts were followed by another one with the same key, which replaced them" },
		{ pairing->open.dropped, "dropped", "start was dropped for want of room",
		  "starts were dropped for want of room" },
		{ pairing->without_key, "withoutKey", "event had no key", "events had no key" },
		{ pairing->without_time, "withoutTime", "event had no time",
		  "events had no time" },
		{ pairing->negative, "negative", "pair ended before it started",
		  "pairs ended before they started" },
		{ pairing->other_clock, "otherClock",
		  "pair has times of different clocks, which cannot be compared",
		  "pairs have times of different clocks, which cannot be compared" },
	};

	memcpy(list, all, sizeof(all));
}

/* Text */

static void put(struct bytes *to, const char *text)
{
	bytes_add(to, text, strlen(text));
}

/* A glob of the command line. */
static void put_glob(const struct named_events *named, struct bytes *to)
{
	const char *glob = named->globs.items[0];

	value_put(&(struct value){ .type = VALUE_TEXT, .text = glob,
				   .length = strlen(glob) }, to);
}

static const char *key_name(const struct pairing *pairing)
{
	if (pairing->key == PAIR_BY_FIELD)
		return pairing->field.field.text;
	if (pairing->key == PAIR_BY_EITHER && pairing->by_activity && pairing->by_thread)
		return "activity, or else by thread";
	return pairing->key == PAIR_BY_THREAD || pairing->by_thread ? "thread" : "activity";
}

static void put_title(const struct pairing *pairing, struct bytes *to)
{
	if (pairing->has_names) {
		put_glob(&pairing->start, to);
		put(to, " to ");
		put_glob(&pairing->end, to);
	} else {
		put(to, "Opcodes start to stop");
	}
	put(to, ", by ");
	put(to, key_name(pairing));
	put(to, "\n");
}

static void put_left_out(const struct pairing *pairing, struct bytes *to)
{
	struct left_out list[LEFT_OUT];
	char text[150];

	list_left_out(pairing, list);
	for (size_t i = 0; i < LEFT_OUT; i++) {
		if (!list[i].count)
			continue;
		snprintf(text, sizeof(text), "  %" PRIu64 " %s\n", list[i].count,
			 list[i].count == 1 ? list[i].one : list[i].many);
		put(to, text);
	}
}

static void put_line(const struct bytes *line, struct bytes *to)
{
	put(to, "    ");
	bytes_add(to, line->at, line->length);
	put(to, "\n");
}

static void put_slowest(const struct slowest_pairs *slowest, struct bytes *to)
{
	char duration[QUANTITY_TEXT_MAX];

	if (slowest->count)
		put(to, "\nSlowest:\n");
	for (uint32_t i = 0; i < slowest->count; i++) {
		quantity_text(duration, (double)slowest->items[i].nanoseconds,
			      UNIT_NANOSECONDS);
		put(to, "  ");
		put(to, duration);
		put(to, "\n");
		put_line(&slowest->items[i].start, to);
		put_line(&slowest->items[i].end, to);
	}
}

static void put_text(const struct pairing *pairing, int has_pairs, struct bytes *to)
{
	put_title(pairing, to);
	put_left_out(pairing, to);
	if (!has_pairs)
		return;
	histogram_set_put(&pairing->set, UNIT_NANOSECONDS, to);
	put_slowest(&pairing->slowest, to);
}

/* JSON */

static void add_slowest(const struct slowest_pairs *slowest, struct bytes *json)
{
	json_open(json, "slowest", '[');
	for (uint32_t i = 0; i < slowest->count; i++) {
		const struct slow_pair *pair = &slowest->items[i];

		if (!pair->end.length)
			continue;
		json_open(json, NULL, '{');
		json_count(json, "nanoseconds", (uint64_t)pair->nanoseconds);
		json_raw(json, "start", pair->start.at, pair->start.length);
		json_raw(json, "end", pair->end.at, pair->end.length);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_json(const struct pairing *pairing, struct bytes *json)
{
	struct left_out list[LEFT_OUT];

	json_open(json, NULL, '{');
	json_string(json, "start", pairing->has_names ? pairing->start.globs.items[0] : NULL);
	json_string(json, "end", pairing->has_names ? pairing->end.globs.items[0] : NULL);
	json_string(json, "key", key_name(pairing));
	json_string(json, "unit", "ns");
	list_left_out(pairing, list);
	for (size_t i = 0; i < LEFT_OUT; i++)
		json_count(json, list[i].key, list[i].count);
	histogram_set_json(&pairing->set, json);
	add_slowest(&pairing->slowest, json);
	json_close(json, '}');
	bytes_add(json, "\n", 1);
}

/* Both */

/* Without pairs. */
static void complain(const struct pairing *pairing, const struct event_kinds *kinds)
{
	if (pairing->has_names && (named_events_report(&pairing->start, kinds) ||
				   named_events_report(&pairing->end, kinds)))
		return;
	if (pairing->key == PAIR_BY_FIELD && asked_field_report(&pairing->field))
		return;
	if (!pairing->starts && !pairing->ends && !pairing->without_key && !pairing->without_time)
		message("cannot find pairs: no EventHeader event has the opcode start or stop; "
			"name the events: latency START STOP");
	else if (pairing->without_key && !pairing->starts && !pairing->ends)
		message("cannot find pairs: none of %" PRIu64 " events has the key; --key FIELD, "
			"--activity and --thread choose it", pairing->without_key);
	else
		message("cannot find pairs: no start was followed by an end with the same key; "
			"--key FIELD, --activity and --thread choose it");
}

int pairing_print(const struct pairing *pairing, const struct event_kinds *kinds, int is_json)
{
	struct histogram sum = histogram_set_sum(&pairing->set);
	const int has_pairs = sum.count > 0;
	struct bytes out = { .length = 0 };

	histogram_free(&sum);
	if (is_json)
		put_json(pairing, &out);
	else
		put_text(pairing, has_pairs, &out);
	bytes_print(&out);
	bytes_free(&out);
	histogram_set_report(&pairing->set);
	if (!has_pairs)
		complain(pairing, kinds);
	if (pairing->open.dropped)
		message("cannot keep all starts: more than %u were open, or their events took "
			"more than 64 MiB, and %" PRIu64 " were dropped; --max-open N keeps more",
			pairing->open.most, pairing->open.dropped);
	return !has_pairs || pairing->open.dropped;
}
