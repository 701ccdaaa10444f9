/* SPDX-License-Identifier: MIT */
/*
 * Files of EventHeader events alone. Each has its length, including this number (32 bits,
 * little-endian), the tracepoint's name, a NUL, and the event's bytes.
 */
#include "open_input.h"

#include <string.h>

#include <userevents/eventheader_name.h>

#include "common/records/byte_cursor.h"

/* The length of the name, or 0 if these are not the first bytes of an event. */
static size_t name_length(const uint8_t *bytes, size_t length)
{
	const uint8_t *nul = length > 4 ? memchr(bytes + 4, 0, length - 4) : NULL;

	return nul ? (size_t)(nul - bytes) - 4 : 0;
}

/* No event is longer. The first bytes of text, read as a number, are larger. */
#define LONGEST ((uint32_t)16 << 20)

/* If the name ends beyond these bytes, check its beginning. */
int input_is_events(const uint8_t *bytes, size_t length)
{
	struct ue_eventheader_name parts;
	size_t name = name_length(bytes, length);

	if (length < 16 || load_u32(bytes, 0) < 5 || load_u32(bytes, 0) > LONGEST)
		return 0;
	if (name)
		return !ue_eventheader_name_parse((const char *)bytes + 4, name, &parts,
						  NULL);
	for (size_t i = 4; i < length; i++)
		if (bytes[i] <= ' ' || bytes[i] == 0x7f)
			return 0;
	return load_u32(bytes, 0) > length;
}

static struct tracepoint *find_tracepoint(struct input *input, const char *name)
{
	struct tracepoint *last = input->state;

	if (last && !strcmp(last->name, name))
		return last;
	tracepoint_free(last);
	return input->state = tracepoint_bare(name);
}

static int next(struct input *input, struct record *record)
{
	const uint8_t *bytes = source_peek(&input->source, 4);
	size_t size, name;

	if (!bytes)
		return source_left(&input->source, 1) || input->source.error ?
			       input_is_cut_off(input, "an event") : 0;
	size = load_u32(bytes, 0);
	if (size > LONGEST)
		return input_fails(input,
				   "it is damaged at byte %llu: an event has more than 16 MiB",
				   (unsigned long long)input->source.offset);
	bytes = source_peek(&input->source, size);
	if (!bytes)
		return input_is_cut_off(input, "an event");
	name = name_length(bytes, size);
	if (!name)
		return input_fails(input,
				   "it is damaged at byte %llu: an event has no name",
				   (unsigned long long)input->source.offset);
	record->tracepoint = find_tracepoint(input, (const char *)bytes + 4);
	record->bytes = bytes + 4 + name + 1;
	record->length = size - 4 - name - 1;
	record->sample = (struct ue_sample){ .size = sizeof(record->sample) };
	source_skip(&input->source, size);
	return 1;
}

static void close_events(struct input *input)
{
	tracepoint_free(input->state);
}

static const struct input_kind kind = { next, close_events };

int input_open_events(struct input *input)
{
	input->kind = &kind;
	return 0;
}
