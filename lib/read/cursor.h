/* SPDX-License-Identifier: MIT */
/* The reader's state and inner functions, for this room and for rendering. */
#ifndef UE__READ_CURSOR_H
#define UE__READ_CURSOR_H

#include <assert.h>
#include <string.h>

#include <userevents/decode/reader.h>

#include "describe/eventheader.h"

/* The definition of a field, decoded. Offsets count in the metadata. */
struct ue__event_field {
	uint16_t name_at;
	uint16_t name_length;
	uint16_t end; /* of a struct: where its members begin */
	uint16_t tag;
	uint16_t count;
	uint8_t encoding;
	uint8_t format; /* of a struct: the number of its members */
	uint8_t array;
};

/* A struct, or array of them, that is open. */
struct ue__frame {
	struct ue__event_field field;
	uint16_t index;
	uint8_t remaining; /* members */
};

/* Members of an empty array, passed over before. */
struct ue__skip {
	uint16_t begin;
	uint16_t end;
};

#define UE__SKIPS 32u

/* A reader, as it stands in the caller's struct ue_reader. */
struct ue__reader {
	struct ue_event_info info; /* valid when ue_reader_begin() returned 0 */
	struct ue_item item;	   /* valid when one was returned */
	struct ue_eventheader_error error;
	size_t trailing; /* bytes after the last field, once that is read */
	const uint8_t *bytes;
	const uint8_t *metadata;
	uint64_t steps;
	uint64_t steps_max;
	uint32_t length;
	uint32_t metadata_length;
	uint32_t fields; /* offset in the metadata of the first */
	uint32_t field;  /* ... of the next, of ue_reader_next() */
	uint32_t definition; /* ... and of ue_reader_next_field() */
	uint32_t payload;	 /* offsets in the event */
	uint32_t at;
	struct ue__event_field array; /* of values, that is open */
	uint32_t element;
	uint32_t depth;
	uint8_t place;
	uint8_t last;
	uint8_t has_skips;
	uint8_t has_header;
	uint8_t is_definition;
	struct ue__skip skips[UE__SKIPS];
	struct ue__frame frames[UE_READER_DEPTH_MAX];
};

static_assert(sizeof(struct ue__reader) <= sizeof(struct ue_reader), "it fits");
static_assert(_Alignof(struct ue__reader) <= _Alignof(struct ue_reader), "it is aligned");

static inline struct ue__reader *ue__own(struct ue_reader *reader)
{
	return (struct ue__reader *)reader;
}

static inline const struct ue__reader *ue__const_own(const struct ue_reader *reader)
{
	return (const struct ue__reader *)reader;
}

/* The functions of the same names. */
int ue__reader_begin(struct ue__reader *reader, const char *name, size_t name_length,
		     const void *bytes, size_t length, const struct ue_reader_opts *opts);
int ue__reader_rewind(struct ue__reader *reader);
int ue__reader_next(struct ue__reader *reader);

/* One step in steps. */
#define UE__STEP 16u

/* The position from which ue_reader_next() continues. */
enum ue__place {
	UE__PLACE_FIELDS,   /* a field, or the end of a struct or the event */
	UE__PLACE_ELEMENTS, /* an element of an array of values, or its end */
	UE__PLACE_STRUCTS,  /* an element of an array of structs, or its end */
};

static inline int ue__reader_fail(struct ue__reader *reader, enum ue_fault fault,
				  size_t offset)
{
	return ue__fault(&reader->error, fault, offset);
}

static inline int ue__is_big_endian(const struct ue__reader *reader)
{
	return !(reader->info.flags & UE_HEADER_LITTLE_ENDIAN);
}

static inline uint16_t ue__load16(const struct ue__reader *reader, const uint8_t *bytes)
{
	return ue__is_big_endian(reader) ? (uint16_t)(bytes[0] << 8 | bytes[1]) :
					   (uint16_t)(bytes[1] << 8 | bytes[0]);
}

/* An offset in the metadata as one in the event. */
static inline size_t ue__in_event(const struct ue__reader *reader, uint32_t at)
{
	return (size_t)(reader->metadata - reader->bytes) + at;
}

/* The definition at an offset of the metadata that is not its end, charged. */
int ue__take_definition(struct ue__reader *reader, uint32_t at,
			struct ue__event_field *field);

/*
 * Steps are counted in sixteenths: a definition costs one and that of each byte, of
 * which there may be none.
 */
static inline int ue__charge(struct ue__reader *reader, uint32_t bytes, uint32_t at)
{
	if (reader->steps < UE__STEP + bytes) {
		reader->steps = 0;
		return ue__reader_fail(reader, UE_FAULT_STEP_LIMIT,
				       ue__in_event(reader, at));
	}
	reader->steps -= UE__STEP + bytes;
	return 0;
}

/* Skip so many members that have no values, from the offset of the first. */
int ue__pass_over(struct ue__reader *reader, uint32_t *at, uint8_t members);

/* An item of a field, about to get its value or elements. */
static inline void ue__describe(struct ue__reader *reader,
				const struct ue__event_field *field)
{
	struct ue_item *item = &reader->item;

	item->depth = reader->depth;
	item->name = (const char *)reader->metadata + field->name_at;
	item->name_length = field->name_length;
	item->tag = field->tag;
	item->is_element = 0;
	item->array = field->array;
	item->index = 0;
	item->count = field->count;
	item->offset = reader->at;
	item->element_size = 0;
	item->members = 0;
	item->spare = 0;
	item->value.bytes = NULL;
	item->value.length = 0;
	item->value.encoding = field->encoding;
	item->value.format = field->format;
	item->value.big_endian = (uint8_t)ue__is_big_endian(reader);
	item->value.spare = 0;
}

/*
 * Called after an error: close open items, innermost first, as
 * UE_ITEM_ARRAY_END or UE_ITEM_STRUCT_END; UE_ITEM_END when nothing is.
 */
int ue__reader_unwind(struct ue__reader *reader);

/* Go from the beginning of an array with an element_size to its end. */
void ue__reader_pass_values(struct ue__reader *reader);

/* Is a field next, or the end of a struct or of the event? */
static inline int ue__reader_is_among_fields(const struct ue__reader *reader)
{
	return reader->place == UE__PLACE_FIELDS;
}

static inline int ue__item_is_named(const struct ue_item *item, const char *name)
{
	return item->name_length == strlen(name) &&
	       !memcmp(item->name, name, item->name_length);
}

/*
 * Go on to the field of this name, but not into arrays and structs; returns as
 * ue_reader_next_sibling().
 */
int ue__reader_find(struct ue__reader *reader, const char *name);

/* Is reader->item a value, or the beginning of an array or struct? */
int ue__reader_is_at_item(const struct ue__reader *reader);

#endif
