/* SPDX-License-Identifier: MIT */
/*
 * Finds the word with the smallest edit distance: how many letters must be inserted, left
 * out or replaced. Two swapped letters count as two, another case as none.
 */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "options.h"

#define LENGTH_MAX 63u

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static int differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static unsigned distance(const char *a, const char *b)
{
	unsigned row[LENGTH_MAX + 2];
	size_t length = strlen(b);

	if (strlen(a) > LENGTH_MAX || length > LENGTH_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 1; *a; i++, a++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			unsigned above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1,
				       diagonal + (unsigned)differ(*a, b[j - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

const char *nearest(const char *typed, const void *table, size_t count, size_t size)
{
	/* accept a third of the letters, and at least one */
	unsigned best = (unsigned)(strlen(typed) + 5) / 3;
	const char *found = NULL, *word;

	for (size_t i = 0; i < count; i++) {
		unsigned d;

		memcpy(&word, (const char *)table + i * size, sizeof(word));
		d = distance(typed, word);
		/* an abbreviation counts as one letter, whatever is missing */
		if (typed[0] && typed[1] && !strncmp(typed, word, strlen(typed)))
			d = 1;
		if (d < best) {
			best = d;
			found = word;
		}
	}
	return found;
}
