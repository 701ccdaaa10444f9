/* SPDX-License-Identifier: MIT */
/* How to interpret a field's bytes, by its declaration. No I/O, no state. */
#ifndef UE__READ_RECORD_TYPE_H
#define UE__READ_RECORD_TYPE_H

#include <userevents/decode/record.h>

#include "describe/definition.h"

/*
 * Set all of field but offset and size, which is given. type: without name and
 * brackets behind it. brackets: of the name, empty without any; their content, including
 * them.
 */
void ue__record_type(struct ue_record_field *field, struct ue__span type,
		     struct ue__span brackets, int is_signed, uint32_t flags);

#endif
