/* SPDX-License-Identifier: MIT */
/*
 * A parsed expression. A comparison whose field an event lacks does not hold, negated or
 * not.
 *
 * Evaluation needs no tree: each comparison knows the next one for either result.
 */
#ifndef UE__TOOLS_WHERE_EXPRESSION_H
#define UE__TOOLS_WHERE_EXPRESSION_H

#include <stdint.h>

#include "common/events/field.h"
#include "grammar.h"
#include "where.h"

#define WHERE_LENGTH_MAX 65535u
#define WHERE_DEPTH_MAX 64u
#define WHERE_COMPARISONS_MAX 1024u

/* A value as it was typed, and as all that it can mean; VALUE_NONE: that it cannot. */
struct literal {
	size_t at; /* in the expression, also of the quote */
	int is_quoted;
	int is_null;
	char *text; /* without quotes, and without escapes */
	size_t length;
	struct value number; /* true and false are VALUE_BOOLEAN */
	struct value quoted; /* the number that JSON has in quotes: "0xFF", "inf" */
	struct value error;  /* ENOENT or ENOENT(2) */
	struct value date;   /* seconds since 1970 */
	struct bytes hex;
	int is_hex;
};

/* The same for a property, in its own units. */
struct property_literal {
	enum property property; /* PROPERTY_NONE: the name, or value, is that of no property */
	struct value value;
	int is_wall_clock; /* PROPERTY_TIME */
	int has_group;	   /* PROPERTY_EVENT: PROVIDER:EVENT */
	char *text;
};

#define WHERE_PASSES UINT32_MAX
#define WHERE_FAILS (UINT32_MAX - 1)

/* The event of a pair that is meant. */
enum where_side { WHERE_EITHER, WHERE_START, WHERE_STOP };

struct comparison {
	enum where_side side;
	int is_duration; /* of the pair */
	struct field field; /* its property is in of_property alone */
	enum property named; /* property of this name, whether the value fits or not */
	size_t at;	    /* of the name, in the expression */
	enum where_operator operator;
	int is_negated;
	struct literal literal;
	struct property_literal of_property;
	uint32_t on[2]; /* the next comparison, by result; or one of the two above */
	int is_found;	/* an event had it */
};

struct where {
	char *text;
	int is_of_pairs;
	struct comparison *comparisons;
	uint32_t count;
	uint32_t missing; /* comparisons whose name no event had yet */
	struct node *nodes; /* the first is the root */
	int is_incomparable; /* the times of events are of another kind */
	uint64_t events;
	/* Names that are known without an event: the kernel may let none through. */
	int has_classic;     /* described tracepoints whose names are all known */
	int has_eventheader; /* ... and whose events may have any names */
	/* Candidates of "did you mean": names of fields of events. */
	char **names;
	uint32_t name_count;
	uint8_t *seen; /* kinds of events whose names were added; by number */
	uint32_t seen_room;
};

/* Print "cannot parse the expression: PROBLEM", and a caret below the place. Returns -1. */
int where_complain(const struct where *where, size_t at, const char *problem, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Parse the value at this place, which the caller cleared. Returns its length, or 0 after a
 * message.
 */
size_t literal_parse(const struct where *where, size_t at, enum where_operator operator,
		     struct literal *literal);
void literal_free(struct literal *literal);
/* The literal as a number of this field, NULL if it is not one. */
const struct value *literal_number(const struct literal *literal, const struct value *field);
/* Whether a number of some field is meant. */
int literal_may_be_number(const struct literal *literal);
/* "write its number or name, ENOENT", with the name that may have been meant. */
const char *errno_hint(const struct literal *literal);
/* How to write a number, for a value that is none. */
const char *number_hint(const struct literal *literal);
/* "start.", "stop.", or "". */
const char *where_side_text(enum where_side side);

/* Whether an unsigned or signed number and a literal have a bit in common, and so on. */
int number_holds(const struct value *number, enum where_operator operator,
		 const struct value *with);
/* The same of text; with ~, the literal is a glob. */
int text_holds(const struct value *value, enum where_operator operator, const char *text,
	       size_t length);
/* The glob of a literal, which was checked. */
int text_matches(const char *glob, const char *text, size_t length);

/* Remember the names of a tracepoint's fields, of which no event may come. */
void where_describe(struct where *where, const struct tracepoint *tracepoint);

/* Comparisons in the language of the kernel's filters. */

/*
 * The kernel's share of a part of an expression: nothing, as any event may pass it; or
 * no event passes it; or a text, to be freed, which passes all that the part passes.
 */
enum part_kind {
	PART_ANY,
	PART_NONE,
	PART_TEXT,
};

struct part {
	enum part_kind kind;
	char *text;
	int is_joined_by_or; /* and has no parentheses */
};

static const struct part part_any = { .kind = PART_ANY };
static const struct part part_none = { .kind = PART_NONE };

/* A whole number of the kernel: its name there, and its range. */
struct kernel_number {
	const char *name;
	int length;
	int is_signed;
	unsigned bits;
	int has_no_bits; /* & does not work */
};

/* Text of the kernel. */
struct kernel_text {
	const char *name;
	int length;
	size_t room;    /* of an array that may lack a NUL; 0: it always has one */
	int is_dynamic; /* and the kernel misreads one of length 0 */
};

struct part number_part(const struct comparison *comparison, const struct value *literal,
			const struct kernel_number *number);
struct part text_part(const struct comparison *comparison, const char *literal,
		      const struct kernel_text *text);

#endif
