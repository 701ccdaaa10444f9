/* SPDX-License-Identifier: MIT */
/*
 * An expression that fetches an argument: %di, +8(%si), @jiffies, $retval. It is checked
 * as the kernel evaluates it, in steps.
 */
#ifndef UE__TOOLS_PROBE_FETCH_ARGUMENT_H
#define UE__TOOLS_PROBE_FETCH_ARGUMENT_H

#include "probe.h"

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
