/* SPDX-License-Identifier: MIT */
/* Types of the arguments of probes. */
#ifndef UE__TOOLS_PROBE_FETCH_TYPE_H
#define UE__TOOLS_PROBE_FETCH_TYPE_H

#include "probe.h"

struct fetch_type {
	unsigned size; /* in the event, of one element */
	int is_string; /* string, ustring, symstr */
	int is_symstr;
	int is_symbol; /* symbol, symstr: of the kernel */
	int is_bitfield;
	uint64_t count; /* of an array; 0: none */
};

/*
 * Parse "TYPE[COUNT]", which begins at a place of the definition. 0, or -1 and the fault.
 */
int fetch_type_parse(struct fetch_type *type, struct part text,
		     const struct grammar *grammar, size_t at, struct fault *fault);

#endif
