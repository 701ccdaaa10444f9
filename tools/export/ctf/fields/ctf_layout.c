/* SPDX-License-Identifier: MIT */
/*
 * Finds the fields of events of a kind, from the first such event. An array of structs that is
 * empty there has members nevertheless, which the definitions in the event list.
 */
#include "ctf_layout.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

struct reading {
	struct ctf_layout *layout;
	struct field_walk *walk;
	uint32_t members[WALK_DEPTH_MAX + 1]; /* so far, of each open struct and array */
	uint32_t begins[WALK_DEPTH_MAX + 1];  /* their steps */
	uint32_t depth;
	uint32_t arrays; /* that are open */
	struct clean_texts texts;
};

static struct ctf_step *add_step(struct reading *reading, enum walk_kind kind)
{
	struct ctf_layout *layout = reading->layout;
	struct ctf_step *step;

	layout->steps = xgrow(layout->steps, layout->count, sizeof(*layout->steps));
	step = &layout->steps[layout->count++];
	*step = (struct ctf_step){ .kind = (uint8_t)kind };
	if (kind != WALK_ARRAY_END && kind != WALK_STRUCT_END)
		step->member = reading->members[reading->depth]++;
	return step;
}

static void set_name(struct reading *reading, struct ctf_step *step, struct clean_text name)
{
	struct bytes *names = &reading->layout->names;

	step->name = (uint32_t)names->length;
	step->name_length = (uint32_t)name.length;
	bytes_add(names, name.at, name.length);
}

static void open_step(struct reading *reading, enum walk_kind kind)
{
	reading->depth++;
	reading->members[reading->depth] = 0;
	reading->begins[reading->depth] = reading->layout->count - 1;
	reading->arrays += kind == WALK_ARRAY_BEGIN;
}

static void close_step(struct reading *reading, enum walk_kind kind)
{
	struct ctf_layout *layout = reading->layout;

	add_step(reading, kind);
	if (kind == WALK_ARRAY_END) {
		layout->steps[reading->begins[reading->depth]].end = layout->count - 1;
		reading->arrays--;
	}
	reading->depth--;
}

/* From definitions */

static struct clean_text definition_name(struct reading *reading, const struct ue_item *item)
{
	const char *end = item->name_length ? memchr(item->name, ';', item->name_length) : NULL;

	return clean_text(&reading->texts, item->name,
			  end ? (size_t)(end - item->name) : item->name_length);
}

static int define_members(struct reading *reading, struct ue_reader *reader, uint32_t count);

static int define_struct(struct reading *reading, struct ue_reader *reader, uint32_t members)
{
	if (reading->depth >= WALK_DEPTH_MAX)
		return -1;
	open_step(reading, WALK_STRUCT_BEGIN);
	if (define_members(reading, reader, members))
		return -1;
	close_step(reading, WALK_STRUCT_END);
	return 0;
}

static int define_array(struct reading *reading, struct ue_reader *reader,
			const struct ue_item *item)
{
	const uint32_t members = item->members;
	const int is_of_structs = item->value.encoding == UE_ENCODING_STRUCT;

	if (reading->depth + 1 >= WALK_DEPTH_MAX)
		return -1;
	open_step(reading, WALK_ARRAY_BEGIN);
	if (is_of_structs) {
		add_step(reading, WALK_STRUCT_BEGIN);
		if (define_struct(reading, reader, members))
			return -1;
	}
	close_step(reading, WALK_ARRAY_END);
	return 0;
}

static int define_field(struct reading *reading, struct ue_reader *reader, int kind)
{
	const struct ue_item *item = ue_reader_item(reader);
	struct ctf_step *step;

	if (reading->layout->count > CTF_STEPS_MAX)
		return -1;
	step = add_step(reading, kind == UE_ITEM_ARRAY_BEGIN  ? WALK_ARRAY_BEGIN :
				 kind == UE_ITEM_STRUCT_BEGIN ? WALK_STRUCT_BEGIN :
								WALK_VALUE);
	set_name(reading, step, definition_name(reading, item));
	step->type = ctf_type_of_definition(item);
	if (kind == UE_ITEM_ARRAY_BEGIN)
		return define_array(reading, reader, item);
	if (kind == UE_ITEM_STRUCT_BEGIN)
		return define_struct(reading, reader, item->members);
	return 0;
}

