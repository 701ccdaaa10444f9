/* SPDX-License-Identifier: MIT */
/*
 * The reader: every item is inside the event, begins and ends match, work is bounded, and
 * the three walks through an event agree.
 */
#include "fuzz.h"

static void touch(const uint8_t *bytes, size_t length)
{
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < length; i++)
		sum = (uint8_t)(sum + bytes[i]);
}

static void check_value(const struct event_input *input, const struct ue_item *item)
{
	uint64_t u;
	int64_t s;
	double d;

	PROMISE(item->value.bytes >= input->bytes);
	PROMISE(item->offset + (size_t)item->value.length <= input->length);
	PROMISE(item->value.bytes == input->bytes + item->offset);
	touch(item->value.bytes, item->value.length);
	PROMISE(!ue_value_u64(&item->value, &u) == !ue_value_s64(&item->value, &s));
	ue_value_f64(&item->value, &d);
}

static void check_item(const struct event_input *input, const struct ue_item *item)
{
	touch((const uint8_t *)item->name, item->name_length);
	PROMISE(item->depth < UE_READER_DEPTH_MAX || item->kind == UE_ITEM_VALUE ||
		item->value.encoding != UE_ENCODING_STRUCT);
	if (item->kind == UE_ITEM_VALUE || item->element_size)
		check_value(input, item);
}

/* Depth first; adds the items at the top to count. */
static int walk(const struct event_input *input, struct ue_reader *reader,
		size_t *count)
{
	uint8_t open[2 * UE_READER_DEPTH_MAX + 1];
	size_t depth = 0, steps = 0;
	int kind;

	*count = 0;
	while ((kind = ue_reader_next(reader)) > 0) {
		const struct ue_item *item = ue_reader_item(reader);

		PROMISE(item->kind == (uint32_t)kind);
		check_item(input, item);
		PROMISE(++steps <= 3 * UE_READER_STEPS_DEFAULT(input->length));
		if (kind == UE_ITEM_ARRAY_END || kind == UE_ITEM_STRUCT_END) {
			PROMISE(depth);
			depth--;
			PROMISE(open[depth] == kind - 1);
			continue;
		}
		*count += !depth;
		if (kind != UE_ITEM_VALUE) {
			PROMISE(depth < sizeof(open));
			open[depth++] = (uint8_t)kind;
		}
	}
	PROMISE(kind < 0 || !depth);
	PROMISE(kind == ue_reader_error(reader)->error);
	PROMISE(ue_reader_next(reader) == kind);
	return kind;
}

static void check_error(const struct event_input *input,
			const struct ue_reader *reader)
{
	const struct ue_eventheader_error *error = ue_reader_error(reader);

	PROMISE(error->error < 0 && error->name && error->reason);
	PROMISE(error->fault > UE_FAULT_NONE && error->fault < UE_FAULT_END);
	if (strncmp(error->name, "name_", 5))
		PROMISE(error->offset <= input->length);
	else
		PROMISE(error->offset <= input->name_length);
}

static void by_sibling(struct ue_reader *reader, int end, size_t count)
{
	size_t trailing = ue_reader_trailing(reader), siblings = 0;
	int kind;

	PROMISE(!ue_reader_rewind(reader));
	while ((kind = ue_reader_next_sibling(reader)) > 0) {
		PROMISE(kind != UE_ITEM_ARRAY_END && kind != UE_ITEM_STRUCT_END);
		siblings++;
	}
	PROMISE(kind == end);
	if (!kind)
		PROMISE(siblings == count && ue_reader_trailing(reader) == trailing);
}

static void by_definition(struct ue_reader *reader)
{
	size_t count = 0;

	PROMISE(!ue_reader_rewind(reader));
	while (ue_reader_next_field(reader) > 0) {
		touch((const uint8_t *)ue_reader_item(reader)->name,
		      ue_reader_item(reader)->name_length);
		PROMISE(++count < 65536);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_input input;
	struct ue_reader reader;
	size_t count;
	int end;

	if (!event_input(&input, data, size))
		return 0;
	if (event_begin(&input, &reader)) {
		check_error(&input, &reader);
		PROMISE(ue_reader_next(&reader) < 0);
		PROMISE(ue_reader_next_field(&reader) < 0);
	} else {
		end = walk(&input, &reader, &count);
		if (end < 0)
			check_error(&input, &reader);
		by_sibling(&reader, end, count);
		by_definition(&reader);
	}
	event_input_free(&input);
	return 0;
}
