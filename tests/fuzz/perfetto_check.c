/* SPDX-License-Identifier: MIT */
/*
 * Checks a trace of Perfetto: messages of the written numbers and types alone, text in UTF-8,
 * tracks that were described, and each event and loss once.
 */
#include "export_checks.h"

#include <string.h>

#include "../support/json_check.h"
#include "fuzz.h"
#include "protobuf_reading.h"

#define TRACKS_MAX 4096

struct trace {
	uint64_t events, lost;
	uint64_t tracks[TRACKS_MAX];
	size_t track_count;
};

static void check_text(const struct wire_field *field)
{
	PROMISE(field->at && !utf8_wrong((const char *)field->at, field->length));
}

/* Perfetto ignores one without a value, so it must have one. */
static void check_annotation(const struct wire_field *annotation, int is_element, int depth)
{
	const uint8_t *at = annotation->at, *end = at + annotation->length;
	int names = 0, values = 0, elements = 0;
	struct wire_field field;

	PROMISE(at && depth < 80);
	while (next_field(&at, end, &field)) {
		if (field.number == 10 || field.number == 6)
			check_text(&field);
		else if (field.number == 11 || field.number == 12)
			check_annotation(&field, field.number == 12, depth + 1);
		else
			PROMISE(field.number >= 2 && field.number <= 5);
		names += field.number == 10;
		elements += field.number >= 11;
		values += field.number <= 6;
	}
	PROMISE(names == !is_element && (elements ? !values : values == 1));
}

/* The value of the annotation "count", a number or digits; else 0. */
static uint64_t count_of(const struct wire_field *annotation)
{
	const uint8_t *at = annotation->at, *end = at + annotation->length;
	uint64_t count = 0;
	struct wire_field field;
	int is_count = 0;

	while (next_field(&at, end, &field)) {
		if (field.number == 10)
			is_count = field.length == 5 && !memcmp(field.at, "count", 5);
		if (field.number == 3)
			count = field.whole;
		for (size_t i = 0; field.number == 6 && i < field.length; i++)
			count = 10 * count + (uint64_t)(field.at[i] - '0');
	}
	return is_count ? count : 0;
}

/* Returns the sum of its annotations "count". */
static uint64_t check_event(struct trace *trace, const struct wire_field *event)
{
	const uint8_t *at = event->at, *end = at + event->length;
	uint64_t track = 0, type = 0, count = 0;
	struct wire_field field;
	size_t i = 0;

	while (next_field(&at, end, &field)) {
		if (field.number == 4) {
			check_annotation(&field, 0, 0);
			count += count_of(&field);
		} else if (field.number == 22 || field.number == 23) {
			check_text(&field);
		} else if (field.number == 9) {
			type = field.whole;
		} else {
			PROMISE(field.number == 11);
			track = field.whole;
		}
	}
	while (i < trace->track_count && trace->tracks[i] != track)
		i++;
	PROMISE(type >= 1 && type <= 3 && i < trace->track_count);
	return count;
}

/* A process or a thread, whose name is text, and so are labels. */
static void check_task(const struct wire_field *task, uint32_t name, uint32_t label)
{
	const uint8_t *at = task->at, *end = at + task->length;
	struct wire_field field;

	PROMISE(at);
	while (next_field(&at, end, &field))
		if (field.number == name || field.number == label)
			check_text(&field);
		else
			PROMISE(!field.at && field.number <= 2);
}

static void check_track(struct trace *trace, const struct wire_field *track)
{
	const uint8_t *at = track->at, *end = at + track->length;
	struct wire_field field;

	while (next_field(&at, end, &field)) {
		if (field.number == 2)
			check_text(&field);
		if (field.number == 3)
			check_task(&field, 6, 8);
		if (field.number == 4)
			check_task(&field, 5, 5);
		PROMISE(field.number >= 1 && field.number <= 5);
		if (field.number != 1)
			continue;
		PROMISE(field.whole && trace->track_count < TRACKS_MAX);
		trace->tracks[trace->track_count++] = field.whole;
	}
}

static void check_packet(struct trace *trace, const struct wire_field *packet)
{
	const uint8_t *at = packet->at, *end = at + packet->length;
	uint64_t count = 0;
	int events = 0, lost = 0;
	struct wire_field field;

	while (next_field(&at, end, &field)) {
		if (field.number == 60)
			check_track(trace, &field);
		else if (field.number == 11)
			count = check_event(trace, &field);
		events += field.number == 11;
		lost += field.number == 42;
	}
	PROMISE(events <= 1 && lost <= events);
	trace->events += (uint64_t)(events - lost);
	trace->lost += lost ? count : 0;
}

void perfetto_check(const uint8_t *output, size_t length, const struct export_counts *expected)
{
	const uint8_t *at = output, *end = output + length;
	struct trace trace = { .events = 0 };
	struct wire_field field;

	while (next_field(&at, end, &field)) {
		PROMISE(field.number == 1 && field.at);
		check_packet(&trace, &field);
	}
	PROMISE(trace.events == expected->events);
	PROMISE(trace.lost == expected->lost);
}
