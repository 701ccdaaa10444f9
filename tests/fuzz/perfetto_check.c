/* SPDX-License-Identifier: MIT */
/*
 * Checks a trace of Perfetto: messages of the written numbers and types alone, text in UTF-8,
 * tracks that were described, and each event and loss once.
 */
#include "export_checks.h"

#include "../support/json_check.h"
#include "fuzz.h"

#define TRACKS_MAX 4096

struct trace {
	uint64_t events, lost;
	uint64_t tracks[TRACKS_MAX];
	size_t track_count;
};

/* A field: a number, or bytes. */
struct field {
	uint32_t number;
	uint64_t whole;
	const uint8_t *at;
	size_t length;
};

static uint64_t take_varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t number = 0;

	for (int shift = 0;; shift += 7) {
		PROMISE(*at < end && shift < 70);
		number |= (uint64_t)(**at & 127) << shift;
		if (*(*at)++ < 128)
			return number;
	}
}

/* 0 at the end. */
static int next_field(const uint8_t **at, const uint8_t *end, struct field *field)
{
	uint64_t key;

	*field = (struct field){ .number = 0 };
	if (*at == end)
		return 0;
	key = take_varint(at, end);
	field->number = (uint32_t)(key >> 3);
	PROMISE(field->number && ((key & 7) <= 2));
	if (!(key & 7)) {
		field->whole = take_varint(at, end);
		return 1;
	}
	field->length = key & 1 ? 8 : take_varint(at, end);
	PROMISE(field->length <= (size_t)(end - *at));
	field->at = *at;
	*at += field->length;
	return 1;
}

static void check_text(const struct field *field)
{
	PROMISE(field->at && !utf8_wrong((const char *)field->at, field->length));
}

/* Perfetto ignores one without a value, so it must have one. */
static void check_annotation(const struct field *annotation, int is_element, int depth)
{
	const uint8_t *at = annotation->at, *end = at + annotation->length;
	int names = 0, values = 0, elements = 0;
	struct field field;

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

static void check_event(struct trace *trace, const struct field *event)
{
	const uint8_t *at = event->at, *end = at + event->length;
	uint64_t track = 0, type = 0;
	struct field field;
	size_t i = 0;

	while (next_field(&at, end, &field)) {
		if (field.number == 4)
			check_annotation(&field, 0, 0);
		else if (field.number == 22 || field.number == 23)
			check_text(&field);
		else if (field.number == 9)
			type = field.whole;
		else if (field.number == 11)
			track = field.whole;
		else
			PROMISE(!"a field of a TrackEvent");
	}
	while (i < trace->track_count && trace->tracks[i] != track)
		i++;
	PROMISE(type >= 1 && type <= 3 && i < trace->track_count);
}

static void check_track(struct trace *trace, const struct field *track)
{
	const uint8_t *at = track->at, *end = at + track->length;
	struct field field;

	while (next_field(&at, end, &field)) {
		if (field.number == 2)
			check_text(&field);
		PROMISE(field.number >= 1 && field.number <= 5);
		if (field.number != 1)
			continue;
		PROMISE(field.whole && trace->track_count < TRACKS_MAX);
		trace->tracks[trace->track_count++] = field.whole;
	}
}

static void check_packet(struct trace *trace, const struct field *packet)
{
	const uint8_t *at = packet->at, *end = at + packet->length;
	int events = 0, lost = 0;
	struct field field;

	while (next_field(&at, end, &field)) {
		if (field.number == 60)
			check_track(trace, &field);
		else if (field.number == 11)
			check_event(trace, &field);
		events += field.number == 11;
		lost += field.number == 42;
	}
	PROMISE(events <= 1 && lost <= events);
	trace->events += (uint64_t)(events - lost);
	trace->lost += (uint64_t)lost;
}

void perfetto_check(const uint8_t *output, size_t length, const struct export_counts *expected)
{
	const uint8_t *at = output, *end = output + length;
	struct trace trace = { .events = 0 };
	struct field field;

	while (next_field(&at, end, &field)) {
		PROMISE(field.number == 1 && field.at);
		check_packet(&trace, &field);
	}
	PROMISE(trace.events == expected->events);
	PROMISE(!trace.lost == !expected->lost);
}
