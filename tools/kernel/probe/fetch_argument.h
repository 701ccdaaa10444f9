/* SPDX-License-Identifier: MIT */
/* Types of the arguments of probes. */
#ifndef UE__TOOLS_KERNEL_PROBE_GRAMMAR_FETCH_ARGUMENT_H
#define UE__TOOLS_KERNEL_PROBE_GRAMMAR_FETCH_ARGUMENT_H

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

/* Names of registers, as the kernel has them. */

/* Whether this machine has it. Of machines that are not known here: 1. */
int register_exists(const char *name);
/* The register that was meant; NULL: none is near. */
const char *register_meant(const char *name);
/* The register with the Nth argument of a function of C, from 1; NULL: not known. */
const char *register_of_argument(unsigned n);

/* Fields of the event that an eprobe is attached to. */

enum attached_field {
	FIELD_NONE, /* there is no such field */
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_TEXT_RELATIVE, /* __rel_loc, which the kernel reads from a wrong place */
	FIELD_OTHER, /* an array or a struct, which the kernel takes for a number */
};

/* format: the text of the event's format file. */
enum attached_field attached_field(const char *format, struct part name);
/* A name of a field that may have been meant; NULL: none. To be freed. */
char *attached_field_meant(const char *format, const char *name);

/*
 * An expression that fetches an argument: %di, +8(%si), @jiffies, $retval. It is checked
 * as the kernel evaluates it, in steps.
 */

enum fetched {
	FETCHED_VALUE, /* of a register, of the stack, an argument, or $retval */
	FETCHED_ENTRY, /* an argument, in a return probe */
	FETCHED_ADDRESS, /* $stack */
	FETCHED_IMMEDIATE, /* a number of the definition */
	FETCHED_MEMORY,
	FETCHED_USER_MEMORY, /* with "u" */
	FETCHED_COMM,
	FETCHED_TEXT, /* of the definition */
	FETCHED_FIELD, /* of an event: a number */
	FETCHED_FIELD_TEXT,
	FETCHED_FIELD_RELATIVE, /* text, 4 bytes before its place */
	FETCHED_VARIABLE, /* which only the kernel knows */
};

/* The circumstances of all expressions of a probe. */
struct fetching {
	const struct probe *probe;
	const struct grammar *grammar;
	const char *format; /* see probe_check_arguments() */
	struct fault *fault;
};

/*
 * Check an expression, without name and type. steps: how many the kernel needs. 0, or -1
 * and the fault.
 */
int fetch_check(const struct fetching *fetching, struct part text, enum fetched *fetched,
		unsigned *steps);

#endif
