/* SPDX-License-Identifier: MIT */
/* Random expressions, and a second evaluator, which knows their trees and no syntax. */
#ifndef UE__TESTS_UNIT_WHERE_RANDOM_EXPRESSION_H
#define UE__TESTS_UNIT_WHERE_RANDOM_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum oracle_type { ORACLE_ABSENT, ORACLE_WHOLE, ORACLE_FLOAT, ORACLE_TEXT };

/* A number of 64 bits, with a sign or without. */
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
#else
typedef long double wide;
#endif

/* A value of an event, as the test made it. */
struct oracle_value {
	const char *name; /* as in expressions */
	enum oracle_type type;
	int has_no_order; /* of a number: only ==, != */
	wide whole;
	double number;
	char text[64]; /* UTF-8 */
	int has_nul;   /* and more behind it, which globs do not see */
};

struct tree;

extern uint64_t random_state;
uint64_t random_bits(void);
static inline size_t random_below(size_t end)
{
	return (size_t)(random_bits() >> 11) % end;
}

/* names: those of the values. The text of the expression follows, at most size bytes. */
struct tree *tree_random(const struct oracle_value *values, size_t count, unsigned depth);
void tree_print(const struct tree *tree, char *text, size_t size);
/* 1, 0, or -1 for neither, as in SQL. */
int tree_passes(const struct tree *tree, const struct oracle_value *values, size_t count);
void tree_free(struct tree *tree);

#endif