static int define_members(struct reading *reading, struct ue_reader *reader, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const int kind = ue_reader_next_field(reader);

		if (kind <= 0 || define_field(reading, reader, kind))
			return -1;
	}
	return 0;
}

/* The struct of the array of structs that the walk is at, and that is empty. */
static int define_element(struct reading *reading)
{
	struct ue_reader reader = reading->walk->event->reader;
	const char *name = ue_reader_item(&reader)->name;

	ue_reader_rewind(&reader);
	do {
		if (ue_reader_next_field(&reader) <= 0)
			return -1;
	} while (ue_reader_item(&reader)->name != name);
	add_step(reading, WALK_STRUCT_BEGIN);
	return define_struct(reading, &reader, ue_reader_item(&reader)->members);
}

/* From values */

/* Pass over elements up to the end of the array that is open. */
static void skip_elements(struct field_walk *walk)
{
	int depth = 1;

	while (depth) {
		const enum walk_kind kind = field_walk_next(walk);

		depth += kind == WALK_ARRAY_BEGIN || kind == WALK_STRUCT_BEGIN;
		depth -= kind == WALK_ARRAY_END || kind == WALK_STRUCT_END;
	}
}

static int read_array(struct reading *reading, struct ctf_step *step)
{
	const struct walk_item *item = &reading->walk->item;
	int is_of_structs;

	step->type = ctf_type_of_elements(item);
	is_of_structs = step->type.base == CTF_STRUCT;
	open_step(reading, WALK_ARRAY_BEGIN);
	if (is_of_structs && item->count)
		return 0;
	if (is_of_structs && define_element(reading))
		return -1;
	skip_elements(reading->walk);
	close_step(reading, WALK_ARRAY_END);
	return 0;
}

static int read_end(struct reading *reading, enum walk_kind kind)
{
	const struct ctf_layout *layout = reading->layout;
	const uint32_t begin = reading->begins[reading->depth];

	close_step(reading, kind);
	/* One element is enough. */
	if (reading->depth &&
	    layout->steps[reading->begins[reading->depth]].kind == WALK_ARRAY_BEGIN &&
	    layout->steps[begin].kind == WALK_STRUCT_BEGIN) {
		skip_elements(reading->walk);
		close_step(reading, WALK_ARRAY_END);
	}
	return 0;
}

static void set_type(const struct reading *reading, struct ctf_step *step)
{
	const struct walk_item *item = &reading->walk->item;

	step->type = ctf_type_of(item->raw, item->type, reading->arrays > 0);
	step->encoding = item->raw->encoding;
	step->format = item->raw->format;
	step->length = item->raw->length;
}

static int read_step(struct reading *reading, enum walk_kind kind)
{
	const struct walk_item *item = &reading->walk->item;
	struct ctf_step *step;

	if (reading->layout->count > CTF_STEPS_MAX)
		return -1;
	if (kind == WALK_ARRAY_END || kind == WALK_STRUCT_END)
		return read_end(reading, kind);
	step = add_step(reading, kind);
	set_name(reading, step, item->name);
	if (kind == WALK_ARRAY_BEGIN)
		return read_array(reading, step);
	if (kind == WALK_STRUCT_BEGIN)
		open_step(reading, kind);
	else
		set_type(reading, step);
	return 0;
}

int ctf_layout_read(struct ctf_layout *layout, struct field_walk *walk, struct event *event)
{
	struct reading reading = { .layout = layout, .walk = walk };
	enum walk_kind kind;
	int result = 0;

	field_walk_begin(walk, event);
	while (!result && (kind = field_walk_next(walk)) != WALK_END)
		result = read_step(&reading, kind);
	clean_texts_free(&reading.texts);
	return result || walk->fault.error ? -1 : 0;
}

void ctf_layout_free(struct ctf_layout *layout)
{
	free(layout->steps);
	bytes_free(&layout->names);
}
