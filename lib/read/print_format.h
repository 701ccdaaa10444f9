/* SPDX-License-Identifier: MIT */
/* Details of fields that only the print format of a tracepoint has. No I/O, no state. */
#ifndef UE__READ_PRINT_FORMAT_H
#define UE__READ_PRINT_FORMAT_H

#include <userevents/decode/record.h>

#include "util/span.h"

/*
 * Probes have their types there alone: fields that are "u32", "x32" or "char" in a definition
 * are all u32 or u8 among the fields. text: the part after "print fmt:".
 */
void ue__print_format(struct ue_record_field *fields, uint32_t count, struct ue__span text,
		      uint32_t flags);

#endif
