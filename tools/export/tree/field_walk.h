/* SPDX-License-Identifier: MIT */
/*
 * One walk through the fields of an event, whatever its encoding: depth first, and each
 * array and struct that begins also ends, even in a damaged event.
 *
 *	field_walk_begin(&walk, event);
 *	while ((kind = field_walk_next(&walk)) != WALK_END)
 *		put(kind, &walk.item);
 *	if (walk.fault.error)
 *		report(&walk.fault);
 */
#ifndef UE__TOOLS_EXPORT_TREE_FIELD_WALK_H
#define UE__TOOLS_EXPORT_TREE_FIELD_WALK_H

#include "exported_event.h"
#include "common/events/field.h"
#include "common/events/recorded_event.h"
#include "common/cli/key_table.h"

enum walk_kind {
	WALK_END = 0,
	WALK_VALUE,
	WALK_ARRAY_BEGIN,
	WALK_ARRAY_END,
	WALK_STRUCT_BEGIN,
	WALK_STRUCT_END,
};

struct walk_item {
	struct clean_text name; /* of the field, without attributes; empty for an element */
	int is_element;		/* of an array */
	int is_redacted;	/* the value stands in the place of the field's */
	uint32_t count;		/* of WALK_ARRAY_BEGIN: elements */
	/* Set for WALK_VALUE, and for the elements of WALK_ARRAY_BEGIN: */
	enum ue_value_type type; /* UE_TYPE_NULL for structs */
	/* Set for WALK_VALUE. Hexadecimal numbers and times are text here, as in JSON. */
	struct value value;
	/*
	 * Its bytes, for exports that have such types. Of WALK_ARRAY_BEGIN: the encoding and
	 * format of the elements, with the size of each as length, or 0 if each has its own.
	 */
	const struct ue_value *raw;
};

/*
 * An array of structs repeats the names of their members, each of up to 64 KiB: an event of
 * 64 KiB could have a gigabyte of them. Structs without names can be nested 32 deep around
 * each byte. Beyond this many bytes of names, with so many for each array and struct, the
 * walk ends with a fault.
 */
#define WALK_NAMES_MAX (4u << 20)
#define WALK_NEST_COST 16u

/* Structs of the deepest event, each in an array, and an array of values. */
#define WALK_DEPTH_MAX (2 * UE_READER_DEPTH_MAX + 1)

/* Zero it before the first use. */
struct field_walk {
	struct walk_item item; /* valid until the next call */
	struct ue_eventheader_error fault; /* the first in the event; known at its end */
	/* Its own */
	struct event *event;
	struct ue_item found;
	struct ue_value raw;
	struct clean_texts names;
	struct bytes scratch; /* text of the value */
	struct bytes name;    /* of a field that is redacted */
	uint32_t field;	  /* of a classic event: the next one */
	uint32_t element; /* the next one of the array in found */
	size_t names_length; /* bytes of names, and WALK_NEST_COST each, so far */
	uint8_t open[WALK_DEPTH_MAX]; /* enum walk_kind of the end */
	uint8_t depth;
};

void field_walk_begin(struct field_walk *walk, struct event *event);
enum walk_kind field_walk_next(struct field_walk *walk);
void field_walk_free(struct field_walk *walk);

/*
 * Names of fields, of which formats with keys may have each only once: the second "a" of an
 * event, or of a struct, is "a#2". In linear time, whatever the names.
 */

/* Zero it before the first use. */
struct unique_names {
	struct unique_name *items; /* of this event */
	uint32_t count, room;
	struct key_table table; /* of the items, if there are many */
	uint64_t scopes; /* so far */
	uint64_t open[WALK_DEPTH_MAX + 2]; /* numbers of the open ones */
	uint32_t depth;
	struct bytes made;
};

/* Begin an event. */
void unique_names_begin(struct unique_names *names);
/* A struct begins, whose members' names are apart from those around it; and ends. */
void unique_names_enter(struct unique_names *names);
void unique_names_leave(struct unique_names *names);
/* The name, or one made of it, which is valid until the next call. */
struct clean_text unique_name(struct unique_names *names, struct clean_text name);
/* Append the names so far, which another event is to go on with, after it has begun. */
void unique_names_save(const struct unique_names *names, struct bytes *to);
void unique_names_restore(struct unique_names *names, const void *saved, size_t length);
void unique_names_free(struct unique_names *names);

#endif
