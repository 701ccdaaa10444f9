/* SPDX-License-Identifier: MIT */
/* What rendering needs of the reader beside its public face. */
#ifndef UE__EVENTHEADER_READER_H
#define UE__EVENTHEADER_READER_H

#include <userevents/eventheader_reader.h>

/* One step in ue__steps. */
#define UE__STEP 16u

/* What ue_reader_next() finds next. */
enum ue__place {
	UE__PLACE_FIELDS,   /* a field, or the end of a struct or the event */
	UE__PLACE_ELEMENTS, /* an element of an array of values, or its end */
	UE__PLACE_STRUCTS,  /* an element of an array of structs, or its end */
};

/*
 * After an error: the end of what is still open, innermost first, as
 * UE_ITEM_ARRAY_END or UE_ITEM_STRUCT_END; UE_ITEM_END when nothing is.
 */
int ue__reader_unwind(struct ue_reader *reader);

/* At the begin of an array with an element_size: to its end. */
void ue__reader_pass_values(struct ue_reader *reader);

/* Is a field next, or the end of a struct or of the event? */
static inline int ue__reader_is_among_fields(const struct ue_reader *reader)
{
	return reader->ue__place == UE__PLACE_FIELDS;
}

/* Is reader->item a value, or the begin of an array or struct? */
int ue__reader_is_at_item(const struct ue_reader *reader);

#endif
