/* SPDX-License-Identifier: MIT */
/*
 * Finds the fields of events of a kind, from the first such event. An array of structs that is
 * empty there has members nevertheless, which the definitions in the event list.
 */
#include "ctf_stream.h"

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

/* Layouts of definitions */

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

/* Layouts of values */

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

/*
 * Walks through an event and the layout of a class at once: each item must match the
 * layout at this step, and is set in the same pass.
 */

/* A struct or an array that is open. */
struct open_field {
	bt_field *field;
	uint32_t begin; /* the step of an array */
	uint32_t count; /* elements so far */
	uint32_t room;	/* elements for which there are fields */
	int is_array;
};

struct filling {
	const struct ctf_layout *layout;
	const struct walk_item *item;
	struct bytes *scratch;
	uint64_t size; /* in bytes, so far */
	uint32_t at; /* the next step */
	uint32_t depth;
	uint32_t arrays; /* that are open */
	struct open_field open[WALK_DEPTH_MAX + 1];
};

/* The field of the item; NULL: the layout has another one here. */
static bt_field *member(struct filling *filling, enum walk_kind kind)
{
	const struct ctf_layout *layout = filling->layout;
	const struct clean_text name = filling->item->name;
	const struct ctf_step *step;

	if (filling->at >= layout->count)
		return NULL;
	step = &layout->steps[filling->at];
	if (step->kind != kind || step->name_length != name.length ||
	    (name.length && memcmp(layout->names.at + step->name, name.at, name.length)))
		return NULL;
	filling->at++;
	return bt_field_structure_borrow_member_field_by_index(
		filling->open[filling->depth].field, step->member);
}

/* Fields are made as elements come: a count alone, which may be wrong, costs nothing. */
static bt_field *element(struct filling *filling)
{
	struct open_field *array = &filling->open[filling->depth];

	if (array->count == array->room) {
		array->room = array->room ? 2 * array->room : 4;
		if (bt_field_array_dynamic_set_length(array->field, array->room))
			memory_is_short();
	}
	return bt_field_array_borrow_element_field_by_index(array->field, array->count++);
}

static void open_field(struct filling *filling, bt_field *field, int is_array)
{
	filling->open[++filling->depth] = (struct open_field){
		.field = field,
		.is_array = is_array,
		.begin = filling->at - 1,
	};
	filling->arrays += (uint32_t)is_array;
}

/* The type follows from the encoding, the format and, of counted values, the length. */
static int is_of_type(const struct filling *filling, const struct ctf_step *step)
{
	const struct walk_item *item = filling->item;
	const struct ue_value *raw = item->raw;

	if (raw->encoding == step->encoding && raw->format == step->format &&
	    (raw->length == step->length ||
	     raw->encoding < UE_ENCODING_STRING_LENGTH16_CHAR8))
		return 1;
	return ctf_type_is(step->type, ctf_type_of(raw, item->type, filling->arrays > 0));
}

static int fill_value(struct filling *filling)
{
	const struct open_field *open = &filling->open[filling->depth];
	const struct ctf_step *step;
	bt_field *field;

	if (open->is_array) {
		step = &filling->layout->steps[open->begin];
		field = element(filling);
	} else {
		field = member(filling, WALK_VALUE);
		if (!field)
			return -1;
		step = &filling->layout->steps[filling->at - 1];
	}
	if (!is_of_type(filling, step))
		return -1;
	filling->size += ctf_type_set(field, step->type, filling->item, filling->scratch);
	return 0;
}

static int begin_array(struct filling *filling)
{
	bt_field *field = member(filling, WALK_ARRAY_BEGIN);

	if (!field || !ctf_type_is(filling->layout->steps[filling->at - 1].type,
				   ctf_type_of_elements(filling->item)))
		return -1;
	filling->size += CTF_COUNT_SIZE;
	open_field(filling, field, 1);
	return 0;
}

static int end_array(struct filling *filling)
{
	const struct open_field *array = &filling->open[filling->depth--];

	if (bt_field_array_dynamic_set_length(array->field, array->count))
		memory_is_short();
	filling->at = filling->layout->steps[array->begin].end + 1;
	filling->arrays--;
	return 0;
}

static int begin_struct(struct filling *filling)
{
	bt_field *field;

	if (filling->open[filling->depth].is_array) {
		field = element(filling);
		filling->at = filling->open[filling->depth].begin + 2;
	} else {
		field = member(filling, WALK_STRUCT_BEGIN);
	}
	if (!field)
		return -1;
	open_field(filling, field, 0);
	return 0;
}

static int end_struct(struct filling *filling)
{
	if (filling->at >= filling->layout->count ||
	    filling->layout->steps[filling->at].kind != WALK_STRUCT_END)
		return -1;
	filling->at++;
	filling->depth--;
	return 0;
}

static int fill_item(struct filling *filling, enum walk_kind kind)
{
	switch (kind) {
	case WALK_VALUE:
		return fill_value(filling);
	case WALK_ARRAY_BEGIN:
		return begin_array(filling);
	case WALK_ARRAY_END:
		return end_array(filling);
	case WALK_STRUCT_BEGIN:
		return begin_struct(filling);
	default:
		return end_struct(filling);
	}
}

/* Member by member: most of the struct is of open fields that few events have. */
static void begin_filling(struct filling *filling, const struct ctf_layout *layout,
			  const struct walk_item *item, bt_field *payload)
{
	filling->layout = layout;
	filling->item = item;
	filling->size = 0;
	filling->at = 0;
	filling->depth = 0;
	filling->arrays = 0;
	filling->open[0] = (struct open_field){ .field = payload };
}

int ctf_fill(const struct ctf_layout *layout, struct field_walk *walk, struct event *event,
	     bt_field *payload, struct bytes *scratch, uint64_t *size)
{
	struct filling filling;
	enum walk_kind kind;
	int result = 0;

	begin_filling(&filling, layout, &walk->item, payload);
	filling.scratch = scratch;
	field_walk_begin(walk, event);
	while (!result && (kind = field_walk_next(walk)) != WALK_END)
		result = fill_item(&filling, kind);
	*size += filling.size;
	return result || walk->fault.error || filling.at != layout->count ? -1 : 0;
}
