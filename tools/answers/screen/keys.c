/* SPDX-License-Identifier: MIT */
/* Splits the bytes that a terminal sends into keys. */
#include "keys.h"

#include <string.h>

static const struct {
	const char *sequence; /* what follows ESC */
	int key;
} known[] = {
	{ "[A", KEY_UP },     { "OA", KEY_UP },	     { "[B", KEY_DOWN },
	{ "OB", KEY_DOWN },   { "[C", KEY_RIGHT },   { "OC", KEY_RIGHT },
	{ "[D", KEY_LEFT },   { "OD", KEY_LEFT },    { "[5~", KEY_PAGE_UP },
	{ "[6~", KEY_PAGE_DOWN }, { "[H", KEY_HOME }, { "OH", KEY_HOME },
	{ "[1~", KEY_HOME },  { "[F", KEY_END },     { "OF", KEY_END },
	{ "[4~", KEY_END },   { "[Z", KEY_BACK_TAB },
};

/* The bytes of a sequence after ESC: "[1;5C", "OP"; 0 if there is none. */
static size_t sequence_length(const char *bytes, size_t length)
{
	size_t at = 1;

	if (length < 2 || (bytes[0] != '[' && bytes[0] != 'O'))
		return 0;
	while (bytes[0] == '[' && at < length && bytes[at] >= ' ' && bytes[at] < '@')
		at++;
	return at < length ? at + 1 : at;
}

int key_next(const char **bytes, size_t *length)
{
	const char *begin = (*bytes)++;
	size_t skipped;

	--*length;
	skipped = *begin == KEY_ESCAPE ? sequence_length(*bytes, *length) : 0;
	if (!skipped)
		return (unsigned char)*begin;
	*bytes += skipped;
	*length -= skipped;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].sequence) == skipped &&
		    !memcmp(known[i].sequence, begin + 1, skipped))
			return known[i].key;
	return KEY_NONE;
}
