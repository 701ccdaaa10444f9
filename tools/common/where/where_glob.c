/* SPDX-License-Identifier: MIT */
/*
 * Matches text with globs, as the kernel's lib/glob.c does, but by characters of UTF-8, not
 * by bytes: '*' any text, '?' one character, "[a-z]" or "[!a-z]" one of a set, and '\' before
 * a character that stands for itself.
 */
#include <string.h>

#include "expression.h"

/* The character at a place, and where the next begins. Bytes that are not UTF-8 are single. */
static uint32_t next_character(const char **text, const char *end)
{
	const unsigned char *at = (const unsigned char *)*text;
	const size_t left = (size_t)(end - *text);
	size_t length = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	uint32_t code = length == 1 ? *at : *at & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if (i >= left || (at[i] & 0xc0) != 0x80) {
			*text += 1;
			return *at | 0x80000000u;
		}
		code = code << 6 | (at[i] & 0x3fu);
	}
	*text += length;
	return code;
}

/* Whether a set, from behind its '[', has the character. Returns where the glob goes on. */
static const char *match_set(const char *glob, const char *end, uint32_t character,
			     int *is_match)
{
	const int is_inverted = *glob == '!';
	const char *begin = glob += is_inverted;
	int is_in = 0;

	/* a ']' that comes first is one of the set */
	while (*glob != ']' || glob == begin) {
		uint32_t first = next_character(&glob, end), last = first;

		if (*glob == '-' && glob[1] != ']') {
			glob++;
			last = next_character(&glob, end);
		}
		is_in |= character >= first && character <= last;
	}
	*is_match = is_in != is_inverted;
	return glob + 1;
}

/* One character of the text with one item of the glob, which is no '*'. */
static int match_item(const char **glob, const char *end, uint32_t character)
{
	int is_match;

	switch (**glob) {
	case '?':
		++*glob;
		return 1;
	case '[':
		*glob = match_set(*glob + 1, end, character, &is_match);
		return is_match;
	case '\\':
		++*glob;
	}
	return next_character(glob, end) == character;
}

/* After a mismatch, the last '*' takes one character more: going back further is no use. */
int text_matches(const char *glob, const char *text, size_t length)
{
	const char *const end = text + length, *const glob_end = glob + strlen(glob);
	const char *star = NULL, *star_text = NULL;

	for (;;) {
		const char *item = glob;

		if (*glob == '*') {
			star = ++glob;
			star_text = text;
			if (!*glob)
				return 1;
			continue;
		}
		if (text == end)
			return !*glob;
		if (*glob && match_item(&item, glob_end, next_character(&text, end))) {
			glob = item;
			continue;
		}
		if (!star)
			return 0;
		glob = star;
		next_character(&star_text, end);
		text = star_text;
	}
}

/* The place after the ']' of a set; NULL: it has none. */
static const char *set_end(const char *set)
{
	const char *end;

	set += *set == '!';
	if (!*set)
		return NULL;
	end = strchr(set + 1, ']');
	return end ? end + 1 : NULL;
}

long glob_fault(const char *glob, const char **problem)
{
	const char *at = glob;

	*problem = "a \"!\" in front would invert the glob in the kernel; write "
		   "!(NAME ~ \"GLOB\"), or \\! for the character";
	if (*glob == '!')
		return 0;
	while (*at) {
		const char *item = at;

		*problem = "the bracket is not closed; write \\[ for the character";
		if (*item == '[' && !(at = set_end(item + 1)))
			return item - glob;
		*problem = "a character is expected after the \"\\\"";
		if (*item == '\\' && !item[1])
			return item - glob;
		if (*item != '[')
			at = item + (*item == '\\' ? 2 : 1);
	}
	return -1;
}
