/* SPDX-License-Identifier: MIT */
/*
 * Walks through an event and the layout of a class at once: each item must be what the layout
 * has at this step, and is set in the same pass.
 */
#include "ctf_fill.h"

#include <string.h>

#include "common/cli/memory.h"

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
