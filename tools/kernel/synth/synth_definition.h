/* SPDX-License-Identifier: MIT */
/* Definitions of synthetic events: "NAME TYPE FIELD; TYPE FIELD; ...". */
#ifndef UE__TOOLS_SYNTH_SYNTH_DEFINITION_H
#define UE__TOOLS_SYNTH_SYNTH_DEFINITION_H

#include <stddef.h>

/* Lengths of no array, and of a text that is as long as each value. */
#define SYNTH_SCALAR (-1)
#define SYNTH_DYNAMIC 0

struct synth_field {
	char *type; /* with one blank between words; of an array, that of an element */
	char *name;
	int length; /* of the array, or one of the above */
	size_t at;  /* in the text that was parsed */
};

struct synth_definition {
	char *name;
	struct synth_field *fields;
	size_t count;
};

/* The reason why a text was refused, and the place in it. */
struct synth_problem {
	char *reason;
	size_t at;
};

/*
 * Split a text into its parts, with or without blanks around each ';', and the brackets of an
 * array behind the type or behind the name. 0, or -1 with problem, whose reason is to be
 * freed. definition is to be freed in either case.
 */
int synth_definition_read(const char *text, struct synth_definition *definition,
			  struct synth_problem *problem);
/* Whether the kernel accepts it, and makes of it what it says. 0, or -1 with problem. */
int synth_definition_check(const struct synth_definition *definition,
			   struct synth_problem *problem);
/* The canonical text, which the kernel accepts; to be freed. */
char *synth_definition_text(const struct synth_definition *definition);
/* Append a field, whose texts are copied. */
void synth_definition_add(struct synth_definition *definition, const char *type,
			  const char *name, int length);
void synth_definition_free(struct synth_definition *definition);

/* Letters, digits and '_', without a digit in front. */
int is_identifier(const char *text);

#endif
